#pragma once

#include <dsk/engine.hpp>

#include <span>
#include <vector>

#include "learn/classes.hpp"

namespace dsk::detail {

/// The parts that dJ/dK of a criterion of sums is made of, each times K_ij.
enum class Form {
  target,      ///< K_ij for a pair of one class, -K_ij for others
  same,        ///< K_ij for a pair of one class of any size, 0 for others
  class_mean,  ///< K_ij / n_c for a pair of class c, 0 for others
  kernel,      ///< K_ij
  square       ///< K_ij^2
};

/// A form's value of a pair, as same K_ij within a class or other K_ij outside, plus square K_ij^2.
struct PairFactors {
  double same = 0;
  double other = 0;
  double square = 0;
};
/// For the pairs of matrix i.
PairFactors pair_factors(Form form, const Classes& classes, Index i);

/// Writes form m of the pairs (row, first_column + l) with the given kernel values to result[m * kernel.size() + l].
void fill_forms(std::span<const Form> forms, const Classes& classes, Index row, Index first_column,
                std::span<const double> kernel, std::span<double> result);

/// Sums over j != i of each form, for each i.
class FormSums {
 public:
  FormSums(Index forms, Index samples) : rows_(Matrix::Zero(forms, samples)) {}
  /// Adds filled forms of the pairs (row, first_column + l) to both partners.
  void add(Index row, Index first_column, std::span<const double> filled);
  void set(Index form, Index i, double sum) { rows_(form, i) = sum; }
  Eigen::RowVectorXd rows(Index form) const { return rows_.row(form); }
  double total(Index form) const { return rows_.row(form).sum(); }
  /// From sums over one rank's share of the pairs to sums over all.
  void add_up(const Team* team) {
    if (team != nullptr) team->sum({rows_.data(), static_cast<std::size_t>(rows_.size())});
  }

 private:
  Matrix rows_;
};

/// J, and the weights with which c_ij = sum_m forms[m] f_m(i, j) + (rows[i] + rows[j]) K_ij.
struct FormWeights {
  double value = 0;
  std::vector<double> forms;
  Eigen::VectorXd rows;  ///< empty for a criterion that needs none: one pass over the pairs is then enough
};

/// A criterion that is a function of sums over pairs; the diagonal of K is 1 and not among the sums.
struct SumCriterion {
  std::vector<Form> forms;
  FormWeights (*evaluate)(const FormSums& sums, const Classes& classes);
  bool needs_row_sums = false;
};

SumCriterion alignment();
SumCriterion separability();
SumCriterion centred();

}  // namespace dsk::detail

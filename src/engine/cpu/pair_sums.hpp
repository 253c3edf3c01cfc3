#pragma once

#include <dsk/engine.hpp>

#include "engine/cpu/packed.hpp"
#include "engine/sweep.hpp"

namespace dsk::engine {

/// All pairs of x with x or, unless it is null, with y. All ranks of a team get the whole matrix.
Matrix pairwise_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options);

/// The divergences tile by tile, as PairSweep::visit.
void visit_pairs(const SpdBatch& x, const SpdBatch* y, const PairSweep::Visitor& visitor, const PairOptions& options);

/// All pairs of one set, of matrices or of rows.
struct PairSource {
  Index size = 0;
  std::function<void(const PairSweep::Visitor&)> visit;  ///< as PairSweep::visit, in tiles of at most kLargestTile
  const Team* team = nullptr;
};

using StripVisitor = std::function<void(Index row, Index first_column, std::span<const double> divergence)>;

/// Offers every unordered pair of a set once (row < first_column + l), in runs of at most kLargestTile. Runs offered
/// at the same time share no row and no column, and those of a row or column come in the same order for any number of
/// threads.
void visit_strips(const PairSource& pairs, const StripVisitor& visit);

/// The forms of the pairs (row, first_column + l) with these kernel values, form m at result[m * kernel.size() + l].
void fill_forms(std::span<const PairForm> forms, std::span<const int> classes, Index row, Index first_column,
                std::span<const double> kernel, std::span<double> result);

/// Sums over j != i of each form while they grow.
class FormSums {
 public:
  FormSums(std::size_t forms, Index samples) : rows_(Matrix::Zero(static_cast<Index>(forms), samples)) {}
  /// Adds the forms of the pairs (row, first_column + l) to both partners.
  void add(Index row, Index first_column, std::span<const double> filled);
  const Matrix& rows() const { return rows_; }
  Matrix& rows() { return rows_; }

 private:
  Matrix rows_;
};

/// As PairSums says.
std::vector<Matrix> form_sums(const PairSource& pairs, std::span<const int> classes, std::span<const PairForm> forms,
                              std::span<const double> thetas);
std::vector<LogRowSums> log_row_sums(const PairSource& pairs, std::span<const int> classes,
                                     std::span<const double> thetas);

/// The part of the values of all ranks that a sum over all pairs is.
void add_up(Matrix& values, const Team* team);

/// Neighbouring pairs (row, first_column + l) offered to a weight function.
struct PairStrip {
  Index row = 0;
  Index first_column = 0;
  std::span<const double> divergence;  ///< S of these pairs
  std::span<const double> kernel;      ///< exp(-theta S) of these pairs
};

/// Writes form m's weight of the strip's pair l to weights[m * strip.kernel.size() + l]. Each unordered pair is offered
/// once (row < first_column + l). Called from several threads, but never at the same time for the same row or column,
/// and in the same order for each of them: sums kept per row and column need no locks.
using PairWeights = std::function<void(const PairStrip&, std::span<double> weights)>;

/// Weights c_ij that depend on the kernel values and the classes only: sums of forms, or in the logarithm.
PairWeights weigh_by_forms(std::span<const PairForm> forms, const FormWeights& weights, std::span<const int> classes);
PairWeights weigh_by_logs(const LogWeights& weights, std::span<const int> classes);

/// Sums over the pairs of each matrix of their weights and of weight times divergence, while they grow.
class WeightSums {
 public:
  explicit WeightSums(Index samples) : sums_(2, samples) {}
  void add(const PairStrip& strip, std::span<const double> weights);
  Eigen::VectorXd of_weights() const { return sums_.rows().row(0); }
  Eigen::VectorXd of_divergences() const { return sums_.rows().row(1); }

 private:
  FormSums sums_;
};

/// A_i = sum over j != i of c_ij M_ij^-1, with M_ij = (X_i + X_j)/2 and symmetric weights c, for each of several forms
/// c. One pass over the pairs: one Cholesky and one inverse each, O(forms n d^2) memory; the same bits for any number
/// of threads. Each rank of a team gets the sums over its share of the pairs: all of them add up to A_i.
struct InverseSums {
  Index forms = 1;
  double theta = 1;  ///< of the kernel values offered to the weight function
  PairOptions options = {};
};

/// Weights as a function of the divergence. The result has `forms` stacks, each of n symmetric matrices.
std::vector<MatrixStack> inverse_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how = {});

/// Weights as a symmetric n x n matrix, of which the part above the diagonal is read.
MatrixStack inverse_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options = {});

struct WeightedPair {
  Index row = 0;
  Index column = 0;
  double weight = 0;
};

/// Weights for a list of distinct unordered pairs; costs one inverse per entry, whatever n.
MatrixStack inverse_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options = {});

/// Rows less their mean, which distances and differences do not depend on, padded to whole groups. Throws
/// NumericalFailure where squares of them leave the range of double.
InterleavedRows<double> centred(const Matrix& rows);

}  // namespace dsk::engine

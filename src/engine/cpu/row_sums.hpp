#pragma once

#include <dsk/engine.hpp>

namespace dsk::engine {

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

/// As PairSweep says, for one batch.
std::vector<Matrix> form_sums(const SpdBatch& x, std::span<const int> classes, std::span<const PairForm> forms,
                              std::span<const double> thetas, const PairOptions& options);
std::vector<LogRowSums> log_row_sums(const SpdBatch& x, std::span<const int> classes, std::span<const double> thetas,
                                     const PairOptions& options);

/// The part of the values of all ranks that a sum over all pairs is.
void add_up(Matrix& values, const Team* team);

}  // namespace dsk::engine

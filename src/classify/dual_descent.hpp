#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"
#include "machine/aligned.hpp"

namespace dsk::detail {

/// Rows are padded with zeros to a multiple of this length.
inline constexpr Index row_padding = 16;

/// x'w in double precision, for a padded row in single precision that is aligned to a cache line.
double dot_row(const float* x, const double* w, Index padded);
/// w += factor x, for such a row.
void add_row(double factor, const float* x, double* w, Index padded);

/// Points in single precision, one per padded row: half the memory of doubles and a quarter of LIBLINEAR's nodes.
class SingleRows {
 public:
  SingleRows(Index count, Index dim)
      : dim_(dim), padded_((dim + row_padding - 1) / row_padding * row_padding), values_(count * padded_) {}

  Index dim() const { return dim_; }
  Index padded() const { return padded_; }
  const float* operator[](Index i) const { return values_.data() + i * padded_; }
  /// Copies the rows, starting at row `first`.
  void set(Index first, const Matrix& rows);

 private:
  Index dim_;
  Index padded_;
  AlignedArray<float> values_;
};

/// A linear SVM between two classes: minimises (|w|^2 + b^2)/2 + sum_i cost_i loss(1 - sign_i (w'x_i + b)), where
/// the loss of a slack s > 0 is s, or s^2/2 if `squared`.
struct DescentProblem {
  const SingleRows& rows;
  std::span<const Index> members;
  std::span<const int> signs;
  MarginBounds costs;
  std::span<const double> weights = {};  ///< factors of the costs, one for each row; none: all 1
  bool squared = false;
  std::uint64_t seed = 0;  ///< for the order in which points are visited
};

struct DescentOptions {
  double tolerance = 0.05;  ///< on the projected gradient, in units of the margin
  Index max_passes = 1000;  ///< LIBLINEAR's limit
};

struct DescentResult {
  Eigen::VectorXd weights;
  double offset = 0;
  Eigen::VectorXd eta;  ///< the dual solution, one for each member
  Index passes = 0;
  bool converged = false;
};

/// Dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi & Sundararajan 2008), the method of LIBLINEAR.
DescentResult descend(const DescentProblem& problem, const DescentOptions& options = {});

}  // namespace dsk::detail

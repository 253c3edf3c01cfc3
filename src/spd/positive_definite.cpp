#include <Eigen/Cholesky>

#include <cmath>
#include <limits>
#include <vector>

#include "machine/lapack.hpp"
#include "machine/large_pages.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// Work space for a row, without allocating memory for matrices of usual size.
class RowSpace {
 public:
  explicit RowSpace(Index size) : many_(size > few ? static_cast<std::size_t>(size) : 0) {}
  double* data() { return many_.empty() ? few_ : many_.data(); }

 private:
  static constexpr Index few = 256;
  double few_[few];
  std::vector<double> many_;
};

/// What brings the diagonal to 1. False unless the diagonal is positive.
bool find_scales(const double* x, Index dim, double* scales) {
  for (Index k = 0; k < dim; ++k) {
    const double entry = x[k * dim + k];
    if (!(entry > 0)) return false;
    scales[k] = 1 / std::sqrt(entry);
  }
  return true;
}

/// At least the trace of (L L')^-1, or infinity where the bound is of no use. |L^-1| is entry by entry at most the
/// inverse of the matrix with the diagonal of L and -|l_rc| below it, of which these are the row sums.
double bound_of_inverse_trace(const Matrix& lower, double useful) {
  const Index dim = lower.rows();
  RowSpace space(dim);
  double bound = 0;
  for (Index r = 0; r < dim; ++r) {
    const Eigen::Map<const Eigen::RowVectorXd> before(space.data(), r);
    const double sum = (1 + lower.row(r).head(r).cwiseAbs().cwiseProduct(before).sum()) / lower(r, r);
    bound += sum * sum;
    if (!(bound < useful)) return std::numeric_limits<double>::infinity();
    space.data()[r] = sum;
  }
  return bound;
}

/// Whether the trace of the inverse of L L' is small enough. `inverse` is work space.
bool is_well_conditioned(const Matrix& lower, Matrix& inverse) {
  const Index dim = lower.rows();
  const double limit = static_cast<double>(dim) * std::numeric_limits<double>::epsilon();
  // The bound is rigorous, but for the rounding of positive numbers.
  if (bound_of_inverse_trace(lower, 0.5 / limit) * limit < 0.5) return true;
  if (is_surely_well_conditioned(lower.data(), dim)) return true;
  if (!factored_by_lapack(dim)) {
    inverse.setIdentity(dim, dim);
    lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
    return inverse.squaredNorm() * limit < 1;
  }
  inverse = lower;
  lapack::invert_lower(inverse.data(), dim);
  double trace = 0;
  for (Index r = 0; r < dim; ++r) trace += inverse.row(r).head(r + 1).squaredNorm();
  return trace * limit < 1;
}

}  // namespace

bool factored_by_lapack(Index dim) {
  return lapack::takes(lapack::crossover().factor, dim);
}

bool factor_in_place(Matrix& x) {
  if (factored_by_lapack(x.rows())) return lapack::factor(x.data(), x.rows());
  return Eigen::LLT<Eigen::Ref<Matrix>>(x).info() == Eigen::Success;
}

bool is_positive_definite(const MatrixView& x, Matrix& scratch, Matrix& inverse) {
  const Index dim = x.rows();
  RowSpace scales(dim);
  if (!find_scales(x.data(), dim, scales.data())) return false;
  scratch.resize(dim, dim);
  scan_and_scale(x.data(), dim, scales.data(), scratch.data());
  return factor_in_place(scratch) && is_well_conditioned(scratch, inverse);
}

void cholesky_factor(const MatrixView& x, Matrix& lower) {
  const Index dim = x.rows();
  RowSpace scales(dim);
  find_scales(x.data(), dim, scales.data());
  lower.resize(dim, dim);
  scan_and_scale(x.data(), dim, scales.data(), lower.data());
  factor_in_place(lower);
  lower.triangularView<Eigen::StrictlyUpper>().setZero();
  for (Index r = 0; r < dim; ++r) lower.row(r) *= std::sqrt(x(r, r));
}

CheckedFactor::CheckedFactor(Index dim) : dim_(dim), scaled_(dim, dim), roots_(dim) {
  use_large_pages(scaled_.data(), static_cast<std::size_t>(scaled_.size()) * sizeof(double));
}

bool CheckedFactor::check(const double* x, double tolerance) {
  RowSpace scales(dim_);
  if (!find_scales(x, dim_, scales.data())) return false;
  const SymmetryScan scan = scan_and_scale(x, dim_, scales.data(), scaled_.data());
  if (!scan.finite || scan.asymmetry > tolerance * scan.largest) return false;
  is_exactly_symmetric_ = scan.asymmetry == 0;
  for (Index k = 0; k < dim_; ++k) roots_(k) = std::sqrt(x[k * dim_ + k]);
  return factor_in_place(scaled_) && is_well_conditioned(scaled_, inverse_);
}

void CheckedFactor::write_packed(double* row) const {
  for (Index r = 0; r < dim_; ++r) {
    Eigen::Map<Eigen::RowVectorXd>(row, r + 1) = scaled_.row(r).head(r + 1) * roots_(r);
    row += r + 1;
  }
}

void CheckedFactor::write_lower(Matrix& lower) const {
  lower.setZero(dim_, dim_);
  for (Index r = 0; r < dim_; ++r) lower.row(r).head(r + 1) = scaled_.row(r).head(r + 1) * roots_(r);
}

}  // namespace dsk::detail

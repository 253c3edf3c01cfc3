#include "machine/blocked_factor.hpp"

#include <algorithm>

#include "machine/parallel.hpp"

namespace dsk::detail {
namespace {

using lapack::Size;

/// Small enough that two threads both have work, large enough that products of blocks run at their full speed.
constexpr Size block = 128;
constexpr Size smallest_blocked = 4 * block;
/// Of a multiplication and an addition; a product of blocks is worth a thread.
constexpr double nanoseconds = 0.05;

/// L of A = L L' in place of the lower triangle, a column of blocks after the other.
class BlockedFactor {
 public:
  BlockedFactor(double* matrix, Size dim, int threads) : matrix_(matrix), dim_(dim), threads_(threads) {}

  bool run() {
    for (Size k = 0; k < dim_; k += block) {
      if (!lapack::factor_block(at(k, k), rows(k), dim_)) return false;
      const Size below = (dim_ - k - 1) / block;
      const double cost = nanoseconds * static_cast<double>(block * block * block);
      for_ranges(below, threads_, cost, [&](Size first, Size last) {
        for (Size b = first; b < last; ++b) {
          const Size i = k + (b + 1) * block;
          lapack::solve_block(at(k, k), rows(k), at(i, k), rows(i), dim_);
        }
      });
      for_ranges(below * (below + 1) / 2, threads_, cost, [&](Size first, Size last) {
        for (Size pair = first; pair < last; ++pair) subtract(k, pair);
      });
    }
    return true;
  }

 private:
  double* at(Size row, Size column) const { return matrix_ + row * dim_ + column; }
  Size rows(Size first) const { return std::min(block, dim_ - first); }

  /// L_ik L_jk' from A_ij, for the pair of this number among i >= j > k.
  void subtract(Size k, Size pair) const {
    Size row = 0;
    while ((row + 1) * (row + 2) / 2 <= pair) ++row;
    const Size column = pair - row * (row + 1) / 2;
    const Size i = k + (row + 1) * block, j = k + (column + 1) * block;
    lapack::subtract_product(at(i, k), rows(i), at(j, k), rows(j), rows(k), at(i, j), dim_);
  }

  double* matrix_;
  Size dim_;
  int threads_;
};

}  // namespace

bool is_factored_by_threads(Size dim) {
  return dim >= smallest_blocked;
}

bool factor_by_threads(double* matrix, Size dim, int threads) {
  if (!is_factored_by_threads(dim)) return lapack::factor(matrix, dim);
  return BlockedFactor(matrix, dim, threads).run();
}

}  // namespace dsk::detail

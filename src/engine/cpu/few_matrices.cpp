#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "machine/interrupt.hpp"

namespace dsk {
namespace {

/// Numbers of each row that are compared at a time, as `long_rows_tile` does: sums are then the same to the bit.
constexpr Index chunk = 1024;
/// So many matrices are one tile of pairs.
constexpr Index most_matrices = 16;
/// Rows of a matrix that are read at a time.
constexpr Index band = 16;
/// Exponents of numbers whose squares are far from the limits of double.
constexpr int harmless = 248;

/// Reads lower triangles, row by row, in pieces of `chunk` numbers that weigh as much in sums of squares as the matrix.
class TriangleReader {
 public:
  explicit TriangleReader(const RawMatrices& matrices)
      : matrices_(matrices), numbers_(matrices.count * chunk), scans_(static_cast<std::size_t>(matrices.count)) {}

  const double* numbers() const { return numbers_.data(); }

  /// Compares rows with their mirror image.
  void scan(Index first, Index last) {
    const Index dim = matrices_.dim;
    for (Index i = 0; i < matrices_.count; ++i)
      detail::scan_symmetry(matrix(i), dim, first, last, scans_[static_cast<std::size_t>(i)]);
  }
  /// Whether all that was scanned is finite and symmetric, and squares are in range.
  bool is_fit() const {
    return std::all_of(scans_.begin(), scans_.end(), [](const detail::SymmetryScan& scan) {
      return scan.finite && scan.asymmetry == 0 && (scan.largest == 0 || std::abs(std::ilogb(scan.largest)) < harmless);
    });
  }
  /// Puts entries first to last - 1 of row r at `position` of the piece.
  void take(Index r, Index first, Index last, Index position) {
    for (Index i = 0; i < matrices_.count; ++i) {
      const double* const from = matrix(i) + r * matrices_.dim;
      double* const to = numbers_.data() + i * chunk + position;
      for (Index c = first; c < last; ++c) to[c - first] = std::numbers::sqrt2 * from[c];
      if (last == r + 1) to[r - first] = from[r];
    }
  }

 private:
  const double* matrix(Index i) const { return matrices_.values + i * matrices_.dim * matrices_.dim; }

  RawMatrices matrices_;
  engine::AlignedArray<double> numbers_;
  std::vector<detail::SymmetryScan> scans_;
};

}  // namespace

std::optional<Matrix> squared_distances_of_few(const RawMatrices& x, const RawMatrices* y, const PairOptions& options) {
  if (options.device != Device::cpu || options.precision != Precision::float64) return {};
  const Index dim = x.dim, columns = y != nullptr ? y->count : x.count;
  if (std::max(x.count, columns) > most_matrices || dim * (dim + 1) / 2 < engine::smallest_long_row) return {};
  TriangleReader rows(x);
  std::optional<TriangleReader> others;
  if (y != nullptr) others.emplace(*y);
  const TriangleReader& second = others ? *others : rows;
  Matrix result = Matrix::Zero(x.count, columns);
  double sums[most_matrices * most_matrices];
  Index filled = 0;
  const auto add_piece = [&] {
    engine::long_rows_tile<double>({rows.numbers(), x.count, second.numbers(), columns, filled, chunk}, sums, columns);
    for (Index k = 0; k < result.size(); ++k) result.data()[k] += sums[k];
    filled = 0;
  };
  for (Index r = 0; r < dim; ++r) {
    if (r % band == 0) {
      detail::check_interrupt();
      rows.scan(r, std::min(r + band, dim));
      if (others) others->scan(r, std::min(r + band, dim));
      if (!rows.is_fit() || (others && !others->is_fit())) return {};
    }
    for (Index c = 0; c <= r;) {
      const Index taken = std::min(r + 1 - c, chunk - filled);
      rows.take(r, c, c + taken, filled);
      if (others) others->take(r, c, c + taken, filled);
      c += taken;
      filled += taken;
      if (filled == chunk) add_piece();
    }
  }
  if (filled > 0) add_piece();
  return result;
}

}  // namespace dsk

#include <dsk/matrices.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "engine/sweep.hpp"
#include "machine/interrupt.hpp"

namespace dsk {
namespace {

using engine::group_size;
using engine::smallest_long_row;

/// Rows in single precision, or a view of those in double precision.
const double* rows_as(const Matrix& rows, std::vector<double>&) {
  return rows.data();
}
const float* rows_as(const Matrix& rows, std::vector<float>& copy) {
  copy.assign(rows.data(), rows.data() + rows.size());
  return copy.data();
}

template <class T>
Matrix long_distances(const Matrix& x, const Matrix* y, const PairOptions& options) {
  const Index width = x.cols(), columns = y != nullptr ? y->rows() : x.rows();
  Matrix result(x.rows(), columns);
  std::vector<T> x_copy, y_copy;
  const T* const rows = rows_as(x, x_copy);
  const T* const others = y != nullptr ? rows_as(*y, y_copy) : rows;
  // Few enough rows for the second-level cache.
  constexpr Index tile = 16;
  const Index row_tiles = (x.rows() + tile - 1) / tile, column_tiles = (columns + tile - 1) / tile;
  const double operations = static_cast<double>(result.size()) * static_cast<double>(2 * width);
  const int threads = engine::thread_count(options.threads, y != nullptr ? operations : operations / 2);
  engine::ThreadErrors errors;
#pragma omp parallel for schedule(dynamic) collapse(2) num_threads(threads)
  for (Index i = 0; i < row_tiles; ++i)
    for (Index j = 0; j < column_tiles; ++j) {
      if (y == nullptr && j < i) continue;
      errors.guard([&] {
        T values[static_cast<std::size_t>(tile * tile)];
        std::vector<double> wide;
        const Index row = i * tile, column = j * tile, height = std::min(tile, x.rows() - row),
                    breadth = std::min(tile, columns - column);
        engine::long_rows_tile<T>({rows + row * width, height, others + column * width, breadth, width, width}, values,
                                  tile);
        engine::place_tile(engine::as_doubles(values, tile, height, wide), tile, height, breadth, result.data(),
                           columns, row, column, y == nullptr && i != j);
      });
    }
  errors.rethrow();
  return result;
}

template <class T>
engine::InterleavedRows<T> interleave(const Matrix& rows) {
  engine::AlignedArray<T> copy(rows.size());
  std::transform(rows.data(), rows.data() + rows.size(), copy.data(),
                 [](double value) { return static_cast<T>(value); });
  return {std::move(copy), rows.rows(), rows.cols()};
}

template <class T>
Matrix distances(const Matrix& x, const Matrix* y, const PairOptions& options) {
  if (x.cols() >= smallest_long_row) return long_distances<T>(x, y, options);
  Matrix result(x.rows(), y != nullptr ? y->rows() : x.rows());
  if (result.size() == 0) return result;
  const engine::InterleavedRows<T> rows = interleave<T>(x);
  std::optional<engine::InterleavedRows<T>> other;
  if (y != nullptr) other.emplace(interleave<T>(*y));
  const engine::InterleavedRows<T>& columns = other ? *other : rows;
  const auto operations_per_pair = static_cast<double>(2 * x.cols() + 8);
  // Below 32 columns the register tiles would not be full.
  const Index tile =
      std::max<Index>(32, engine::tile_size<T>(std::max(rows.size(), columns.size()), operations_per_pair));
  const Index row_tiles = (rows.size() + tile - 1) / tile;
  const Index column_tiles = (columns.size() + tile - 1) / tile;
  const double operations = static_cast<double>(result.size()) * operations_per_pair;
  const int threads = engine::thread_count(options.threads, other ? operations : operations / 2);
  engine::ThreadErrors errors;
#pragma omp parallel num_threads(threads)
  {
    engine::AlignedArray<T> values;
    std::vector<double> wide;
    errors.guard([&] { values = engine::AlignedArray<T>(tile * tile); });
#pragma omp for schedule(dynamic) collapse(2)
    for (Index i = 0; i < row_tiles; ++i)
      for (Index j = 0; j < column_tiles; ++j) {
        if (!other && j < i) continue;
        errors.guard([&] {
          const Index row = i * tile, column = j * tile;
          const Index height = std::min(tile, rows.size() - row), width = std::min(tile, columns.size() - column);
          engine::squared_distance_tile<T>(
              {&rows, &columns, row, height, column / group_size<T>, (width + group_size<T> - 1) / group_size<T>},
              values.data(), tile);
          engine::place_tile(engine::as_doubles(values.data(), tile, height, wide), tile, height, width, result.data(),
                             result.cols(), row, column, !other && i != j);
        });
      }
  }
  errors.rethrow();
  return result;
}

Matrix distances(const Matrix& x, const Matrix* y, const PairOptions& options, Precision precision) {
  if (options.device != Device::cpu) return engine::squared_distances_on_device(x, y, options);
  return precision == Precision::float64 ? distances<double>(x, y, options) : distances<float>(x, y, options);
}

class OneRow : public engine::InterleavedRows<double> {
 public:
  explicit OneRow(Index width) : InterleavedRows(engine::AlignedArray<double>(width), 1, width) {}
  void set(const double* values) { std::copy_n(values, width(), changeable_row(0)); }
};

class RowQuery : public DistanceQuery {
 public:
  explicit RowQuery(const Matrix& known)
      : known_(interleave<double>(known)), one_(known.cols()), values_(known_.groups() * group_size<double>) {}

  bool operator()(const double* point, double* squared) override {
    one_.set(point);
    engine::squared_distance_tile<double>({&one_, &known_, 0, 1, 0, known_.groups()}, values_.data(), values_.size());
    std::copy_n(values_.data(), known_.size(), squared);
    return true;
  }

 private:
  engine::InterleavedRows<double> known_;
  OneRow one_;
  engine::AlignedArray<double> values_;
};

class LongRowQuery : public DistanceQuery {
 public:
  explicit LongRowQuery(Matrix known) : known_(std::move(known)) {}

  bool operator()(const double* point, double* squared) override {
    engine::long_rows_tile<double>({point, 1, known_.data(), known_.rows(), known_.cols(), known_.cols()}, squared,
                                   known_.rows());
    return true;
  }

 private:
  Matrix known_;
};

}  // namespace

std::unique_ptr<DistanceQuery> row_query(const Matrix& known) {
  if (known.cols() >= smallest_long_row) return std::make_unique<LongRowQuery>(known);
  return std::make_unique<RowQuery>(known);
}

Matrix pairwise_squared_distances(const Matrix& x, const PairOptions& options) {
  return distances(x, nullptr, options, options.precision);
}

Matrix pairwise_squared_distances(const Matrix& x, const Matrix& y, const PairOptions& options) {
  if (x.cols() != y.cols())
    throw InvalidInput(fmt::format("rows of {} numbers cannot be compared with rows of {}", x.cols(), y.cols()));
  return distances(x, &y, options, options.precision);
}
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
  explicit TriangleReader(const StackView& matrices)
      : matrices_(matrices), numbers_(matrices.count * chunk), scans_(static_cast<std::size_t>(matrices.count)) {}

  const double* numbers() const { return numbers_.data(); }

  /// Compares rows with their mirror image.
  void scan(Index first, Index last) {
    const Index dim = matrices_.rows;
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
      const double* const from = matrix(i) + r * matrices_.rows;
      double* const to = numbers_.data() + i * chunk + position;
      for (Index c = first; c < last; ++c) to[c - first] = std::numbers::sqrt2 * from[c];
      if (last == r + 1) to[r - first] = from[r];
    }
  }

 private:
  const double* matrix(Index i) const { return matrices_.values.data() + i * matrices_.rows * matrices_.rows; }

  StackView matrices_;
  engine::AlignedArray<double> numbers_;
  std::vector<detail::SymmetryScan> scans_;
};

}  // namespace

std::optional<Matrix> squared_distances_of_few(const StackView& x, const StackView* y, const PairOptions& options) {
  if (options.device != Device::cpu || options.precision != Precision::float64) return {};
  const Index dim = x.rows, columns = y != nullptr ? y->count : x.count;
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

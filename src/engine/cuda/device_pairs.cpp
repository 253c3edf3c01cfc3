#include "engine/cuda/device_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cpu/packed.hpp"
#include "engine/cpu/stein_tile.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/team/share.hpp"
#include "machine/parallel.hpp"

namespace dsk::engine {
namespace {

cuda::HostMatrices host(const SpdBatch& batch) {
  return {batch.values().data(), static_cast<long>(batch.size())};
}

/// Two batches, or one with itself, on the device.
std::unique_ptr<cuda::Sweep> upload(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity,
                                    const PairOptions& options) {
  const CoordinateScale scale(x, y);
  std::vector<double> factors;
  for (Index k = 0; k < x.dim(); ++k) factors.push_back(scale.factor(k));
  cuda::SweepInput input;
  input.dim = static_cast<int>(x.dim());
  input.x = host(x);
  if (y != nullptr) input.y = host(*y);
  input.factors = factors;
  input.divergence = quantity == PairQuantity::divergence;
  input.logdet_offset = scale.logdet_offset();
  input.single_precision = options.precision == Precision::float32;
  return cuda::make_sweep(input);
}

/// Rows of a strip that the host keeps: some hundred megabytes, whole tiles.
Index strip_rows(const cuda::Sweep& sweep, Index rows, Index columns) {
  constexpr Index numbers = Index{1} << 25;
  const Index affordable = std::min<Index>(numbers / columns, sweep.rows_at_once());
  return affordable >= rows ? rows : std::max<Index>(affordable / kLargestTile * kLargestTile, kLargestTile);
}

/// Has the system find the memory of a large matrix, on all threads: one alone takes longer for that than a device for
/// its entries.
void ask_for_memory(Matrix& matrix, int threads) {
  constexpr Index step = 512;  // doubles of a page
  detail::for_ranges(matrix.size() / step, threads, 500, [&](Index first, Index last) {
    for (Index page = first; page < last; ++page) matrix.data()[page * step] = 0;
  });
}

/// Sums of inverses of some rows, zero for others, for weights that fill(first row, rows, out) supplies for rows of the
/// whole matrix.
template <class Fill>
MatrixStack sums_of_strips(const SpdBatch& x, RowRange range, const PairOptions& options, const Fill& fill) {
  const auto sweep = upload(x, nullptr, PairQuantity::divergence, options);
  const Index n = x.size(), square = x.dim() * x.dim(), each = strip_rows(*sweep, n, n);
  MatrixStack result{n, x.dim(), std::vector<double>(static_cast<std::size_t>(n * square))};
  Matrix weights(each, n);
  for_strips(range, each, options, [&](Index first, Index rows) {
    fill(first, rows, weights);
    sweep->place_weights(first, rows, weights.data());
    const auto failure = sweep->sum_inverses();
    if (!failure) sweep->fetch_sums(result.values.data() + first * square);
    return failure;
  });
  return result;
}

/// The same for the weights of pairs above the diagonal.
MatrixStack dense_sums(const SpdBatch& x, RowRange range, const Matrix& weights, const PairOptions& options) {
  return sums_of_strips(x, range, options, [&](Index first, Index rows, Matrix& out) {
    for (Index r = 0; r < rows; ++r)
      for (Index j = 0; j < x.size(); ++j) {
        const Index i = first + r;
        out(r, j) = j < i ? weights(j, i) : weights(i, j);
      }
  });
}

}  // namespace

RowRange device_rows(Index rows, const PairOptions& options) {
  return options.team == nullptr ? RowRange{0, rows} : share_of_rows(rows, options.team->rank(), options.team->size());
}

void check(const std::optional<cuda::Failure>& failure, const PairOptions& options) {
  constexpr Index alone = -1;
  PairPosition mine;
  if (failure) mine = {failure->row, failure->single ? alone : failure->column};
  const PairPosition first = first_of_all(mine, options.team);
  if (!first.found()) return;
  if (first.column != alone) throw PairFailure(first.row, first.column);
  refuse_matrix(first.row, options.precision == Precision::float32 ? "single" : "double");
}

Matrix device_matrix(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const PairOptions& options) {
  const auto sweep = upload(x, y, quantity, options);
  Matrix result(x.size(), y != nullptr ? y->size() : x.size());
  ask_for_memory(result, options.threads);
  if (options.team != nullptr) result.setZero();
  for_strips(device_rows(result.rows(), options), sweep->rows_at_once(), options, [&](Index first, Index rows) {
    const auto failure = sweep->compute(first, rows);
    if (!failure) sweep->fetch(result.data() + first * result.cols());
    return failure;
  });
  if (options.team != nullptr) options.team->sum({result.data(), static_cast<std::size_t>(result.size())});
  return result;
}

void device_visit(const SpdBatch& x, const SpdBatch* y, PairQuantity quantity, const TileVisitor& visit,
                  const PairOptions& options) {
  const auto sweep = upload(x, y, quantity, options);
  const Index columns = y != nullptr ? y->size() : x.size(), each = strip_rows(*sweep, x.size(), columns);
  Matrix strip(each, columns);
  // Whole tiles: those on the diagonal must be square.
  const RowRange tiles = device_rows((x.size() + kLargestTile - 1) / kLargestTile, options);
  const RowRange range{tiles.first * kLargestTile, std::min(tiles.last * kLargestTile, x.size())};
  for_strips(range, each, options, [&](Index first, Index rows) {
    const auto failure = sweep->compute(first, rows);
    if (failure) return failure;
    sweep->fetch(strip.data());
    for (Index row = 0; row < rows; row += kLargestTile)
      for (Index column = y != nullptr ? 0 : first + row; column < columns; column += kLargestTile) {
        detail::check_interrupt();
        visit({first + row,
               column,
               {&strip(row, column), std::min(kLargestTile, rows - row), std::min(kLargestTile, columns - column),
                Eigen::OuterStride<>(columns)}});
      }
    return failure;
  });
}

std::vector<MatrixStack> device_inverse_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how) {
  const Index n = x.size();
  std::vector<Matrix> forms(static_cast<std::size_t>(how.forms), Matrix::Zero(n, n));
  std::vector<double> kernel, offered;
  device_visit(
      x, nullptr, PairQuantity::divergence,
      [&](const PairTile& tile) {
        for (Index r = 0; r < tile.values.rows(); ++r) {
          const Index skipped = tile.row == tile.column ? r + 1 : 0, width = tile.values.cols() - skipped;
          if (width <= 0) continue;
          const std::span<const double> divergence(tile.values.row(r).data() + skipped,
                                                   static_cast<std::size_t>(width));
          kernel.resize(divergence.size());
          std::transform(divergence.begin(), divergence.end(), kernel.begin(),
                         [&](double value) { return std::exp(-how.theta * value); });
          offered.resize(forms.size() * divergence.size());
          weights({tile.row + r, tile.column + skipped, divergence, kernel}, offered);
          for (std::size_t m = 0; m < forms.size(); ++m)
            for (Index l = 0; l < width; ++l)
              forms[m](tile.row + r, tile.column + skipped + l) =
                  offered[m * divergence.size() + static_cast<std::size_t>(l)];
        }
      },
      how.options);
  std::vector<MatrixStack> result;
  result.reserve(forms.size());
  // Of a team, of this rank's pairs, whose weights are the only ones here.
  for (const Matrix& form : forms) result.push_back(dense_sums(x, {0, n}, form, how.options));
  return result;
}

MatrixStack device_inverse_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options) {
  return dense_sums(x, device_rows(x.size(), options), weights, options);
}

MatrixStack device_inverse_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options) {
  return sums_of_strips(x, device_rows(x.size(), options), options, [&](Index first, Index rows, Matrix& out) {
    out.setZero();
    for (const WeightedPair& pair : pairs) {
      if (pair.row >= first && pair.row < first + rows) out(pair.row - first, pair.column) = pair.weight;
      if (pair.column >= first && pair.column < first + rows) out(pair.column - first, pair.row) = pair.weight;
    }
  });
}

}  // namespace dsk::engine

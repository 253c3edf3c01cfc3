#include <dsk/metric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "machine/large_pages.hpp"
#include "machine/lender.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Memory for one matrix after the other.
struct FactorMemory {
  explicit FactorMemory(Index dim) : factor(dim), map(dim) {}
  detail::CheckedFactor factor;
  detail::MapMemory map;
};

/// Rows from the factors of the check. Nothing if a matrix does not pass it or leaves the range of double: a batch then
/// finds the words for it.
std::optional<Matrix> rows_of_factors(const StackView& x, detail::CoordinatesOfFactor of_factor, int threads) {
  const Index dim = x.rows;
  Matrix rows(x.count, dim * (dim + 1) / 2);
  detail::use_large_pages(rows.data(), static_cast<std::size_t>(rows.size()) * sizeof(double));
  std::vector<char> is_valid(static_cast<std::size_t>(x.count), 0);
  const double cost = detail::cubic_cost(dim, detail::factored_by_lapack(dim) ? 0.05 : 1);
  detail::Lender<FactorMemory> memories;
  detail::for_ranges(x.count, threads, cost, [&](Index first, Index last) {
    detail::Lender<FactorMemory>::Loan memory(memories, dim);
    for (Index i = first; i < last; ++i) {
      if (!memory->factor.check(x.values.data() + i * dim * dim, symmetry_tolerance)) return;
      of_factor(memory->factor, dim, memory->map, rows.row(i));
      is_valid[static_cast<std::size_t>(i)] = static_cast<char>(rows.row(i).allFinite());
    }
  });
  if (std::find(is_valid.begin(), is_valid.end(), 0) != is_valid.end()) return {};
  return rows;
}

/// Logarithms as rows, without a copy of the matrices and of their logarithms. Nothing if a matrix is not certainly
/// valid and exactly symmetric, or not of a size for vector lanes.
std::optional<Matrix> rows_of_logarithms(const StackView& x, int threads) {
  constexpr Index group = detail::eigen_group;
  const Index dim = x.rows, entries = dim * dim;
  if (dim < detail::smallest_function_in_lanes || dim > detail::largest_checked_in_lanes) return {};
  Matrix rows(x.count, dim * (dim + 1) / 2);
  std::atomic<bool> all_valid = true;
  const double cost = static_cast<double>(group) * detail::cubic_cost(dim, 0.3);
  detail::for_ranges((x.count + group - 1) / group, threads, cost, [&](Index first, Index last) {
    detail::AlignedArray<double> scratch(detail::check_scratch(dim));
    detail::GroupFunction logarithm(detail::SpectralFunction::logarithm, dim);
    MatrixStack logs{group, dim, std::vector<double>(static_cast<std::size_t>(group * entries))};
    double conditions[group];
    for (Index i = first * group; i < std::min(last * group, x.count) && all_valid; i += group) {
      const Index count = std::min(group, x.count - i);
      const double* const matrices = x.values.data() + i * entries;
      const auto [valid, exact] = detail::check_group(matrices, count, dim, symmetry_tolerance, scratch.data());
      if ((valid & exact) + 1 != 1U << count) {
        all_valid = false;
        return;
      }
      logarithm(matrices, count, logs.values.data(), conditions);
      for (Index k = 0; k < count; ++k) detail::flatten(logs[k], rows.row(i + k));
    }
  });
  if (!all_valid || !rows.allFinite()) return {};
  return rows;
}

/// The same of inverses.
std::optional<Matrix> rows_of_inverses(const StackView& x, int threads) {
  Matrix rows(x.count, x.rows * (x.rows + 1) / 2);
  if (!detail::harmonic_rows(x.values.data(), x.rows, detail::Checked::no, threads, rows) || !rows.allFinite())
    return {};
  return rows;
}

/// The same of the entries themselves: nothing if a matrix is not exactly symmetric.
std::optional<Matrix> rows_of_entries(const StackView& x, int threads) {
  const Index dim = x.rows;
  Matrix rows(x.count, dim * (dim + 1) / 2);
  std::atomic<bool> all_symmetric = true;
  detail::for_ranges(x.count, threads, static_cast<double>(dim * dim), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const double* const matrix = x.values.data() + i * dim * dim;
      bool symmetric = true;
      for (Index r = 0; r < dim; ++r)
        for (Index c = 0; c < r; ++c) symmetric &= matrix[r * dim + c] == matrix[c * dim + r];
      if (!symmetric) all_symmetric = false;
      double* row = &rows(i, 0);
      for (Index r = 0; r < dim; row += ++r) {
        for (Index c = 0; c < r; ++c) row[c] = std::numbers::sqrt2 * matrix[r * dim + c];
        row[r] = matrix[r * dim + r];
      }
    }
  });
  if (!all_symmetric || !rows.allFinite()) return {};
  return rows;
}

bool has_shape(const StackView& x) {
  return x.count > 0 && x.rows > 0 && x.rows == x.columns &&
         static_cast<Index>(x.values.size()) / x.rows / x.rows == x.count &&
         static_cast<Index>(x.values.size()) == x.count * x.rows * x.rows;
}

/// `rows_of(matrices)` gives their coordinates.
template <class RowsOf>
std::optional<Matrix> from_rows(const StackView& x, const StackView* y, const DistanceOptions& options,
                                const RowsOf& rows_of) {
  const int threads = options.pairs.threads;
  const std::optional<Matrix> rows = rows_of(x);
  if (!rows) return {};
  std::optional<Matrix> others;
  if (y != nullptr && !(others = rows_of(*y))) return {};
  return detail::finished(detail::flat_distances(*rows, others ? &*others : nullptr, options.pairs), options.squared,
                          threads);
}

/// Of many or small matrices, or of a few large ones.
std::optional<Matrix> from_entries(const StackView& x, const StackView* y, const DistanceOptions& options) {
  constexpr Index largest_scanned = 44;
  if (x.rows <= largest_scanned)
    return from_rows(x, y, options,
                     [&](const StackView& some) { return rows_of_entries(some, options.pairs.threads); });
  std::optional<Matrix> squared = squared_distances_of_few(x, y, options.pairs);
  if (!squared) return {};
  return detail::finished({std::move(*squared)}, options.squared, options.pairs.threads);
}

/// Nothing where batches must be made.
std::optional<Matrix> without_batch(const StackView& x, const StackView* y, const DistanceOptions& options) {
  if (!has_shape(x) || (y != nullptr && (!has_shape(*y) || y->rows != x.rows))) return {};
  if (options.pairs.team != nullptr) return {};
  const int threads = options.pairs.threads;
  if (options.metric == Metric::harmonic && x.rows <= detail::largest_checked_in_lanes)
    return from_rows(x, y, options, [&](const StackView& some) { return rows_of_inverses(some, threads); });
  if (const detail::CoordinatesOfFactor of_factor = detail::coordinates_of_factor(options.metric); of_factor != nullptr)
    return from_rows(x, y, options, [&](const StackView& some) { return rows_of_factors(some, of_factor, threads); });
  if (options.metric == Metric::logeuclidean)
    return from_rows(x, y, options, [&](const StackView& some) { return rows_of_logarithms(some, threads); });
  if (options.metric == Metric::euclidean) return from_entries(x, y, options);
  return detail::pair_distances_of_arrays(x, y, options);
}

SpdBatch batch_of(const StackView& x, const DistanceOptions& options) {
  if (x.rows != x.columns) throw InvalidInput(fmt::format("matrices of {} x {} are not square", x.rows, x.columns));
  return {x.values, x.count, x.rows, options.pairs.threads, required_check(options.metric)};
}

}  // namespace

Matrix pairwise_distances(const StackView& x, const DistanceOptions& options) {
  if (std::optional<Matrix> distances = without_batch(x, nullptr, options)) return std::move(*distances);
  return pairwise_distances(batch_of(x, options), options);
}

Matrix pairwise_distances(const StackView& x, const StackView& y, const DistanceOptions& options) {
  if (std::optional<Matrix> distances = without_batch(x, &y, options)) return std::move(*distances);
  const SpdBatch rows = batch_of(x, options);
  return pairwise_distances(rows, batch_of(y, options), options);
}

}  // namespace dsk

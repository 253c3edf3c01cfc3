#include <dsk/metric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Memory for one matrix after the other. For large matrices, new memory takes a good part of the time of a factor.
struct FactorMemory {
  explicit FactorMemory(Index dim) : factor(dim), map(dim) {}
  detail::CheckedFactor factor;
  detail::MapMemory map;
};

/// Lends out what was given back before.
class FactorMemories {
 public:
  std::unique_ptr<FactorMemory> take(Index dim) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<FactorMemory>(dim);
    std::unique_ptr<FactorMemory> memory = std::move(idle_.back());
    idle_.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<FactorMemory> memory) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<FactorMemory>> idle_;
};

/// Rows from the factors of the check. Nothing if a matrix does not pass it or leaves the range of double: a batch then
/// finds the words for it.
std::optional<Matrix> rows_of_factors(const StackView& x, detail::CoordinatesOfFactor of_factor, int threads) {
  const Index dim = x.rows;
  Matrix rows(x.count, dim * (dim + 1) / 2);
  std::vector<char> is_valid(static_cast<std::size_t>(x.count), 0);
  const double cost = detail::cubic_cost(dim, detail::factored_by_lapack(dim) ? 0.05 : 1);
  FactorMemories memories;
  detail::for_ranges(x.count, threads, cost, [&](Index first, Index last) {
    std::unique_ptr<FactorMemory> memory = memories.take(dim);
    for (Index i = first; i < last; ++i) {
      if (!memory->factor.check(x.values.data() + i * dim * dim, symmetry_tolerance)) return;
      of_factor(memory->factor, dim, memory->map, rows.row(i));
      is_valid[static_cast<std::size_t>(i)] = static_cast<char>(rows.row(i).allFinite());
    }
    memories.give_back(std::move(memory));
  });
  if (std::find(is_valid.begin(), is_valid.end(), 0) != is_valid.end()) return {};
  return rows;
}

bool has_shape(const StackView& x) {
  return x.count > 0 && x.rows > 0 && x.rows == x.columns &&
         static_cast<Index>(x.values.size()) / x.rows / x.rows == x.count &&
         static_cast<Index>(x.values.size()) == x.count * x.rows * x.rows;
}

std::optional<Matrix> from_factors(const StackView& x, const StackView* y, const DistanceOptions& options) {
  const detail::CoordinatesOfFactor of_factor = detail::coordinates_of_factor(options.metric);
  const int threads = options.pairs.threads;
  const std::optional<Matrix> rows = rows_of_factors(x, of_factor, threads);
  if (!rows) return {};
  std::optional<Matrix> others;
  if (y != nullptr && !(others = rows_of_factors(*y, of_factor, threads))) return {};
  return detail::finished(detail::flat_distances(*rows, others ? &*others : nullptr, options.pairs), options.squared,
                          threads);
}

std::optional<Matrix> from_matrices(const StackView& x, const StackView* y, const DistanceOptions& options) {
  std::optional<Matrix> squared = squared_distances_of_few(x, y, options.pairs);
  if (!squared) return {};
  return detail::finished({std::move(*squared)}, options.squared, options.pairs.threads);
}

/// Nothing where batches must be made.
std::optional<Matrix> without_batch(const StackView& x, const StackView* y, const DistanceOptions& options) {
  if (!has_shape(x) || (y != nullptr && (!has_shape(*y) || y->rows != x.rows))) return {};
  if (options.pairs.team != nullptr) return {};
  if (detail::coordinates_of_factor(options.metric) != nullptr) return from_factors(x, y, options);
  return options.metric == Metric::euclidean ? from_matrices(x, y, options) : std::nullopt;
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

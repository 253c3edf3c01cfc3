// Tables of all pairs as commands write them: with their range, and with how accurate they are.

#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/engine.hpp"

namespace dsk {
namespace {

/// Calls compute(x, y or null) for rows of the adjusted matrices, on the ranks of the team.
Matrix collected(const TablePairs& pairs, const SpdBatch* y, const PairOptions& options, const PairFunction& compute) {
  const auto adjusted = [&](const SpdBatch& batch) {
    return pairs.learned != nullptr ? pairs.learned->adjust(batch, options.threads) : batch;
  };
  if (y == nullptr) return gather_pairs(adjusted(pairs.x), nullptr, compute, options.team);
  const SpdBatch columns = adjusted(*y);
  return gather_pairs(adjusted(pairs.x), &columns, compute, options.team);
}

/// The options of one process for its rows of the adjusted matrices.
template <class Options>
Options for_rows(const TablePairs& pairs, Options options) {
  options.pairs.team = nullptr;
  if (pairs.learned != nullptr) {
    options.metric = pairs.learned->metric();
    options.zeta = pairs.learned->zeta();
  }
  return options;
}

std::optional<PairTable::Range> range_of(const Matrix& values, bool symmetric) {
  std::vector<double> sorted;
  for (Index row = 0; row < values.rows(); ++row)
    for (Index column = symmetric ? row + 1 : 0; column < values.cols(); ++column)
      sorted.push_back(values(row, column));
  if (sorted.empty()) return {};
  const auto [smallest, largest] = std::minmax_element(sorted.begin(), sorted.end());
  PairTable::Range range{.smallest = *smallest, .largest = *largest};
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  range.median = *middle;
  return range;
}

/// Of the batch that Stein divergences are least accurate of.
SteinAccuracy accuracy_of(const TablePairs& pairs, const PairOptions& options) {
  const auto of_batch = [&](const SpdBatch& batch) {
    return stein_accuracy(pairs.learned != nullptr ? pairs.learned->adjust(batch, options.threads) : batch,
                          options.precision, options.threads);
  };
  SteinAccuracy accuracy = of_batch(pairs.x);
  if (pairs.y != nullptr) {
    const SteinAccuracy other = of_batch(*pairs.y);
    if (other.condition > accuracy.condition) accuracy = other;
  }
  return accuracy;
}

PairTable table_of(Matrix values, const TablePairs& pairs, Metric metric, const PairOptions& options) {
  PairTable table{.values = std::move(values)};
  table.range = range_of(table.values, pairs.y == nullptr);
  if (metric != Metric::stein) return table;
  table.accuracy = accuracy_of(pairs, options);
  if (options.precision == Precision::float32 && table.accuracy->condition > float32_condition_limit)
    table.warnings.push_back(
        fmt::format("single precision is for condition numbers below {:g}, but there is a matrix with {:.2g}: S may "
                    "be off by {:.2g}; use double precision",
                    float32_condition_limit, table.accuracy->condition, table.accuracy->error));
  return table;
}

/// Where the smallest S of different matrices is within the error, or nearly.
void warn_of_near_duplicates(PairTable& table, bool symmetric, bool squared) {
  constexpr double two_digits = 100;
  if (!table.accuracy) return;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < table.values.rows(); ++i)
    for (Index j = symmetric ? i + 1 : 0; j < table.values.cols(); ++j) {
      const double divergence = squared ? table.values(i, j) : table.values(i, j) * table.values(i, j);
      if (divergence > 0) smallest = std::min(smallest, divergence);
    }
  const SteinAccuracy& accuracy = *table.accuracy;
  if (smallest > two_digits * accuracy.error || !std::isfinite(smallest)) return;
  table.warnings.push_back(
      fmt::format("S may be off by {:.2g}, because condition numbers go up to {:.2g}; the smallest S above 0 "
                  "is {:.2g}: {}",
                  accuracy.error, accuracy.condition, smallest,
                  smallest > accuracy.error ? "fewer than two digits of it are certain" : "no digit of it is certain"));
}

}  // namespace

PairTable distance_table(const TablePairs& pairs, const DistanceOptions& options) {
  const DistanceOptions alone = for_rows(pairs, options);
  // Of a symmetric matrix the ranks compute one half.
  const bool halves = pairs.y == nullptr && (pairs.learned != nullptr || is_symmetric(options.metric));
  const SpdBatch* const y = pairs.y == nullptr && !halves ? &pairs.x : pairs.y;
  Matrix values = collected(pairs, y, options.pairs, [&](const SpdBatch& rows, const SpdBatch* columns) {
    return columns == nullptr ? pairwise_distances(rows, alone) : pairwise_distances(rows, *columns, alone);
  });
  if (pairs.embedded) values /= embedding_factor(alone.metric, options.squared);
  PairTable table = table_of(std::move(values), pairs, alone.metric, options.pairs);
  warn_of_near_duplicates(table, pairs.y == nullptr, options.squared);
  return table;
}

PairTable kernel_table(const TablePairs& pairs, const KernelOptions& options) {
  KernelOptions alone = for_rows(pairs, options);
  if (pairs.learned != nullptr) {
    alone.theta = pairs.learned->theta();
    alone.allow_indefinite = true;
  }
  if (pairs.embedded) alone.theta /= embedding_factor(alone.metric, true);
  return table_of(collected(pairs, pairs.y, options.pairs,
                            [&](const SpdBatch& rows, const SpdBatch* columns) {
                              return columns == nullptr ? kernel_matrix(rows, alone)
                                                        : kernel_matrix(rows, *columns, alone);
                            }),
                  pairs, alone.metric, options.pairs);
}

}  // namespace dsk

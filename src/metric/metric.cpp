#include "metric/metric.hpp"

#include <dsk/metric.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "machine/parallel.hpp"

namespace dsk {
namespace {

struct KnownMetric {
  Metric metric;
  std::string_view name;
  std::string_view alias;
  detail::Coordinates coordinates;   ///< of the metrics that are Euclidean after one map per matrix,
  detail::SquaredDistance of_pairs;  ///< or this
};

constexpr KnownMetric known_metrics[] = {
    {Metric::airm, "airm", "riemann", nullptr, detail::airm},
    {Metric::cholesky, "cholesky", "chol", detail::cholesky, nullptr},
    {Metric::euclidean, "euclidean", "euclid", detail::euclidean, nullptr},
    {Metric::logeuclidean, "logeuclidean", "logeuclid", detail::log_euclidean, nullptr},
    {Metric::powereuclidean, "powereuclidean", "poweuclid", detail::power_euclidean, nullptr},
    {Metric::stein, "stein", "logdet", nullptr, detail::stein},
};

const KnownMetric& look_up(Metric metric) {
  for (const KnownMetric& known : known_metrics)
    if (known.metric == metric) return known;
  throw InvalidInput(fmt::format("metric number {} is unknown", static_cast<int>(metric)));
}

detail::SquaredDistances squared_distances(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  if (const auto of_pairs = look_up(options.metric).of_pairs) return {of_pairs(x, y, options.pairs)};
  const Matrix rows = *detail::flat_coordinates(x, options);
  if (!y) return detail::flat_distances(rows, nullptr, options.pairs);
  const Matrix others = *detail::flat_coordinates(*y, options);
  return detail::flat_distances(rows, &others, options.pairs);
}

}  // namespace

namespace detail {

std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options) {
  const auto coordinates = look_up(options.metric).coordinates;
  if (coordinates == nullptr) return {};
  Matrix rows = coordinates(batch, options);
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite())
      throw InvalidInput(fmt::format("matrix {} leaves the range of double under the map of this metric", i));
  return rows;
}

Matrix finished(SquaredDistances distances, bool squared, int threads) {
  auto& [values, exponent] = distances;
  if (squared && exponent == 0) return std::move(values);
  const auto columns = static_cast<std::size_t>(values.cols());
  for_ranges(values.rows(), threads, static_cast<double>(columns), [&](Index first, Index last) {
    for (double& value : std::span(&values(first, 0), static_cast<std::size_t>(last - first) * columns)) {
      if (!squared) value = std::sqrt(value);
      if (exponent != 0) value = std::scalbn(value, squared ? exponent : exponent / 2);
    }
  });
  return std::move(values);
}

}  // namespace detail

Metric parse_metric(std::string_view text) {
  std::vector<std::string> names;
  for (const KnownMetric& known : known_metrics) {
    if (text == known.name || text == known.alias) return known.metric;
    names.push_back(fmt::format("{} ({})", known.name, known.alias));
  }
  throw InvalidInput(fmt::format("metric '{}' is unknown; use {}", text, fmt::join(names, ", ")));
}

std::string_view name(Metric metric) {
  return look_up(metric).name;
}

Matrix pairwise_distance(const SpdBatch& x, const DistanceOptions& options) {
  return detail::finished(squared_distances(x, nullptr, options), options.squared, options.pairs.threads);
}

Matrix pairwise_distance(const SpdBatch& x, const SpdBatch& y, const DistanceOptions& options) {
  if (x.dim() != y.dim())
    throw InvalidInput(fmt::format("matrices of size {} x {} have no distance from matrices of size {} x {}", x.dim(),
                                   x.dim(), y.dim(), y.dim()));
  return detail::finished(squared_distances(x, &y, options), options.squared, options.pairs.threads);
}

}  // namespace dsk

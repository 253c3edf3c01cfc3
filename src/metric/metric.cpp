#include <dsk/metric/metric.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>

#include "metric/metrics.hpp"
#include "spd/parallel.hpp"

namespace dsk {
namespace {

struct KnownMetric {
  Metric metric;
  std::string_view name;
  std::string_view alias;
  detail::SquaredDistance squared;
};

constexpr KnownMetric known_metrics[] = {
    {Metric::airm, "airm", "riemann", detail::airm},
    {Metric::cholesky, "cholesky", "chol", detail::cholesky},
    {Metric::euclidean, "euclidean", "euclid", detail::euclidean},
    {Metric::logeuclidean, "logeuclidean", "logeuclid", detail::log_euclidean},
    {Metric::powereuclidean, "powereuclidean", "poweuclid", detail::power_euclidean},
    {Metric::stein, "stein", "logdet", detail::stein},
};

const KnownMetric& look_up(Metric metric) {
  for (const KnownMetric& known : known_metrics)
    if (known.metric == metric) return known;
  throw InvalidInput(fmt::format("metric number {} is unknown", static_cast<int>(metric)));
}

Matrix distances(const SpdBatch& x, const SpdBatch* y, const DistanceOptions& options) {
  auto [values, exponent] = look_up(options.metric).squared(x, y, options);
  if (options.squared && exponent == 0) return std::move(values);
  const auto columns = static_cast<std::size_t>(values.cols());
  detail::for_ranges(values.rows(), options.pairs.threads, static_cast<double>(columns), [&](Index first, Index last) {
    for (double& value : std::span(&values(first, 0), static_cast<std::size_t>(last - first) * columns)) {
      if (!options.squared) value = std::sqrt(value);
      if (exponent != 0) value = std::scalbn(value, options.squared ? exponent : exponent / 2);
    }
  });
  return std::move(values);
}

}  // namespace

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
  return distances(x, nullptr, options);
}

Matrix pairwise_distance(const SpdBatch& x, const SpdBatch& y, const DistanceOptions& options) {
  if (x.dim() != y.dim())
    throw InvalidInput(fmt::format("matrices of size {} x {} have no distance from matrices of size {} x {}", x.dim(),
                                   x.dim(), y.dim(), y.dim()));
  return distances(x, &y, options);
}

}  // namespace dsk

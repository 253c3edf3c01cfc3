#include "metric/mean.hpp"

#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace detail {

Eigen::RowVectorXd weighted_row(const Eigen::Ref<const Matrix>& rows, const std::vector<double>& weights, int threads) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  for_ranges(rows.cols(), threads, static_cast<double>(rows.rows()), [&](Index first, Index last) {
    for (Index i = 0; i < rows.rows(); ++i)
      sum.segment(first, last - first) +=
          weights[static_cast<std::size_t>(i)] * rows.row(i).segment(first, last - first);
  });
  return sum;
}

Matrix arithmetic_mean(const WeightedBatch& batch, int threads) {
  const Index dim = batch.x.dim();
  const MatrixView rows(batch.x.values().data(), batch.x.size(), dim * dim);
  const Eigen::RowVectorXd mean = weighted_row(rows, batch.weights, threads);
  return MatrixView(mean.data(), dim, dim);
}

Whitening whitening(const Matrix& matrix) {
  Whitening result;
  cholesky_factor({matrix.data(), matrix.rows(), matrix.cols()}, result.factor);
  invert_factor(result.factor, result.inverse);
  return result;
}

Mean Factored::mean() const {
  Matrix matrix = factor * factor.transpose();
  matrix.triangularView<Eigen::StrictlyUpper>() = matrix.transpose();
  const Mean::Stop stop = search.converged ? Mean::Stop::converged : Mean::Stop::iteration_limit;
  return {std::move(matrix), stop, search.iterations, search.step};
}

}  // namespace detail

namespace {

void check_mean_options(const SpdBatch& x, const MeanOptions& options) {
  if (!(options.tolerance >= 0))
    throw InvalidInput(fmt::format("tolerance is {}, but must be 0 or more", options.tolerance));
  if (options.max_iterations < 2)
    throw InvalidInput(fmt::format("max_iterations is {}, but must be at least 2", options.max_iterations));
  if (options.weights.empty()) return;
  if (static_cast<Index>(options.weights.size()) != x.size())
    throw InvalidInput(fmt::format("{} weights do not fit {} matrices", options.weights.size(), x.size()));
  for (std::size_t i = 0; i < options.weights.size(); ++i)
    if (!(options.weights[i] >= 0) || std::isinf(options.weights[i]))
      throw InvalidInput(fmt::format("weight {} is {}, but must be finite and not negative", i, options.weights[i]));
}

/// The matrices at `indices` whose weight is positive, with weights that sum to 1; none if all weights are 0.
std::vector<Index> weighted_indices(std::span<const Index> indices, const MeanOptions& options,
                                    std::vector<double>& weights) {
  std::vector<Index> chosen;
  for (const Index i : indices) {
    const double weight = options.weights.empty() ? 1 : options.weights[static_cast<std::size_t>(i)];
    if (weight == 0) continue;
    chosen.push_back(i);
    weights.push_back(weight);
  }
  if (chosen.empty()) return chosen;
  // The largest comes first, since the sum may overflow.
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight /= largest;
  for (double& weight : weights) weight /= sum;
  return chosen;
}

/// Searched for from `start`, where that helps, unless it is null.
Mean mean_of(const detail::WeightedBatch& batch, const MeanOptions& options, const MatrixView* start = nullptr) {
  const detail::MeanMethod method = detail::mean_method_of(options.metric);
  if (!has_mean(options.metric))
    throw InvalidInput(fmt::format("the metric {} has no mean; use another metric", name(options.metric)));
  Mean result;
  if (start != nullptr && options.metric == Metric::airm) {
    result = detail::airm_factor(batch, options, detail::whitening(*start)).mean();
  } else if (start != nullptr && options.metric == Metric::stein) {
    result = detail::stein_mean_near(batch, options, detail::whitening(*start));
  } else if (method.iterative != nullptr) {
    result = method.iterative(batch, options);
  } else {
    const DistanceOptions distance{
        .metric = options.metric, .zeta = options.zeta, .pairs = {.threads = options.threads}};
    const Matrix rows = *detail::flat_coordinates(batch.x, distance);
    result.matrix =
        method.from_coordinates(detail::weighted_row(rows, batch.weights, options.threads), batch.x.dim(), distance);
  }
  if (!result.matrix.allFinite() || !(result.matrix.diagonal().minCoeff() > 0))
    throw NumericalFailure(fmt::format("the mean by the metric {} leaves the range of double", name(options.metric)));
  return result;
}

detail::WeightedBatch chosen_batch(const SpdBatch& x, std::span<const Index> indices, const MeanOptions& options,
                                   std::string_view none) {
  std::vector<double> weights;
  const std::vector<Index> chosen = weighted_indices(indices, options, weights);
  if (chosen.empty()) throw InvalidInput(std::string(none));
  return {static_cast<Index>(chosen.size()) == x.size() ? x : x.select(chosen), std::move(weights)};
}

detail::WeightedBatch all_of(const SpdBatch& x, const MeanOptions& options) {
  std::vector<Index> all(static_cast<std::size_t>(x.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  return chosen_batch(x, all, options, "all weights are 0");
}

}  // namespace

std::string_view name(Mean::Stop stop) {
  constexpr std::array<std::string_view, 3> names{"closed form", "converged", "iteration limit"};
  return names.at(static_cast<std::size_t>(stop));
}

Mean::Stop worst_stop(std::span<const Mean> means) {
  Mean::Stop worst = Mean::Stop::closed_form;
  for (const Mean& one : means) worst = std::max(worst, one.stop);
  return worst;
}

Mean mean(const SpdBatch& x, const MeanOptions& options) {
  check_mean_options(x, options);
  return mean_of(all_of(x, options), options);
}

detail::WeightedBatch detail::weighted_batch(const SpdBatch& x, const std::vector<double>& weights) {
  const MeanOptions options{.weights = weights};
  check_mean_options(x, options);
  return all_of(x, options);
}

namespace {

/// Starts may be null.
std::vector<Mean> means_of_groups(const SpdBatch& x, std::span<const int> groups, Index count,
                                  const MeanOptions& options, const SpdBatch* starts) {
  check_mean_options(x, options);
  if (static_cast<Index>(groups.size()) != x.size())
    throw InvalidInput(fmt::format("{} groups do not fit {} matrices", groups.size(), x.size()));
  if (count < 1) throw InvalidInput(fmt::format("count is {}, but there must be at least 1 group", count));
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] < 0 || groups[i] >= count)
      throw InvalidInput(
          fmt::format("the group of matrix {} is {}, but must be from 0 to {}", i, groups[i], count - 1));
    members[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  }
  std::vector<Mean> means(members.size());
  const auto compute = [&](Index group, const MeanOptions& own) {
    const auto at = static_cast<std::size_t>(group);
    const std::string none =
        fmt::format("group {} has no matrix{}", group, members[at].empty() ? "" : " of weight above 0");
    const detail::WeightedBatch batch = chosen_batch(x, members[at], own, none);
    if (starts == nullptr) {
      means[at] = mean_of(batch, own);
    } else {
      const MatrixView start = (*starts)[group];
      means[at] = mean_of(batch, own, &start);
    }
  };
  constexpr double rough_iterations = 6;
  const double cost = rough_iterations * detail::cubic_cost(x.dim(), 1) * static_cast<double>(x.size());
  if (count < 2 * detail::worker_count(options.threads, cost)) {
    for (Index group = 0; group < count; ++group) compute(group, options);
  } else {
    MeanOptions own = options;
    own.threads = 1;
    detail::for_ranges(count, options.threads, cost / static_cast<double>(count), [&](Index first, Index last) {
      for (Index group = first; group < last; ++group) compute(group, own);
    });
  }
  return means;
}

}  // namespace

std::vector<Mean> group_means(const SpdBatch& x, std::span<const int> groups, Index count, const MeanOptions& options) {
  return means_of_groups(x, groups, count, options, nullptr);
}

std::vector<Mean> detail::group_means_from(const SpdBatch& starts, const SpdBatch& x, std::span<const int> groups,
                                           const MeanOptions& options) {
  return means_of_groups(x, groups, starts.size(), options, &starts);
}

}  // namespace dsk

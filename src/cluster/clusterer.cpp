#include "cluster/clusterer.hpp"

#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {
namespace {

constexpr Index exact_features_up_to = 2000;
constexpr Index features_beyond = 1000;

NystromResult kernel_features(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options) {
  if (theta_rule(comparison.metric) == ThetaRule::none)
    throw InvalidInput(fmt::format("metric {} makes no kernel; use stein, logeuclidean or another one that does",
                                   name(comparison.metric)));
  const bool exact = !options.landmarks && x.size() <= exact_features_up_to;
  return fit_nystrom(comparison, Dataset(x),
                     {.landmarks = std::min(x.size(), options.landmarks.value_or(exact ? x.size() : features_beyond)),
                      .theta = options.theta,
                      .pool = exact ? x.size() : 0,
                      .seed = options.seed,
                      .pairs = options.pairs});
}

}  // namespace

Metric metric_of(const ClusterOptions& options) {
  return options.metric.value_or(options.method == ClusterMethod::kmeans ? Metric::airm : Metric::stein);
}

void report_stage(const ClusterOptions& options, std::string_view stage) {
  if (options.on_stage && !options.on_stage(stage)) throw Cancelled();
}

Clusterer::Clusterer(const SpdBatch& x, const ClusterOptions& options, Index most)
    : x_(x), options_(options), comparison_{.metric = metric_of(options), .zeta = options.zeta} {
  if (options.method == ClusterMethod::kmeans) {
    std::optional<Matrix> rows = flat_coordinates(
        x, {.metric = comparison_.metric, .zeta = comparison_.zeta, .pairs = {.threads = options.pairs.threads}});
    space_ = rows && !options.start ? row_space(*std::move(rows), options.pairs)
                                    : matrix_space(x, comparison_.metric, comparison_.zeta, options.pairs);
  } else if (options.method == ClusterMethod::kernel_kmeans) {
    features_ = kernel_features(x, comparison_, options);
    theta_ = features_->map.theta();
    space_ = row_space(features_->map.features(x, options.pairs), options.pairs);
  } else {
    const Graph graph = similarity_graph(x, comparison_, options);
    theta_ = graph.theta;
    inverse_roots_ = graph.degrees().cwiseSqrt().cwiseInverse();
    spectrum_ = normalised_spectrum(graph, std::min(most + 1, x.size()), options.seed, options.pairs.threads);
  }
}

Partition Clusterer::partition(Index clusters) const {
  const LloydOptions lloyd{.clusters = clusters,
                           .restarts = options_.restarts,
                           .max_iterations = options_.max_iterations,
                           .tolerance = options_.tolerance,
                           .seed = options_.seed};
  if (space_ && options_.start) return partition_from(*space_, *options_.start, lloyd);
  if (space_) return best_partition(*space_, lloyd);
  const Matrix rows = inverse_roots_.asDiagonal() * spectrum_.vectors.leftCols(clusters);
  return best_partition(*row_space(rows, options_.pairs), lloyd);
}

Matrix Clusterer::distances(std::span<const Index> points) const {
  if (space_) return space_->distances(points);
  return pairwise_squared_distances(comparison_, x_.select(points), options_.pairs).cwiseSqrt();
}

Matrix flat_rows(const SpdBatch& x, Metric metric, double zeta, int threads) {
  if (std::optional<Matrix> rows = flat_coordinates(x, {.metric = metric, .zeta = zeta, .pairs = {.threads = threads}}))
    return *std::move(rows);
  return TangentSpace(mean(x, {.threads = threads}).matrix).map(x, threads);
}

Matrix principal_rows(const Matrix& rows, Index components) {
  const Matrix centred = rows.rowwise() - rows.colwise().mean();
  const bool tall = rows.rows() >= rows.cols();
  const Eigen::MatrixXd products =
      tall ? Eigen::MatrixXd(centred.transpose() * centred) : Eigen::MatrixXd(centred * centred.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  const Index count = std::min(components, products.rows());
  const Eigen::MatrixXd vectors = solver.eigenvectors().rowwise().reverse().leftCols(count);
  Matrix result(rows.rows(), count);
  for (Index k = 0; k < count; ++k) {
    const double root = std::sqrt(std::max(0.0, solver.eigenvalues()[products.rows() - 1 - k]));
    if (tall)
      result.col(k) = centred * vectors.col(k);
    else
      result.col(k) = root * vectors.col(k);
    Index largest = 0;
    result.col(k).cwiseAbs().maxCoeff(&largest);
    if (result(largest, k) < 0) result.col(k) *= -1;
  }
  return result;
}

}  // namespace dsk::detail

// Matrices with means by any metric, and how each method gets to its clusters.

#include "cluster/clusterer.hpp"

#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {
namespace {

/// Means by the Kullback-Leibler divergences minimise sums of divergences, the others sums of squared distances.
bool costs_are_distances(Metric metric) {
  return metric == Metric::kullback || metric == Metric::kullback_right || metric == Metric::kullback_sym;
}

class MatrixSpace : public ClusterSpace {
 public:
  MatrixSpace(const SpdBatch& x, const Comparison& comparison, const PairOptions& options)
      : x_(x), comparison_(comparison), options_(options), compared_(comparison, x, options.threads) {
    if (compared_.matrices() == nullptr) return;
    // Together they know all matrices. Their number does not change what they find.
    const double nanoseconds = cubic_cost(x.dim(), 4) * static_cast<double>(x.size());
    const Index parts = std::min<Index>(worker_count(options.threads, nanoseconds), x.size());
    for (Index p = 0; p < parts; ++p) {
      const Index first = p * x.size() / parts, count = (p + 1) * x.size() / parts - first;
      queries_.emplace_back(comparison, compared_.slice(first, count));
    }
  }

  Index size() const override { return x_.size(); }

  bool iterates() const override { return compared_.matrices() != nullptr; }

  Centres at(std::span<const Index> points) const override { return x_.select(points); }

  Centres means(std::span<const int> labels, Index clusters, const MeanSearch& search = {}) const override {
    const MeanOptions options{.metric = comparison_.metric,
                              .zeta = comparison_.zeta,
                              .tolerance = search.tolerance,
                              .threads = options_.threads};
    const auto* const near = search.near != nullptr ? std::get_if<SpdBatch>(search.near) : nullptr;
    const std::vector<Mean> found = near != nullptr && near->size() == clusters
                                        ? group_means_from(*near, x_, labels, options)
                                        : group_means(x_, labels, clusters, options);
    MatrixStack stack{clusters, x_.dim(), {}};
    for (const Mean& one : found)
      stack.values.insert(stack.values.end(), one.matrix.data(), one.matrix.data() + one.matrix.size());
    return SpdBatch(std::move(stack), options_.threads);
  }

  Matrix costs(const Centres& centres) const override {
    const auto& matrices = std::get<SpdBatch>(centres);
    if (std::optional<Matrix> squared = queried(matrices)) return *std::move(squared);
    const ComparedBatch compared(comparison_, matrices, options_.threads);
    Matrix squared = pairwise_squared_distances(compared_, compared, options_);
    if (costs_are_distances(comparison_.metric)) squared = squared.cwiseSqrt();
    return squared;
  }

  Eigen::VectorXd own_costs(const Centres& centres, std::span<const int> labels) const override {
    if (comparison_.metric != Metric::airm) return ClusterSpace::own_costs(centres, labels);
    const auto& matrices = std::get<SpdBatch>(centres);
    Matrix squared(matrices.size(), size());
    compare_where(
        matrices, [&](Index c, Index i) { return labels[static_cast<std::size_t>(i)] == c; }, squared);
    Eigen::VectorXd found(size());
    for (Index i = 0; i < size(); ++i) found[i] = squared(labels[static_cast<std::size_t>(i)], i);
    return found;
  }

  /// By the triangle inequality, as Elkan (2003) does: a centre that was far from a point and has moved little is no
  /// nearer than the centre of the point's cluster.
  Matrix costs_near(const Centres& centres, const KnownCosts& before) const override {
    const auto& now = std::get<SpdBatch>(centres);
    const auto& then = std::get<SpdBatch>(before.centres);
    if (comparison_.metric != Metric::airm || then.size() != now.size()) return costs(centres);
    const Eigen::VectorXd own = own_costs(centres, before.labels);
    const Eigen::VectorXd moved = pairwise_squared_distances(comparison_, then, now, options_).diagonal().cwiseSqrt();
    constexpr double safely = 1 + 1e-9;  // rounding makes no difference to what is left out
    Matrix squared(now.size(), size());
    for (Index c = 0; c < now.size(); ++c)
      for (Index i = 0; i < size(); ++i) {
        const double bound = std::max(0.0, std::sqrt(before.costs(i, c)) - moved[c]);
        squared(c, i) = before.labels[static_cast<std::size_t>(i)] == c ? own[i] : bound * bound;
      }
    const auto may_be_nearer = [&](Index c, Index i) {
      return before.labels[static_cast<std::size_t>(i)] != c && squared(c, i) <= own[i] * safely;
    };
    compare_where(now, may_be_nearer, squared);
    return squared.transpose();
  }

  Matrix distances(std::span<const Index> points) const override {
    return pairwise_squared_distances(comparison_, x_.select(points), options_).cwiseSqrt();
  }

 private:
  /// Writes squared(c, i) for the centres c and points i that are wanted. Distances do not depend on how many are
  /// computed together.
  template <class Wanted>
  void compare_where(const SpdBatch& centres, const Wanted& wanted, Matrix& squared) const {
    for (Index c = 0; c < centres.size(); ++c) {
      std::vector<Index> members;
      for (Index i = 0; i < size(); ++i)
        if (wanted(c, i)) members.push_back(i);
      if (members.empty()) continue;
      const std::vector<Index> one{c};
      const Matrix found = pairwise_squared_distances(comparison_, centres.select(one), x_.select(members), options_);
      for (std::size_t k = 0; k < members.size(); ++k) squared(c, members[k]) = found(0, static_cast<Index>(k));
    }
  }

  /// By the matrices that were prepared once. Nothing where that is not possible.
  std::optional<Matrix> queried(const SpdBatch& centres) const {
    if (queries_.empty()) return {};
    Matrix squared(centres.size(), size());
    std::atomic<bool> complete = true;
    const auto parts = static_cast<Index>(queries_.size());
    const double nanoseconds = cubic_cost(x_.dim(), 4) * static_cast<double>(squared.size() / parts);
    for_ranges(parts, options_.threads, nanoseconds, [&](Index first, Index last) {
      for (Index p = first; p < last; ++p)
        for (Index c = 0; c < centres.size() && complete; ++c) {
          const std::span<const double> found = queries_[static_cast<std::size_t>(p)](centres[c].data());
          if (found.empty()) complete = false;
          std::copy(found.begin(), found.end(), &squared(c, 0) + p * size() / parts);
        }
    });
    if (!complete) return {};
    return squared.transpose();
  }

  SpdBatch x_;
  Comparison comparison_;
  PairOptions options_;
  ComparedBatch compared_;
  mutable std::vector<ComparedQuery> queries_;  ///< each has memory of its own to compute in
};

}  // namespace

std::unique_ptr<ClusterSpace> matrix_space(const SpdBatch& x, Metric metric, double zeta, const PairOptions& options) {
  if (!has_mean(metric)) throw InvalidInput(fmt::format("the metric {} has no mean; use another metric", name(metric)));
  return std::make_unique<MatrixSpace>(x, Comparison{.metric = metric, .zeta = zeta}, options);
}

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

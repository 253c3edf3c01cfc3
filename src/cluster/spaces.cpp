#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <utility>

#include "cluster/clusterer.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "metric/metric.hpp"

namespace dsk::detail {
namespace {

class RowSpace : public ClusterSpace {
 public:
  RowSpace(Matrix rows, const PairOptions& options) : rows_(std::move(rows)), options_(options) {}

  Index size() const override { return rows_.rows(); }

  Centres at(std::span<const Index> points) const override { return chosen(points); }

  Centres means(std::span<const int> labels, Index clusters) const override {
    Matrix sums = Matrix::Zero(clusters, rows_.cols());
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(clusters);
    for (Index i = 0; i < size(); ++i) {
      const int label = labels[static_cast<std::size_t>(i)];
      sums.row(label) += rows_.row(i);
      counts[label] += 1;
    }
    for (Index c = 0; c < clusters; ++c) sums.row(c) /= counts[c];
    return sums;
  }

  Matrix costs(const Centres& centres) const override {
    return pairwise_squared_distances(rows_, std::get<Matrix>(centres), options_);
  }

  Matrix distances(std::span<const Index> points) const override {
    return pairwise_squared_distances(chosen(points), options_).cwiseSqrt();
  }

 private:
  Matrix chosen(std::span<const Index> points) const {
    Matrix some(static_cast<Index>(points.size()), rows_.cols());
    for (Index k = 0; k < some.rows(); ++k) some.row(k) = rows_.row(points[static_cast<std::size_t>(k)]);
    return some;
  }

  Matrix rows_;
  PairOptions options_;
};

}  // namespace

std::unique_ptr<ClusterSpace> row_space(Matrix rows, const PairOptions& options) {
  return std::make_unique<RowSpace>(std::move(rows), options);
}

namespace {

/// Means by the Kullback-Leibler divergences minimise sums of divergences, the others sums of squared distances.
bool costs_are_distances(Metric metric) {
  return metric == Metric::kullback || metric == Metric::kullback_right || metric == Metric::kullback_sym;
}

class MatrixSpace : public ClusterSpace {
 public:
  MatrixSpace(const SpdBatch& x, const Comparison& comparison, const PairOptions& options)
      : x_(x), comparison_(comparison), options_(options), compared_(comparison, x, options.threads) {}

  Index size() const override { return x_.size(); }

  Centres at(std::span<const Index> points) const override { return x_.select(points); }

  Centres means(std::span<const int> labels, Index clusters) const override {
    const std::vector<Mean> found = group_means(
        x_, labels, clusters,
        {.metric = comparison_.metric, .zeta = comparison_.zeta, .tolerance = 1e-9, .threads = options_.threads});
    MatrixStack stack{clusters, x_.dim(), {}};
    for (const Mean& one : found)
      stack.values.insert(stack.values.end(), one.matrix.data(), one.matrix.data() + one.matrix.size());
    return SpdBatch(std::move(stack), options_.threads);
  }

  Matrix costs(const Centres& centres) const override {
    const ComparedBatch compared(comparison_, std::get<SpdBatch>(centres), options_.threads);
    Matrix squared = pairwise_squared_distances(compared_, compared, options_);
    if (costs_are_distances(comparison_.metric)) squared = squared.cwiseSqrt();
    return squared;
  }

  Matrix distances(std::span<const Index> points) const override {
    return pairwise_squared_distances(comparison_, x_.select(points), options_).cwiseSqrt();
  }

 private:
  SpdBatch x_;
  Comparison comparison_;
  PairOptions options_;
  ComparedBatch compared_;
};

}  // namespace

std::unique_ptr<ClusterSpace> matrix_space(const SpdBatch& x, Metric metric, double zeta, const PairOptions& options) {
  if (!has_mean(metric))
    throw InvalidInput(fmt::format("there is no mean by the metric {}; use another one", name(metric)));
  return std::make_unique<MatrixSpace>(x, Comparison{.metric = metric, .zeta = zeta}, options);
}

}  // namespace dsk::detail

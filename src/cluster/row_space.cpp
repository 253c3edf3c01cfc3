#include <utility>

#include "cluster/space.hpp"
#include "engine/engine.hpp"

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

}  // namespace dsk::detail

#include "kernel/incomplete_cholesky.hpp"

#include <dsk/engine.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "machine/shuffle.hpp"

namespace dsk::detail {
namespace {

/// A random number in [0, 1), the same on every machine.
double uniform_below_one(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Chooses the next pivot among those with a residual; -1 if there is none.
class PivotRule {
 public:
  PivotRule(Index pool, const NystromOptions& options)
      : choice_(options.choice), random_(options.seed ^ 0x9e3779b97f4a7c15u) {  // not the numbers that drew the pool
    if (choice_ != Landmarks::uniform) return;
    order_.resize(static_cast<std::size_t>(pool));
    std::iota(order_.begin(), order_.end(), Index{0});
    shuffle(order_, random_);
  }

  Index operator()(const Eigen::VectorXd& residuals) {
    if (choice_ == Landmarks::adaptive) return adaptive(residuals);
    return choice_ == Landmarks::greedy ? greedy(residuals) : uniform(residuals);
  }

 private:
  /// Randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2023). The largest residual is alone with outliers; this
  /// goes where much is left.
  Index adaptive(const Eigen::VectorXd& residuals) {
    if (greedy(residuals) < 0) return -1;
    double left =
        uniform_below_one(random_) * (residuals.array() > smallest_residual).select(residuals.array(), 0.0).sum();
    Index last = -1;
    for (Index i = 0; i < residuals.size(); ++i) {
      if (!(residuals[i] > smallest_residual)) continue;
      last = i;
      left -= residuals[i];
      if (left < 0) break;
    }
    return last;
  }

  static Index greedy(const Eigen::VectorXd& residuals) {
    Index best = 0;
    return residuals.maxCoeff(&best) > smallest_residual ? best : -1;
  }

  Index uniform(const Eigen::VectorXd& residuals) {
    for (; next_ < order_.size(); ++next_)
      if (residuals[order_[next_]] > smallest_residual) return order_[next_];
    return -1;
  }

  Landmarks choice_;
  std::mt19937_64 random_;
  std::vector<Index> order_;
  std::size_t next_ = 0;
};

Matrix kernel_values(const ComparedBatch& pool, Index pivot, double theta, const PairOptions& options) {
  try {
    Matrix row = pairwise_squared_distances(pool.slice(pivot, 1), pool, options);
    exponential_in_place(row, -theta, options.threads);
    return row;
  } catch (const PairFailure& failure) {
    throw PairFailure(pivot, failure.column());
  }
}

/// The landmarks among `represented` matrices have no residual, the others that of the pool's others in the mean.
double share_of_all(double sum, Index landmarks, Index pool, Index represented) {
  if (landmarks == pool) return 0;
  const double others = static_cast<double>(represented - landmarks) / static_cast<double>(represented);
  return others * sum / static_cast<double>(pool - landmarks);
}

}  // namespace

IncompleteCholesky incomplete_cholesky(const ComparedBatch& pool, double theta, Index represented,
                                       const NystromOptions& options) {
  const Index size = pool.size(), most = std::min(options.landmarks, size);
  Matrix columns(size, most);
  Eigen::VectorXd residuals = Eigen::VectorXd::Ones(size);
  PivotRule next_pivot(size, options);
  IncompleteCholesky result;
  for (Index j = 0; j < most; ++j) {
    const Index pivot = next_pivot(residuals);
    if (pivot < 0) break;
    const Matrix kernel = kernel_values(pool, pivot, theta, options.pairs);
    const Eigen::VectorXd row = columns.row(pivot).head(j).transpose();
    const double root = std::sqrt(residuals[pivot]);
    for_ranges(size, options.pairs.threads, 1 + 0.5 * static_cast<double>(j), [&](Index first, Index last) {
      const Index count = last - first;
      auto column = columns.col(j).segment(first, count);
      column = kernel.row(0).segment(first, count).transpose();
      column.noalias() -= columns.block(first, 0, count, j) * row;
      column /= root;
      auto left = residuals.segment(first, count);
      left = (left - column.cwiseAbs2()).cwiseMax(0);
    });
    columns(pivot, j) = root;
    residuals[pivot] = 0;
    result.pivots.push_back(pivot);
    result.residual_shares.push_back(share_of_all(residuals.sum(), j + 1, size, represented));
    if (options.error && result.residual_shares.back() <= *options.error) break;
  }
  const auto found = static_cast<Index>(result.pivots.size());
  result.factor = Matrix::Zero(found, found);
  for (Index j = 0; j < found; ++j)
    result.factor.row(j).head(j + 1) = columns.row(result.pivots[static_cast<std::size_t>(j)]).head(j + 1);
  return result;
}

}  // namespace dsk::detail

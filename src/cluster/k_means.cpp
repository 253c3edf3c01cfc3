// k-means: Lloyd's iteration from good starts, then exchanges of single points, which rows have.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "cluster/clusterer.hpp"
#include "engine/engine.hpp"
#include "machine/interrupt.hpp"
#include "machine/shuffle.hpp"

namespace dsk::detail {
namespace {

class RowSpace : public ClusterSpace {
 public:
  RowSpace(Matrix rows, const PairOptions& options) : rows_(std::move(rows)), options_(options) {}

  Index size() const override { return rows_.rows(); }

  Centres at(std::span<const Index> points) const override { return chosen(points); }

  Centres means(std::span<const int> labels, Index clusters, const MeanSearch& = {}) const override {
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

  /// As Hartigan and Wong (1979) do: with its mean, a cluster of n points gains n / (n - 1) times the cost of a point
  /// that leaves it, and loses n / (n + 1) times that of one that joins it.
  bool exchange(std::vector<int>& labels, Index clusters, int max_passes) const override {
    Eigen::VectorXd sizes = Eigen::VectorXd::Zero(clusters);
    for (const int label : labels) sizes[label] += 1;
    for (int pass = 0; pass < max_passes; ++pass) {
      check_interrupt();
      Matrix centres = std::get<Matrix>(means(labels, clusters));
      const Matrix before = costs(centres);
      bool moved = false;
      for (Index i = 0; i < size(); ++i) {
        int& label = labels[static_cast<std::size_t>(i)];
        // Few points pass with the centres from before, for which all costs are one product of matrices.
        if (better_cluster(before.row(i), label, sizes) == label) continue;
        const auto row = rows_.row(i);
        const int better = better_cluster((centres.rowwise() - row).rowwise().squaredNorm().transpose(), label, sizes);
        if (better == label) continue;
        centres.row(label) += (centres.row(label) - row) / (sizes[label] - 1);
        centres.row(better) += (row - centres.row(better)) / (sizes[better] + 1);
        sizes[label] -= 1;
        sizes[better] += 1;
        label = better;
        moved = true;
      }
      if (!moved) return true;
    }
    return false;
  }

 private:
  /// The cluster in which a point with these costs of all clusters is best, or its own.
  static int better_cluster(const Eigen::RowVectorXd& costs, int own, const Eigen::VectorXd& sizes) {
    if (sizes[own] < 2) return own;
    constexpr double noticeable = 1 - 1e-9;  // what rounding moves would move for ever
    double smallest = noticeable * sizes[own] / (sizes[own] - 1) * costs[own];
    int best = own;
    for (Index c = 0; c < costs.size(); ++c) {
      const double loss = sizes[c] / (sizes[c] + 1) * costs[c];
      if (c == own || !(loss < smallest)) continue;
      smallest = loss;
      best = static_cast<int>(c);
    }
    return best;
  }

  Matrix chosen(std::span<const Index> points) const {
    Matrix some(static_cast<Index>(points.size()), rows_.cols());
    for (Index k = 0; k < some.rows(); ++k) some.row(k) = rows_.row(points[static_cast<std::size_t>(k)]);
    return some;
  }

  Matrix rows_;
  PairOptions options_;
};

/// A point drawn in proportion to its cost.
Index drawn_by_cost(const Eigen::VectorXd& costs, double sum, std::mt19937_64& random) {
  double left = uniform(random) * sum;
  Index last = 0;
  for (Index i = 0; i < costs.size(); ++i) {
    if (!(costs[i] > 0)) continue;
    last = i;
    left -= costs[i];
    if (left < 0) break;
  }
  return last;
}

/// Greedy k-means++ (Arthur & Vassilvitskii 2007): of a few points drawn in proportion to their costs, the one that
/// leaves the smallest sum. Fewer centres where all points are among them.
std::vector<Index> spread_points(const ClusterSpace& space, Index clusters, std::mt19937_64& random) {
  const auto trials = static_cast<std::size_t>(2 + std::log(static_cast<double>(clusters)));
  std::vector<Index> chosen{static_cast<Index>(below(random, static_cast<std::size_t>(space.size())))};
  Eigen::VectorXd nearest = space.costs(space.at(chosen)).col(0);
  while (static_cast<Index>(chosen.size()) < clusters) {
    const double sum = nearest.sum();
    if (!(sum > 0)) break;
    std::vector<Index> candidates;
    for (std::size_t t = 0; t < trials; ++t) candidates.push_back(drawn_by_cost(nearest, sum, random));
    Matrix costs = space.costs(space.at(candidates));
    Index best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (Index t = 0; t < costs.cols(); ++t) {
      costs.col(t) = costs.col(t).cwiseMin(nearest);
      if (const double left = costs.col(t).sum(); left < smallest) {
        smallest = left;
        best = t;
      }
    }
    nearest = costs.col(best);
    chosen.push_back(candidates[static_cast<std::size_t>(best)]);
  }
  return chosen;
}

/// An empty cluster takes the point that is farthest from its centre, unless all are at theirs. Then it disappears.
Index fill_empty_clusters(std::vector<int>& labels, Eigen::VectorXd& nearest, Index clusters) {
  std::vector<Index> sizes(static_cast<std::size_t>(clusters), 0);
  for (const int label : labels) ++sizes[static_cast<std::size_t>(label)];
  for (Index c = 0; c < clusters; ++c) {
    if (sizes[static_cast<std::size_t>(c)] > 0) continue;
    Index farthest = -1;
    for (Index i = 0; i < nearest.size(); ++i) {
      const Index size = sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])];
      if (size > 1 && nearest[i] > (farthest < 0 ? 0 : nearest[farthest])) farthest = i;
    }
    if (farthest < 0) continue;
    --sizes[static_cast<std::size_t>(labels[static_cast<std::size_t>(farthest)])];
    labels[static_cast<std::size_t>(farthest)] = static_cast<int>(c);
    nearest[farthest] = 0;
    sizes[static_cast<std::size_t>(c)] = 1;
  }
  std::vector<int> position(sizes.size(), 0);
  int filled = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    position[c] = filled;
    if (sizes[c] > 0) ++filled;
  }
  for (int& label : labels) label = position[static_cast<std::size_t>(label)];
  return filled;
}

/// While matrices change clusters, means need not be exact: they are searched for from those before.
constexpr double rough_means = 1e-4;

Partition lloyd(const ClusterSpace& space, Centres centres, Index clusters, const LloydOptions& options) {
  Partition result;
  double previous = std::numeric_limits<double>::infinity();
  MeanSearch search{.tolerance = space.iterates() ? rough_means : exact_means};
  KnownCosts before;
  bool are_rough = false, are_means = false;  // whether the centres are those of the labels
  for (int k = 0; k < options.max_iterations; ++k) {
    check_interrupt();
    Matrix costs = k > 0 ? space.costs_near(centres, before) : space.costs(centres);
    std::vector<int> labels = nearest_centres(costs);
    Eigen::VectorXd nearest = costs.rowwise().minCoeff();
    const double inertia = nearest.sum();
    clusters = fill_empty_clusters(labels, nearest, clusters);
    are_means = labels == result.labels;
    result.labels = std::move(labels);
    result.inertia = inertia;
    result.iterations = k + 1;
    result.converged = are_means || (k > 0 && previous - inertia <= options.tolerance * previous);
    if (result.converged && !(are_means && are_rough)) break;
    if (are_means) search.tolerance = exact_means;
    previous = inertia;
    before = {std::move(centres), std::move(costs), result.labels};
    if (k > 0) search.near = &before.centres;  // the first are matrices, not means
    centres = space.means(result.labels, clusters, search);
    are_rough = search.tolerance > exact_means;
  }
  if (const std::vector<int> found = result.labels; result.converged) {
    result.converged = space.exchange(result.labels, clusters, options.max_iterations);
    are_means = are_means && result.labels == found;
  }
  result.clusters = clusters;
  if (!are_means || are_rough) {
    search = {.near = &centres};
    centres = space.means(result.labels, clusters, search);
    result.inertia = 0;
    for (const double cost : space.own_costs(centres, result.labels)) result.inertia += cost;
  }
  result.centres = std::move(centres);
  return result;
}

/// Numbers the clusters by size; those of equal size by their first members.
void sort_by_size(Partition& partition, const ClusterSpace& space) {
  const auto count = static_cast<std::size_t>(partition.clusters);
  std::vector<Index> sizes(count, 0), first(count, space.size());
  for (std::size_t i = partition.labels.size(); i-- > 0;) {
    const auto label = static_cast<std::size_t>(partition.labels[i]);
    ++sizes[label];
    first[label] = static_cast<Index>(i);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : first[a] < first[b];
  });
  std::vector<int> position(count);
  std::vector<Index> places(count);
  for (std::size_t k = 0; k < count; ++k) {
    position[order[k]] = static_cast<int>(k);
    places[k] = static_cast<Index>(order[k]);
  }
  for (int& label : partition.labels) label = position[static_cast<std::size_t>(label)];
  if (const auto* const rows = std::get_if<Matrix>(&partition.centres)) {
    Matrix sorted(rows->rows(), rows->cols());
    for (std::size_t k = 0; k < count; ++k) sorted.row(static_cast<Index>(k)) = rows->row(places[k]);
    partition.centres = std::move(sorted);
  } else {
    partition.centres = std::get<SpdBatch>(partition.centres).select(places);
  }
}

}  // namespace

Eigen::VectorXd ClusterSpace::own_costs(const Centres& centres, std::span<const int> labels) const {
  const Matrix all = costs(centres);
  Eigen::VectorXd own(all.rows());
  for (Index i = 0; i < all.rows(); ++i) own[i] = all(i, labels[static_cast<std::size_t>(i)]);
  return own;
}

std::unique_ptr<ClusterSpace> row_space(Matrix rows, const PairOptions& options) {
  return std::make_unique<RowSpace>(std::move(rows), options);
}

std::vector<int> nearest_centres(const Matrix& costs) {
  std::vector<int> labels(static_cast<std::size_t>(costs.rows()));
  for (Index i = 0; i < costs.rows(); ++i) {
    Index nearest = 0;
    costs.row(i).minCoeff(&nearest);
    labels[static_cast<std::size_t>(i)] = static_cast<int>(nearest);
  }
  return labels;
}

Partition partition_from(const ClusterSpace& space, Centres start, const LloydOptions& options) {
  Partition result = lloyd(space, std::move(start), options.clusters, options);
  sort_by_size(result, space);
  return result;
}

Partition best_partition(const ClusterSpace& space, const LloydOptions& options) {
  std::optional<Partition> best;
  for (int r = 0; r < options.restarts; ++r) {
    std::seed_seq sequence{options.seed, options.seed >> 32, static_cast<std::uint64_t>(r)};
    std::mt19937_64 random(sequence);
    const std::vector<Index> points = spread_points(space, options.clusters, random);
    Partition found = lloyd(space, space.at(points), static_cast<Index>(points.size()), options);
    if (!best || found.inertia < best->inertia) best = std::move(found);
  }
  sort_by_size(*best, space);
  return *std::move(best);
}

}  // namespace dsk::detail

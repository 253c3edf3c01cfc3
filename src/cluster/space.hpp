#pragma once

#include <dsk/cluster.hpp>

#include <memory>
#include <span>
#include <variant>

namespace dsk::detail {

/// Centres of clusters: rows of coordinates, or matrices.
using Centres = std::variant<Matrix, SpdBatch>;

/// Points with costs and means: the mean of some points minimises the sum of their costs.
class ClusterSpace {
 public:
  virtual ~ClusterSpace() = default;
  virtual Index size() const = 0;
  virtual Centres at(std::span<const Index> points) const = 0;
  /// labels[i], from 0 to clusters - 1, is the cluster of point i; none is empty.
  virtual Centres means(std::span<const int> labels, Index clusters) const = 0;
  /// (points, centres); squared distances for most metrics.
  virtual Matrix costs(const Centres& centres) const = 0;
  /// Distances of all pairs of some points.
  virtual Matrix distances(std::span<const Index> points) const = 0;
};

/// Rows of numbers with Euclidean distances.
std::unique_ptr<ClusterSpace> row_space(Matrix rows, const PairOptions& options);

/// Matrices with any metric that has a mean. Throws InvalidInput for others.
std::unique_ptr<ClusterSpace> matrix_space(const SpdBatch& x, Metric metric, double zeta, const PairOptions& options);

struct Partition {
  std::vector<int> labels;
  Index clusters = 0;
  Centres centres;
  double inertia = 0;
  int iterations = 0;
  bool converged = false;
};

struct LloydOptions {
  Index clusters = 2;
  int restarts = 10;
  int max_iterations = 300;
  double tolerance = 1e-6;
  std::uint64_t seed = 0;
};

/// k-means from greedy k-means++ starts, the best kept. Fewer clusters than asked for where there are fewer distinct
/// points. Clusters are numbered by size, the largest first.
Partition best_partition(const ClusterSpace& space, const LloydOptions& options);
/// The same from given centres, once.
Partition partition_from(const ClusterSpace& space, Centres start, const LloydOptions& options);

/// Of each of `points`, from the clusters in `labels` (one for each point); 0 for the only member of a cluster.
std::vector<double> silhouettes(const Matrix& distances, std::span<const int> labels, Index clusters);

/// The nearest centre of each row of costs; ties go to the first.
std::vector<int> nearest_centres(const Matrix& costs);

/// A number in [0, 1), the same on every machine.
template <class Random>
double uniform(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace dsk::detail

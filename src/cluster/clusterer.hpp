#pragma once

#include <dsk/cluster.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/graph.hpp"
#include "cluster/space.hpp"

namespace dsk::detail {

/// What a method computes for a set of matrices before the number of clusters
/// is known, and the clusters for any number.
class Clusterer {
 public:
  /// `most` is the largest number of clusters that will be asked for.
  Clusterer(const SpdBatch& x, const ClusterOptions& options, Index most);

  Partition partition(Index clusters) const;
  /// Distances of all pairs of some matrices, in the space in which silhouettes
  /// are measured.
  Matrix distances(std::span<const Index> points) const;

  const Comparison& comparison() const { return comparison_; }
  std::optional<double> theta() const { return theta_; }
  const std::optional<NystromResult>& features() const { return features_; }
  /// Of spectral clustering: one more than the largest number of clusters,
  /// where there are as many matrices.
  const std::vector<double>& eigenvalues() const { return spectrum_.values; }
  bool spectrum_converged() const { return spectrum_.converged; }

 private:
  SpdBatch x_;
  ClusterOptions options_;
  Comparison comparison_;
  std::optional<double> theta_ = {};
  std::optional<NystromResult> features_ = {};
  std::unique_ptr<ClusterSpace> space_;  ///< none for spectral clustering
  TopEigenvectors spectrum_ = {};
  Eigen::VectorXd inverse_roots_ = {};  ///< of the degrees of the graph
};

/// The metric that the options say, or the default of the method.
Metric metric_of(const ClusterOptions& options);

/// Coordinates in which the matrices are compared by straight lines: those of a
/// flat metric, or of the tangent space at the mean.
Matrix flat_rows(const SpdBatch& x, Metric metric, double zeta, int threads);

/// Principal components of rows, the largest first; signs do not depend on the
/// solver.
Matrix principal_rows(const Matrix& rows, Index components);

/// A sample of the matrices, for silhouettes, and their distances.
struct SilhouetteSample {
  std::vector<Index> points;
  Matrix distances;

  SilhouetteSample(const Clusterer& clusterer, Index size, std::uint64_t seed);
  /// The silhouette of each point, and its cluster.
  std::pair<std::vector<double>, std::vector<int>> of(const Partition& partition) const;
};

/// Chooses the number of clusters, and adds what it was chosen by to the
/// result.
Index choose_count(const SpdBatch& x, const ClusterOptions& options, Clustering& result);

StructureTest test_structure(const SpdBatch& x, const ClusterOptions& options);

/// A kernel learned from the clusters of the plain metric, if a held-out
/// stability score says that it is better.
struct LearnedClusters {
  ClusterLearning learning;
  std::optional<LearnedKernel> kernel = {};  ///< if it is adopted
};
LearnedClusters learn_without_labels(const SpdBatch& x, Index clusters, const ClusterOptions& options);

/// Calls the callback of the options, if there is one. Throws Cancelled if it
/// says so.
void report_stage(const ClusterOptions& options, std::string_view stage);

}  // namespace dsk::detail

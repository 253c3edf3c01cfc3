#pragma once

#include <dsk/cluster.hpp>

#include <Eigen/SparseCore>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace dsk::detail {

/// Centres of clusters: rows of coordinates, or matrices.
using Centres = std::variant<Matrix, SpdBatch>;

/// Of means that are computed by iterations: to this relative error.
constexpr double exact_means = 1e-9;

/// How to compute means that need iterations.
struct MeanSearch {
  const Centres* near = nullptr;  ///< centres to start from, if there are as many
  double tolerance = exact_means;
};

/// Costs by centres, exact or bounds from below, and the clusters that were made by them.
struct KnownCosts {
  Centres centres;
  Matrix costs;
  std::vector<int> labels;
};

/// Points with costs and means: the mean of some points minimises the sum of their costs.
class ClusterSpace {
 public:
  virtual ~ClusterSpace() = default;
  virtual Index size() const = 0;
  /// Whether means are computed by iterations.
  virtual bool iterates() const { return false; }
  virtual Centres at(std::span<const Index> points) const = 0;
  /// labels[i], from 0 to clusters - 1, is the cluster of point i; none is empty.
  virtual Centres means(std::span<const int> labels, Index clusters, const MeanSearch& search = {}) const = 0;
  /// (points, centres); squared distances for most metrics.
  virtual Matrix costs(const Centres& centres) const = 0;
  /// The same where `before` has as many centres, near these: entries that cannot be the smallest of their row may be
  /// bounds from below, which are larger than the smallest too.
  virtual Matrix costs_near(const Centres& centres, const KnownCosts& /*before*/) const { return costs(centres); }
  /// Of each point, that of the centre of its cluster.
  virtual Eigen::VectorXd own_costs(const Centres& centres, std::span<const int> labels) const;
  /// Distances of all pairs of some points.
  virtual Matrix distances(std::span<const Index> points) const = 0;
  /// Moves one point at a time to another cluster as long as that lowers the sum of costs, also by the change of both
  /// means; no cluster becomes empty. False if so many passes over the points were not enough. Does nothing where means
  /// are not sums.
  virtual bool exchange(std::vector<int>& /*labels*/, Index /*clusters*/, int /*max_passes*/) const { return true; }
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

/// A symmetric graph with non-negative weights, complete or of near matrices only.
struct Graph {
  std::variant<Matrix, Eigen::SparseMatrix<double, Eigen::RowMajor>> weights;
  std::optional<double> theta = {};  ///< none: widths of their own

  Index size() const;
  Eigen::VectorXd degrees() const;
};

/// exp(-theta d^2) between a matrix and its `neighbours` nearest, either way round, or between all for 0. Without theta
/// as ClusterOptions says. Throws InvalidInput for a metric that is not symmetric.
Graph similarity_graph(const SpdBatch& x, const Comparison& comparison, const ClusterOptions& options);

/// y = A x for a symmetric matrix A and n rows x.
using SymmetricOperator = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& x)>;

struct TopEigenvectors {
  std::vector<double> values;  ///< descending
  Eigen::MatrixXd vectors;     ///< columns
  bool converged = true;
};

/// The largest eigenvalues of A, whose eigenvalues are between -1 and 1, with residuals below the tolerance: by a block
/// Krylov method, which finds equal eigenvalues too.
TopEigenvectors top_eigenvectors(Index size, const SymmetricOperator& multiply, Index count, double tolerance,
                                 std::uint64_t seed);

/// Of D^-1/2 W D^-1/2, the weights divided by the degrees.
TopEigenvectors normalised_spectrum(const Graph& graph, Index count, std::uint64_t seed, int threads);

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
Index choose_count(const SpdBatch& all, const ClusterOptions& options, Clustering& result);

Clustering::Structure test_structure(const SpdBatch& x, const ClusterOptions& options);

/// Whether so many clusters explain clearly more of the variance of some samples than of normally distributed points
/// with the covariance of each sample.
bool more_than_one_cloud(const std::vector<Matrix>& samples, Index clusters, std::uint64_t seed);

/// A kernel learned from the clusters of the plain metric, if a held-out
/// stability score says that it is better.
struct LearnedClusters {
  Clustering::Learning learning;
  std::optional<LearnedKernel> kernel = {};  ///< if it is adopted
};
LearnedClusters learn_without_labels(const SpdBatch& x, Index clusters, const ClusterOptions& given);

/// The trivial solutions that learning without labels refuses: a cluster with less than a tenth of n / clusters
/// matrices, or with one, or with none;
bool is_degenerate(const std::vector<int>& labels, Index clusters);
/// and a kernel whose values for the pairs of a sample are within 0.01.
bool is_constant(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& pairs);

/// Calls the callback of the options, if there is one. Throws Cancelled if it
/// says so.
void report_stage(const ClusterOptions& options, std::string_view stage);

}  // namespace dsk::detail

#pragma once

#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

enum class ClusterMethod {
  kmeans,         ///< means by the metric
  kernel_kmeans,  ///< means in the feature space of the kernel exp(-theta d^2)
  spectral        ///< k-means on eigenvectors of the normalised Laplacian of a graph of near matrices
};

/// Reads "kmeans", "kernel-kmeans" or "spectral". Throws InvalidInput, listing all of them.
ClusterMethod parse_cluster_method(std::string_view text);
std::string_view name(ClusterMethod method);
std::string cluster_method_choices();

struct ClusterOptions {
  ClusterMethod method = ClusterMethod::kmeans;
  std::optional<Index> clusters = {};  ///< without: chosen, see `Clustering::Count`
  Index most_clusters = 10;            ///< that are tried where the number is chosen
  std::optional<Metric> metric = {};   ///< without: airm for k-means, stein for the others
  double zeta = 0.5;                   ///< exponent of the power-Euclidean metric
  /// Of the kernel. Without: kernel k-means and complete graphs take 1 / the median squared distance, or the next
  /// larger theta that makes a kernel; a graph of neighbours takes exp(-d^2 / (s_i s_j)), s_i being the distance of
  /// matrix i from the last of its neighbours.
  std::optional<double> theta = {};
  /// Of the graph for spectral clustering: each matrix is joined to so many nearest ones; 0: the complete graph.
  Index neighbours = 10;
  int restarts = 10;  ///< k-means++ starts, of which the best is kept
  int max_iterations = 300;
  double tolerance = 1e-6;  ///< relative change of the inertia at which k-means stops
  /// Centres to start k-means from, in place of restarts; as many as clusters.
  std::optional<SpdBatch> start = {};
  /// Largest number of features of kernel k-means. Without: exact up to 2000 matrices, 1000 features beyond.
  std::optional<Index> landmarks = {};
  /// Learn a subspace and an adjustment of eigenvalues from the assignments, and cluster again.
  bool learn = false;
  bool summarise = true;  ///< also compute silhouettes and a picture of the matrices, which a report shows
  std::uint64_t seed = 0;
  std::function<bool(std::string_view stage)> on_stage = {};  ///< false: throw Cancelled
  PairOptions pairs = {};
};

/// Throws InvalidInput for lists of different lengths.
double adjusted_rand_index(std::span<const int> one, std::span<const int> other);
double normalised_mutual_information(std::span<const int> one, std::span<const int> other);

/// Clusters, and what is known of them.
struct Clustering {
  /// One number of clusters that was tried.
  struct Count {
    Index clusters = 0;
    double inertia = 0;
    double silhouette = 0;  ///< mean over a sample, in the space of the method; -1 to 1
    double eigengap = 0;    ///< of spectral clustering: how far the next eigenvalue of the graph is below
  };

  /// Whether the matrices differ from one cloud, and from how many. k-means in the tangent space at the mean (or the
  /// coordinates of a flat metric) is compared with k-means on normally distributed points: first on one cloud with the
  /// covariance of the matrices, then on one cloud for each cluster that was found so far.
  struct Structure {
    Index samples = 0;
    std::vector<Index> clusters = {};         ///< numbers of clusters that were tried
    std::vector<double> explained = {};       ///< share of the variance between clusters, for each
    std::vector<Index> null_clusters = {};    ///< how many normal clouds it is compared with
    std::vector<double> null_mean = {};       ///< the same share for these
    std::vector<double> null_deviation = {};  ///< and its standard deviation
    std::vector<double> strength = {};        ///< prediction strength between halves of the data; 0 to 1
    Index found = 1;  ///< the largest number that explains clearly more than the null, with a strength of 0.8 or more
    bool structured() const { return found > 1; }
  };

  /// How clusters agree with given labels.
  struct Scores {
    double adjusted_rand = 0;       ///< 1: equal; about 0: chance
    double mutual_information = 0;  ///< normalised by the mean of the entropies; 0 to 1
    Matrix counts;                  ///< (classes, clusters)
    std::vector<std::string> class_names = {};
    std::vector<int> pictured = {};  ///< classes of the matrices in the picture
  };

  /// What learning without labels led to.
  struct Learning {
    bool adopted = false;          ///< whether the clusters are those of the learned kernel
    double plain_stability = 0;    ///< mean adjusted Rand index between the clusters of one half, predicted from the
                                   ///< other half, and its own; of the plain metric
    double learned_stability = 0;  ///< and after learning
    double standard_error = 0;     ///< of their difference
    Index splits = 0;
    Index components = 0;      ///< of the learned subspace; 0: eigenvalues only
    int rounds = 0;            ///< of assignments and learning
    std::string outcome = {};  ///< in words
  };

  /// Features of a kernel and the centres of clusters among them.
  struct FeatureCentres {
    NystromMap map;
    Matrix rows;                ///< (clusters, features)
    double residual_share = 0;  ///< mean part of a matrix that the features do not have; 0: exact
  };

  ClusterMethod method = ClusterMethod::kmeans;
  Metric metric = Metric::airm;
  double zeta = 0.5;
  std::optional<double> theta = {};  ///< of the kernel; none for k-means and for graphs with widths of their own
  std::uint64_t seed = 0;
  std::vector<int> labels = {};  ///< from 0 on, the largest cluster first
  std::vector<Index> sizes = {};
  double inertia = 0;  ///< sum of squared distances from the centres, in the space of the method
  int iterations = 0;  ///< of the start that was kept
  bool converged = false;
  std::optional<double> silhouette = {};  ///< mean over a sample; none for one cluster
  std::vector<double> cluster_silhouettes = {};
  std::vector<Count> tried = {};                ///< where the number was chosen
  std::optional<Structure> structure = {};      ///< where the number was chosen
  std::optional<SpdBatch> centres = {};         ///< of k-means
  std::optional<FeatureCentres> features = {};  ///< of kernel k-means
  std::vector<double> eigenvalues = {};         ///< of the normalised graph, largest first; of spectral clustering
  std::optional<LearnedKernel> learned = {};    ///< what is done to matrices first, where learning was adopted
  std::optional<Learning> learning = {};
  std::optional<Scores> scores = {};  ///< where the data have labels
  std::vector<Index> pictured = {};   ///< a sample of the matrices
  Matrix picture = {};                ///< their principal components, up to 4 columns
  std::vector<std::string> notes = {};

  Index clusters() const { return static_cast<Index>(sizes.size()); }
};

/// Parts matrices into clusters. Labels and groups of the data are not used, except to score the result. The same for
/// any number of threads and, with the same seed, on every run; independent of units where the metric is. Throws
/// InvalidInput for options that cannot be used.
Clustering cluster(const Dataset& data, const ClusterOptions& options = {});

/// The clusters of new matrices: those of the nearest centres. Throws InvalidInput for spectral clustering, which has
/// no centres, and for matrices of another size.
std::vector<int> assign(const Clustering& clustering, const SpdBatch& x, const PairOptions& options = {});

/// Writes the clusters to a .dsk file: their labels, centres and what was learned, so that `assign` can go on from it.
/// What only a report shows is left out: the numbers that were tried, scores and the picture. Throws InvalidInput if
/// the file cannot be written.
void save(const Clustering& clustering, const std::filesystem::path& file);
/// Throws InvalidInput for a file that is damaged or holds something else.
Clustering load_clustering(const std::filesystem::path& file, int threads = 0);

}  // namespace dsk

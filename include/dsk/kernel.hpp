#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>
#include <dsk/transform.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dsk {

/// The discriminative Stein kernel k(X, Y) = exp(-theta S(X~, Y~)), X~ being X with adjusted eigenvalues, projected to
/// a subspace or recentred first where that is part of the kernel; or the same with the squared distance by another
/// metric in place of S.
class LearnedKernel {
 public:
  /// Throws InvalidInput for an adjustment that fails its check or a theta that is not finite and above 0.
  LearnedKernel(EigenvalueAdjustment adjustment, double theta);
  /// The same for matrices that go through `before` first, which is a projection or several in a row. Throws
  /// InvalidInput also if the sizes differ, and for a metric that is not learnable; zeta is that of the power-Euclidean
  /// one.
  LearnedKernel(const Transform& before, EigenvalueAdjustment adjustment, double theta, Metric metric = Metric::stein,
                double zeta = 0.5);
  /// The Stein kernel itself, or that of another metric.
  static LearnedKernel plain(Index dim, double theta, Metric metric = Metric::stein, double zeta = 0.5);

  const Transform& transform() const { return transform_; }
  /// What comes before the adjustment; the identity for most kernels.
  Transform before() const;
  const EigenvalueAdjustment& adjustment() const;
  double theta() const { return theta_; }
  Metric metric() const { return metric_; }
  double zeta() const { return zeta_; }
  /// The same kernel with another width.
  LearnedKernel with_theta(double theta) const;
  /// Of the matrices that the kernel compares, and of X~.
  Index dim() const;
  Index result_dim() const { return adjustment().dim(); }

  /// X~ of every matrix; x itself if nothing is done to it. Throws InvalidInput if the sizes differ.
  SpdBatch adjust(const SpdBatch& x, int threads = 0) const;

 private:
  Transform transform_;
  double theta_;
  Metric metric_;
  double zeta_;
};

/// S(X~, Y~), or squared distances by the kernel's metric, of all pairs, as the nearest neighbours want it.
Matrix pairwise_divergences(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options = {});
Matrix pairwise_divergences(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                            const PairOptions& options = {});

/// k(X, Y) of all pairs.
Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options = {});
Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                     const PairOptions& options = {});

struct KernelOptions {
  Metric metric = Metric::stein;
  double theta = 1;
  double zeta = 0.5;              ///< exponent of the power-Euclidean metric
  bool allow_indefinite = false;  ///< let through what is not a kernel for every sample
  PairOptions pairs = {};
};

/// Whether exp(-theta d^2) is positive definite for every sample of d x d matrices: for Stein theta in
/// {1/2, 1, ..., (d-1)/2} or above (d-1)/2, never for AIRM, any positive theta for the others.
bool is_valid_theta(Metric metric, double theta, Index dim);

/// k(X, Y) = exp(-theta d(X, Y)^2). Throws InvalidInput, listing the valid values, if that is not a kernel.
Matrix kernel_matrix(const SpdBatch& x, const KernelOptions& options = {});
Matrix kernel_matrix(const SpdBatch& x, const SpdBatch& y, const KernelOptions& options = {});

/// How a classifier compares matrices.
struct Comparison {
  Metric metric = Metric::stein;
  double zeta = 0.5;                          ///< exponent of the power-Euclidean metric
  std::optional<LearnedKernel> learned = {};  ///< adjusts the matrices first; of the same metric
};

/// By a learned kernel and its metric.
Comparison comparison_by(const LearnedKernel& kernel);

/// Squared distances of all pairs of x with x or of x with y. Throws InvalidInput for a learned kernel of matrices of
/// another size or by another metric.
Matrix pairwise_squared_distances(const Comparison& comparison, const SpdBatch& x, const PairOptions& options = {});
Matrix pairwise_squared_distances(const Comparison& comparison, const SpdBatch& x, const SpdBatch& y,
                                  const PairOptions& options = {});

/// Several kernels combined: k(X, Y) is proportional to the sum of weight exp(-theta d(X, Y)^2) / variance over several
/// ways to compare and widths, and k(X, X) = 1.
class CombinedKernel {
 public:
  struct Width {
    double theta = 1;
    double weight = 1;
    double variance = 1;    ///< of the training set in the kernel's feature space, which makes weights comparable
    std::string name = {};  ///< for readers
  };
  /// One way to compare, with the kernels that it gives.
  struct Part {
    Comparison comparison;
    std::vector<Width> widths;
  };

  /// A kernel in the combination.
  struct Share {
    std::string name;
    double weight = 0;  ///< as in Width
  };

  /// Throws InvalidInput for a part without kernels, for learned parts for matrices of different sizes, and unless each
  /// metric is symmetric, thetas, zetas and variances finite and above 0, and weights finite, not negative, not all 0.
  explicit CombinedKernel(std::vector<Part> parts);

  const std::vector<Part>& parts() const { return parts_; }
  /// What exp(-theta d^2) is multiplied by: weight / variance, over the sum of these.
  double factor(const Width& width) const { return width.weight / width.variance / sum_; }
  /// The kernels with a weight above 0.
  std::vector<Share> shares() const;
  /// Whether all kernels in it are positive definite for every sample of d x d matrices.
  bool is_valid(Index dim) const;

 private:
  std::vector<Part> parts_;
  double sum_ = 0;
};

/// k(X, Y) of all pairs.
Matrix kernel_matrix(const CombinedKernel& kernel, const SpdBatch& x, const PairOptions& options = {});
Matrix kernel_matrix(const CombinedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                     const PairOptions& options = {});

/// Which matrices a table is of: those of x with each other or, unless it is null, with those of y.
struct TablePairs {
  const SpdBatch& x;
  const SpdBatch* y = nullptr;
  const LearnedKernel* learned = nullptr;  ///< in place of the metric, zeta and theta of the options, unless null
  bool embedded = false;                   ///< complex ones (see embed_hermitian): values are those of the complex ones
};

/// The values of all pairs, and what tells how far to trust them.
struct PairTable {
  /// Of the values of different matrices.
  struct Range {
    double smallest = 0;
    double median = 0;
    double largest = 0;
  };

  Matrix values;                               ///< with a team, rank 0 has them, and the others an empty matrix
  std::optional<Range> range = {};             ///< where there are any
  std::optional<SteinAccuracy> accuracy = {};  ///< of Stein divergences
  std::vector<std::string> warnings = {};      ///< where precision is too low for the condition numbers
};

/// pairwise_distances and kernel_matrix for one process or the ranks of the team in the options, each of which computes
/// some rows. With a learned kernel these are the distances of adjusted matrices and its kernel values, whatever its
/// theta.
PairTable distance_table(const TablePairs& pairs, const DistanceOptions& options = {});
PairTable kernel_table(const TablePairs& pairs, const KernelOptions& options = {});

/// Principal components of points known by their kernel matrix: (n, components), the largest first, signs such that
/// each column's entry of largest size is positive. Components beyond the rank are 0. Takes n^3 time. Throws
/// InvalidInput for a matrix that is not square and finite or a number of components outside 1..n.
Matrix kernel_principal_components(const Matrix& kernel, Index components);

/// How the matrices that stand for all others are chosen.
enum class Landmarks {
  adaptive,  ///< one after the other at random, in proportion to how badly those before it represent a matrix
  greedy,    ///< one after the other, each time the matrix that those before it represent worst
  uniform    ///< at random
};

/// Reads "adaptive", "greedy" or "uniform"; throws InvalidInput.
Landmarks parse_landmarks(std::string_view text);
std::string_view name(Landmarks choice);

struct NystromOptions {
  Index landmarks = 1000;            ///< at most; fewer where all others are represented by those already chosen
  std::optional<double> error = {};  ///< stop as soon as the residual share is no larger, between 0 and 1
  Landmarks choice = Landmarks::adaptive;
  /// Of the kernel exp(-theta d^2). By default the learned kernel's, otherwise 1 / the median squared distance of a
  /// sample, or the next larger theta that makes a kernel.
  std::optional<double> theta = {};
  /// Landmarks are chosen among so many matrices drawn at random, in pool x landmarks doubles of memory. 0: ten times
  /// the landmarks, at least 10,000.
  Index pool = 0;
  std::uint64_t seed = 0;  ///< of the pool and of the landmarks
  PairOptions pairs = {};
};

class ComparedBatch;

namespace detail {
struct Inside;
}

/// Features phi(X) = L^-1 (k(X, landmark_1), ..., k(X, landmark_m)), L being the Cholesky factor of the landmarks'
/// kernel matrix: phi(X)'phi(Y) is the kernel of Nystrom's approximation, exact if X or Y is a landmark.
class NystromMap {
 public:
  /// `factor` is (m, m), lower. Throws InvalidInput unless the parts fit together, theta makes a kernel, and the
  /// factor is finite with positive diagonal.
  NystromMap(Comparison comparison, double theta, Dataset landmarks, Matrix factor, int threads = 0);

  const Comparison& comparison() const { return comparison_; }
  double theta() const { return theta_; }
  /// In the order in which they were chosen, with what else was known of them.
  const Dataset& landmarks() const { return landmarks_; }
  const Matrix& factor() const { return factor_; }
  Index size() const { return landmarks_.size(); }
  Index dim() const { return landmarks_.dim(); }

  /// One row of `size()` features for each matrix. Throws InvalidInput for matrices of another size.
  Matrix features(const SpdBatch& x, const PairOptions& options = {}) const;

  /// The same in blocks of rows, whose memory does not grow with the number of matrices: calls visit(first row,
  /// features) for one block after the other.
  using Visitor = std::function<void(Index first, const Matrix& features)>;
  void visit_features(const SpdBatch& x, const Visitor& visit, const PairOptions& options = {}) const;

 private:
  friend struct detail::Inside;

  Comparison comparison_;
  double theta_;
  Dataset landmarks_;
  Matrix factor_;
  std::shared_ptr<const ComparedBatch> compared_;
};

struct NystromResult {
  /// How a map's landmarks were chosen.
  struct Fit {
    std::vector<Index> chosen;  ///< positions of the landmarks, in their order
    Index pool = 0;             ///< that they were chosen among
    /// After each landmark the part of the trace of the training set's kernel matrix that the map does not have, which
    /// is the mean of 1 - |phi(X)|^2 since k(X, X) = 1: from the pool, as if the matrices outside it were like the
    /// others in it that are no landmarks. Exact if the pool is the training set.
    std::vector<double> residual_shares;
  };

  NystromMap map;
  Fit fit;
};

/// Chooses landmarks by the incomplete Cholesky factor of a pool's kernel matrix; each takes one column of kernel
/// values. A matrix with a residual of 1e-10 or less, such as the copy of a landmark, is never taken. The same for any
/// number of threads. Throws InvalidInput for options out of range and for comparisons that make no kernel.
NystromResult fit_nystrom(const Comparison& comparison, const Dataset& train, const NystromOptions& options = {});
NystromResult fit_nystrom(const LearnedKernel& kernel, const Dataset& train, const NystromOptions& options = {});

/// Reads "nystrom:1000" (so many landmarks), "nystrom:error=0.01" (as few as bring the residual share to that, but no
/// more than 2000) or "nystrom:auto" (the same as error=0.01). Throws InvalidInput.
NystromOptions parse_nystrom(std::string_view text);

}  // namespace dsk

#pragma once

#include <dsk/learn.hpp>

#include <functional>
#include <span>

namespace dsk {

/// theta, C and the criterion's value of the plain kernel that is best by the criterion.
struct PlainKernel {
  double theta = 1;
  double c = 0;
  double value = 0;
};

/// Searches all valid theta: the half integers up to (d-1)/2, then the open interval above; for the margin criteria
/// together with C. What the options give is kept.
PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options = {});

/// Learns subspaces of several sizes of one training set, which share the mean and the decompositions. What is learned
/// does not depend on the units or the mixing of the channels: the data are whitened by their Riemannian mean first.
/// The same bits for any number of threads.
class SubspaceLearner {
 public:
  /// Throws InvalidInput for a bad option, fewer than two classes, or a criterion that cannot learn a subspace.
  explicit SubspaceLearner(const Dataset& train, const SubspaceOptions& options = {});
  /// The same with a given mean of the training set.
  SubspaceLearner(const Dataset& train, const SubspaceOptions& options, const Mean& mean);

  /// The top `components` eigenvectors of sum_c L_c^2, where L_c is the mean of log X over class c less the mean of
  /// these means: the directions in which the classes' means differ most.
  Projection start(Index components) const;
  /// Learns W of `components` columns; for as many as the matrices have rows the Stein divergence leaves only the
  /// whitening. Throws InvalidInput for a number outside 1..d.
  Subspace learn(Index components) const;

  /// M^-1/2, by which the data are whitened.
  const Matrix& whitening() const { return whitening_; }

 private:
  void check_components(Index components) const;
  Transform before() const;
  /// Whether there is nothing to learn: S does not change with an invertible W.
  bool is_whole(Index components) const;
  Subspace learn_by_blocks(Index components) const;

  Subspace learn_pairs(Index components) const;

  SubspaceOptions options_;
  Mean::Stop mean_stop_;
  Matrix whitening_;
  bool by_blocks_;
  Dataset train_;      ///< whitened; as it is where blocks of it are whitened, by `before`
  Matrix directions_;  ///< eigenvectors of sum_c L_c^2, the best first
};

namespace detail {

/// Kernel matrices by rows: the values of kernel `k` for `count` rows from `first` on. Called by several threads.
using BaseKernelRows = std::function<Matrix(Index kernel, Index first, Index count)>;

/// What aligned weights are computed from. Those of several sets of matrices can be added up.
struct AlignmentSums {
  Matrix products;            ///< of pairs of kernels, centred and of unit variance, and, last, of the centred classes
  Eigen::VectorXd variances;  ///< 0 for kernels that do not vary, which have no products
};

/// For kernels that need not be in memory, each of (size of the labels)^2 values. Throws as dsk::align_kernels does.
AlignmentSums alignment_sums(Index kernels, const BaseKernelRows& rows, const Labels& labels,
                             std::span<const double> sample_weights, int threads);
/// Throws InvalidInput if no kernel varies.
KernelWeights aligned_weights(const AlignmentSums& sums);

/// The x >= 0 that minimises x'Qx/2 - p'x for a positive semidefinite Q of unit diagonal, by Lawson and Hanson's active
/// set: at most 50 or so unknowns are meant.
Eigen::VectorXd solve_nonnegative(const Matrix& q, const Eigen::VectorXd& p);

/// Whether matrices are recentred or projected before their eigenvalues are adjusted.
bool has_steps_before(const FitOptions& options);
/// These steps, learned from the training set. `stop`, unless null, is set to that of the mean.
Transform fit_steps_before(const Dataset& train, const FitOptions& options, std::optional<Mean::Stop>* stop = nullptr);
/// For learning the rest from the transformed matrices.
FitOptions without_steps_before(FitOptions options);
Dataset transformed(const Dataset& data, const Transform& transform, const FitOptions& options);

/// Throws InvalidInput for a criterion or a device that cannot learn in blocks, or blocks too small for the training
/// set's classes.
void check_blocks(Index batch, Criterion criterion, const Dataset& train, const PairOptions& pairs);

/// Whether to learn from random blocks: not where one holds the whole training set.
inline bool learns_by_blocks(Index batch, const Dataset& train) {
  return batch > 0 && batch < train.size();
}

}  // namespace detail

}  // namespace dsk

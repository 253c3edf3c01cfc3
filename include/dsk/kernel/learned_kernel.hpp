#pragma once

#include <dsk/kernel/adjustment.hpp>
#include <dsk/pairs/options.hpp>

namespace dsk {

/// The discriminative Stein kernel k(X, Y) = exp(-theta S(X~, Y~)), X~ being X with adjusted eigenvalues.
class LearnedKernel {
 public:
  /// Throws InvalidInput for an adjustment that fails its check or a theta that is not finite and above 0.
  LearnedKernel(EigenvalueAdjustment adjustment, double theta);
  /// The Stein kernel itself.
  static LearnedKernel plain(Index dim, double theta);

  const EigenvalueAdjustment& adjustment() const { return adjustment_; }
  double theta() const { return theta_; }
  Index dim() const { return adjustment_.dim(); }

  /// X~ of every matrix; x itself if nothing is adjusted. Throws InvalidInput if the sizes differ.
  SpdBatch adjust(const SpdBatch& x, int threads = 0) const;

 private:
  EigenvalueAdjustment adjustment_;
  double theta_;
};

/// S(X~, Y~) of all pairs, as the nearest neighbours want it.
Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options = {});
Matrix divergence_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                         const PairOptions& options = {});

/// k(X, Y) of all pairs.
Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const PairOptions& options = {});
Matrix kernel_matrix(const LearnedKernel& kernel, const SpdBatch& x, const SpdBatch& y,
                     const PairOptions& options = {});

}  // namespace dsk

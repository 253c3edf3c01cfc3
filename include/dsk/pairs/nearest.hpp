#pragma once

#include <dsk/spd/batch.hpp>

#include <memory>
#include <span>
#include <vector>

namespace dsk {

namespace engine {
class NearestIndex;
class NearestWorkspace;
}  // namespace engine

/// One of the nearest matrices of a set.
struct Neighbour {
  Index index = -1;
  double divergence = 0;
};

/// How the nearest matrices are looked for; what is found is the same.
enum class NearestSearch {
  automatic,   ///< abandoning, or whole where the first matrices of a call show that to be less work
  abandoning,  ///< a pair's Cholesky factor ends as soon as its leading block is farther than the nearest so far
  whole        ///< all divergences are computed
};

struct NearestOptions {
  Index count = 5;
  NearestSearch search = NearestSearch::automatic;
  int threads = 0;  ///< 0: all cores
};

/// A set of matrices in which the nearest by the Stein divergence are looked up, exactly. The divergence of leading
/// blocks never falls when they grow, so that most far pairs need only a part of their factor.
class NearestStein {
 public:
  /// Throws InvalidInput for a matrix that is too small beside the largest one.
  explicit NearestStein(const SpdBatch& known, int threads = 0);
  /// Matrices that are neighbours in `order`, a permutation, are compared side by side: the more alike they are the
  /// earlier they are given up. Indices in answers remain those of `known`.
  NearestStein(const SpdBatch& known, std::span<const Index> order, int threads = 0);

  Index size() const;
  Index dim() const;

  /// For each matrix of x the nearest min(count, size()), nearest first and of equally near ones the one with the
  /// lower index first. Throws InvalidInput for another dimension or a count below 1, and PairFailure for a pair that
  /// was looked at and is not numerically positive definite.
  std::vector<Neighbour> find(const SpdBatch& x, const NearestOptions& options = {}) const;

 private:
  friend class NearestQuery;
  std::shared_ptr<const engine::NearestIndex> index_;
};

/// Looks up one matrix after the other in the calling thread, without asking for memory.
class NearestQuery {
 public:
  NearestQuery(const NearestStein& known, Index count, NearestSearch search = NearestSearch::automatic);
  ~NearestQuery();
  NearestQuery(NearestQuery&&) noexcept;
  NearestQuery& operator=(NearestQuery&&) noexcept;

  /// As NearestStein::find; reads the lower triangle. The answer is valid until the next call. Throws InvalidInput for
  /// a matrix that is not positive definite.
  std::span<const Neighbour> operator()(const MatrixView& matrix);
  /// The part of the arithmetic of all divergences that the last search took.
  double work() const;

 private:
  std::unique_ptr<engine::NearestWorkspace> workspace_;
};

}  // namespace dsk

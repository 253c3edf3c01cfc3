#pragma once

#include <dsk/learn.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "learn/minimise.hpp"
#include "learn/objective.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

/// Random blocks of a training set. Each class has its share of every run of matrices of a block, to within one or so,
/// and blocks share no matrix until all matrices have been drawn but a few, fewer than a block; then they are shuffled
/// again. The same seed gives the same blocks on every machine.
class RandomBlocks {
 public:
  /// Of `size` matrices, at most all of them.
  RandomBlocks(const Labels& labels, Index size, std::uint64_t seed);

  Index size() const { return size_; }
  /// How many there are so far.
  Index count() const { return static_cast<Index>(blocks_.size()); }
  /// The positions of block b's matrices in the training set.
  std::span<const Index> operator[](Index b) const { return blocks_[static_cast<std::size_t>(b)]; }
  /// Draws more until there are `count`.
  void draw(Index count);
  /// Forgets all blocks; the next ones come after a new shuffle.
  void start_again();

 private:
  void shuffle();

  Index size_;
  std::vector<std::vector<Index>> classes_;
  std::mt19937_64 random_;
  std::vector<Index> order_;  ///< of all matrices
  Index drawn_ = 0;           ///< so many of `order_`
  std::vector<std::vector<Index>> blocks_;
};

/// How many matrices to take at a time where all are gone through once.
inline Index part_of_blocks(Index batch) {
  return std::max<Index>(batch, 4096);
}

/// `count` matrices from `first` on.
SpdBatch run_of(const SpdBatch& x, Index first, Index count);

/// The criterion of few matrices is off by about a constant over their number. With J of a block and the mean J' of its
/// halves, J - f (J' - J) has the same expectation as J of the whole training set but for terms of second order: this
/// f. (Richardson extrapolation.)
double extrapolation_factor(Index block, Index samples);

/// Begins the search of a transform of some matrices. Parameters mean the same for all matrices.
using SearchMaker = std::function<std::unique_ptr<TransformSearch>(const SpdBatch&)>;

/// What is learned from in random blocks. The criterion and the training set must outlive it.
struct BlockProblem {
  const CriterionRow& criterion;
  const Dataset& train;
  Transform before = {};  ///< done to the matrices of each block first
  Index size = 0;         ///< of a block
  std::uint64_t seed = 0;
  PairOptions pairs = {};
};

struct DescentLimits {
  int max_iterations = 100;
  double tolerance = 1e-5;
  std::function<bool(const Fit::Iteration&)> on_iteration = {};
};

/// Learns from random blocks of a training set as from all of it, in memory for a block. What it minimises is the mean
/// over a sample of blocks, each of which estimates the criterion of all pairs. L-BFGS minimises it; then the sample is
/// doubled, until that changes nothing. The same bits for any number of threads.
class BlockLearner {
 public:
  explicit BlockLearner(const BlockProblem& problem);

  /// Estimates of the criterion where the search begins, for every theta (rows) and C (columns).
  Matrix values(const SearchMaker& search, std::span<const double> thetas, std::span<const double> cs);
  /// The matrices of the first block.
  SpdBatch some_matrices();

  /// The best point, and how it went: as for a descent over all pairs, but for the criterion, which `evaluate` finds.
  std::pair<Eigen::VectorXd, Fit> descend(const SearchMaker& search, const DescentStart& start, double penalty,
                                          const DescentLimits& limits);
  /// Puts the criterion at these parameters, estimated on blocks not drawn yet, into `fit`. Blocks that it cannot be
  /// computed on are left out. Throws NumericalFailure where that leaves none.
  void evaluate(const SearchMaker& search, const Eigen::VectorXd& parameters, double theta, Fit& fit);

 private:
  class Part;
  /// The parts of a block that was cut in halves so many times, ready for a criterion; ends early, with false, where
  /// the visitor says false. A PairFailure names matrices of the training set.
  template <class Visitor>
  bool visit_parts(const SearchMaker& search, Index block, int halvings, const Visitor& visit) const;
  /// The same for the whole block and its halves, with the factors that make an estimate for all pairs of a sum.
  template <class Visitor>
  bool visit_weighted(const SearchMaker& search, Index block, const Visitor& visit) const;
  /// The criterion of the block, and its means over the halves and over the quarters.
  Eigen::Vector3d means_of_parts(const SearchMaker& search, Index block, const Eigen::VectorXd& parameters,
                                 double theta) const;
  /// The objective of the first `count` blocks, each one's in `by_block`.
  double objective(const SearchMaker& search, const DescentStart& start, double penalty, Index count,
                   const Eigen::VectorXd& point, Eigen::VectorXd& gradient, Eigen::VectorXd& by_block) const;
  /// As many blocks as learning will look at: about as many as hold each matrix once, and no more pairs than there are.
  Index most_blocks() const;

  BlockProblem problem_;
  RandomBlocks blocks_;
};

}  // namespace dsk::detail

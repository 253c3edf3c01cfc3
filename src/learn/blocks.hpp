#pragma once

#include <dsk/learn.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

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

}  // namespace dsk::detail

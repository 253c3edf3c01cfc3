#pragma once

#include <dsk/engine.hpp>

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/cpu/packed.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {

/// The nearest of all that were offered, nearest first; of equally near ones the one with the lower index is nearer.
class NearestList {
 public:
  explicit NearestList(Index capacity) : capacity_(static_cast<std::size_t>(capacity)) { entries_.reserve(capacity_); }

  void clear() { entries_.clear(); }
  std::span<const Neighbour> entries() const { return entries_; }

  /// What is farther than this will not be taken.
  double limit() const {
    return entries_.size() < capacity_ ? std::numeric_limits<double>::infinity() : entries_.back().divergence;
  }

  void offer(Index index, double divergence) {
    const Neighbour offered{index, divergence};
    if (entries_.size() == capacity_) {
      if (!nearer(offered, entries_.back())) return;
      entries_.pop_back();
    }
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), offered, nearer), offered);
  }

 private:
  static bool nearer(const Neighbour& a, const Neighbour& b) {
    return a.divergence != b.divergence ? a.divergence < b.divergence : a.index < b.index;
  }

  std::size_t capacity_;
  std::vector<Neighbour> entries_;
};

/// What giving up early needs to know of the matrices of a batch.
struct Leading {
  Index strips = 0;                   ///< of 4 rows, the last may have fewer
  PackedBatch<double> blocks;         ///< the first rows and columns only: their divergences bound those of the whole
  AlignedArray<double> block_halves;  ///< log det / 2 of these
  AlignedArray<double> halves;        ///< log det / 2 of the leading blocks of 4, 8, ... rows, group by group
  AlignedArray<double> slacks;        ///< for each group; those of two groups bound what rounding adds to a divergence

  explicit Leading(const PackedBatch<double>& batch);
  /// Of group g, group_size values for each strip of 4 rows.
  const double* halves_of(Index g) const { return halves.data() + g * strips * group_size<double>; }
  /// Brings group g up to date.
  void prepare(const PackedBatch<double>& batch, Index g, double* scratch);
};

/// A batch with all that is done once per matrix.
struct PreparedBatch {
  PackedBatch<double> packed;
  AlignedArray<double> halves;     ///< log det / 2
  std::optional<Leading> leading;  ///< where giving up early can pay

  /// Throws InvalidInput for a matrix that is not positive definite beside the others.
  PreparedBatch(const SpdBatch& batch, const CoordinateScale& scale, bool for_giving_up, int threads);
  /// Room for one matrix.
  PreparedBatch(Index dim, bool for_giving_up);
  /// Puts a matrix into that room.
  void set(const MatrixView& matrix, const CoordinateScale& scale, double* scratch);
};

/// The set that is searched, in the order in which it is gone through.
class NearestIndex {
 public:
  NearestIndex(const SpdBatch& known, std::span<const Index> order, int threads);

  Index size() const { return batch_.packed.size(); }
  Index dim() const { return batch_.packed.dim(); }
  Index groups() const { return batch_.packed.groups(); }
  bool may_give_up() const { return batch_.leading.has_value(); }
  const CoordinateScale& scale() const { return scale_; }
  /// As the caller gave it.
  const SpdBatch& known() const { return known_; }
  const PreparedBatch& batch() const { return batch_; }
  /// The index, as callers know it, of the matrix at a position.
  Index caller_index(Index position) const { return order_[static_cast<std::size_t>(position)]; }

 private:
  SpdBatch known_;
  std::vector<Index> order_;
  CoordinateScale scale_;
  PreparedBatch batch_;
};

/// Looks up one matrix by giving up early. Its memory is asked for once.
class AbandoningSearch {
 public:
  explicit AbandoningSearch(const NearestIndex& index);

  /// Offers the matrices of the index that may be among the nearest to matrix i of a batch. Returns the operations it
  /// took, as a part of those of all divergences. Throws PairFailure.
  double run(const PreparedBatch& x, Index i, NearestList& nearest);

 private:
  void bound(const PreparedBatch& x, Index i);

  const NearestIndex& index_;
  AlignedArray<double> bounds_;
  AlignedArray<double> scratch_;
  std::vector<std::pair<double, Index>> order_;
};

/// Looks up rows first .. last of a batch by computing all divergences. Its memory is asked for once.
class WholeSearch {
 public:
  explicit WholeSearch(const NearestIndex& index);

  /// Offers all matrices of the index; lists[k] belongs to row first + k. Throws PairFailure.
  void run(const PreparedBatch& x, Index first, std::span<NearestList> lists);

 private:
  const NearestIndex& index_;
  AlignedArray<double> values_;
  AlignedArray<double> scratch_;
};

}  // namespace dsk::engine

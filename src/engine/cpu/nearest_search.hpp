#pragma once

#include "engine/cpu/nearest_index.hpp"
#include "engine/cpu/nearest_list.hpp"
#include "engine/cpu/stein_tile.hpp"

namespace dsk::engine {

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

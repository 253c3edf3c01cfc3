#pragma once

#include <dsk/engine.hpp>

#include <algorithm>
#include <limits>

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

}  // namespace dsk::engine

#pragma once

#include <dsk/classify.hpp>

#include <utility>

#include "classify/classify.hpp"

namespace dsk::detail {

/// Takes up the classes of the nearest of one matrix after the other.
class Votes {
 public:
  Votes(const Labels& known, Index count)
      : known_(known),
        codes_(static_cast<std::size_t>(count)),
        scores_(Matrix::Zero(count, static_cast<Index>(known.names().size()))) {}

  void take(Index i, std::span<const int> nearest) {
    codes_[static_cast<std::size_t>(i)] = most_votes(nearest);
    for (const int c : nearest) scores_(i, c) += 1;
    scores_.row(i) /= static_cast<double>(nearest.size());
  }

  Prediction prediction() && {
    return {Labels(known_.names(), std::move(codes_), known_.integral()), std::move(scores_)};
  }

 private:
  const Labels& known_;
  std::vector<int> codes_;
  Matrix scores_;
};

}  // namespace dsk::detail

#pragma once

#include <dsk/select/folds.hpp>

#include <string>
#include <string_view>

namespace dsk {

/// How a data set is parted into what is learned from and what is scored.
struct Protocol {
  enum class Kind {
    halves,  ///< `count` random stratified halves: one is learned from, the other scored
    kfold,   ///< `count` folds, each scored once
    loo,     ///< every matrix scored once, learned from all others
    given    ///< as `parts` says
  };
  Kind kind = Kind::halves;
  Index count = 20;
  std::vector<int> parts = {};  ///< of a given split: for each matrix the split that scores it, -1 for none

  /// Reads "halves:20", "kfold:5" or "loo"; throws InvalidInput.
  static Protocol parse(std::string_view text);
  /// One split from the names "train" and "test", or one for every number from 0 on, -1 meaning that a matrix is only
  /// learned from. Throws InvalidInput for anything else.
  static Protocol given(const Labels& parts);
  std::string text() const;
};

/// The splits of a protocol, the same for the same seed on every machine. Where the data set has groups no group is in
/// both parts of a split, and `loo` leaves out a group at a time. Throws InvalidInput where the data set is too small
/// or a given split does not fit it.
std::vector<Split> make_splits(const Dataset& data, const Protocol& protocol, std::uint64_t seed);

}  // namespace dsk

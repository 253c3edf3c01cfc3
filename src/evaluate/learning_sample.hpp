#pragma once

#include <dsk/matrices.hpp>

namespace dsk::detail {

/// The matrices that a kernel is learned from: all, or `count` of them, as many of each class as can be, if that is
/// above 0.
inline Dataset to_learn_from(const Dataset& train, Index count, std::uint64_t seed) {
  return count > 0 && count < train.size() ? train.select(balanced_sample(train.labels(), count, seed)) : train;
}

}  // namespace dsk::detail

#pragma once

#include <dsk/select/folds.hpp>

namespace dsk::detail {

/// The matrices that a kernel is learned from: all, or a stratified sample of `count` if that is above 0.
inline Dataset to_learn_from(const Dataset& train, Index count, std::uint64_t seed) {
  return count > 0 && count < train.size() ? train.select(stratified_sample(train.labels(), count, seed)) : train;
}

}  // namespace dsk::detail

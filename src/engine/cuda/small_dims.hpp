#pragma once

#include <type_traits>
#include <utility>

namespace dsk::engine::cuda {

/// Calls work(integral constant) with the dimension, which is 1 to kLargest.
template <int kLargest, class Work>
void with_dim(int dim, const Work& work) {
  [&]<int... kBefore>(std::integer_sequence<int, kBefore...>) {
    (void)((dim == kBefore + 1 && (work(std::integral_constant<int, kBefore + 1>()), true)) || ...);
  }
  (std::make_integer_sequence<int, kLargest>());
}

}  // namespace dsk::engine::cuda

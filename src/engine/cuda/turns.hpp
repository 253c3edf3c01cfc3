#pragma once

#include <algorithm>
#include <cmath>

#include "engine/cuda/launch.hpp"
#include "machine/interrupt.hpp"

namespace dsk::engine::cuda {

/// Calls work(first, end) for equal runs of pieces of work that take some tenths of a second, between which a
/// computation can be interrupted.
template <class Work>
void in_turns(long pieces, double nanoseconds_each, const Work& work) {
  constexpr double nanoseconds_of_a_turn = 5e8;
  const double turns = std::ceil(static_cast<double>(pieces) * nanoseconds_each / nanoseconds_of_a_turn);
  const long each = std::max(1L, static_cast<long>(std::ceil(static_cast<double>(pieces) / turns)));
  for (long first = 0; first < pieces; first += each) {
    detail::check_interrupt();
    if (first > 0) check(cudaDeviceSynchronize(), "a computation");
    work(first, std::min(first + each, pieces));
  }
}

}  // namespace dsk::engine::cuda

#pragma once

#include <dsk/errors.hpp>

#include <atomic>

namespace dsk::detail {

inline std::atomic<bool> interrupt_asked = false;

/// Cheap enough for every few microseconds of work.
inline void check_interrupt() {
  if (interrupt_asked.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace dsk::detail

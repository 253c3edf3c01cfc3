#pragma once

#include <dsk/errors.hpp>

#include <atomic>

namespace dsk::detail {

inline std::atomic<bool> interrupt_asked = false;

/// Throws Interrupted after interrupt(). Cheap enough to call every few microseconds.
inline void check_interrupt() {
  if (interrupt_asked.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace dsk::detail

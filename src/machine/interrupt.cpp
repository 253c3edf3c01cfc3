#include "machine/interrupt.hpp"

namespace dsk {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void interrupt() noexcept {
  detail::interrupt_asked.store(true, std::memory_order_relaxed);
}

void allow_computation() noexcept {
  detail::interrupt_asked.store(false, std::memory_order_relaxed);
}

}  // namespace dsk

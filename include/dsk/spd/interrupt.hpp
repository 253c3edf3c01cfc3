#pragma once

#include <atomic>
#include <exception>

namespace dsk {

/// Thrown out of a computation after interrupt(). Not one of the standard library's errors: it must pass through code
/// that goes on after those.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Asks every computation of this process that is long enough to matter to end by throwing Interrupted, on whichever
/// thread it runs. May be called from signal handlers and other threads. Holds until allow_computation(). Solving for
/// the eigenvalues of one large matrix is not interrupted.
void interrupt() noexcept;
void allow_computation() noexcept;

namespace detail {
inline std::atomic<bool> interrupt_asked = false;

/// Cheap enough for every few microseconds of work.
inline void check_interrupt() {
  if (interrupt_asked.load(std::memory_order_relaxed)) throw Interrupted();
}
}  // namespace detail

}  // namespace dsk

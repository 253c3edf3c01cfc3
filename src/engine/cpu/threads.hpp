#pragma once

#include <dsk/matrices.hpp>

#include <exception>
#include <utility>

#include "machine/parallel.hpp"

namespace dsk::engine {

/// Floating-point operations of one log-determinant, with what comes on top for small matrices.
inline double factor_cost(Index dim) {
  const double d = static_cast<double>(dim);
  return d * d * d / 3 + 2 * d * d + 40;
}

/// How many threads a job of so many floating-point operations is worth.
inline int thread_count(int asked, double operations) {
  constexpr double operations_per_nanosecond = 20;
  return detail::worker_count(asked, operations / operations_per_nanosecond);
}

/// Keeps the first exception of a parallel region, which must not leave it, for rethrowing behind it. An interrupt is
/// one of them.
class ThreadErrors {
 public:
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      detail::check_interrupt();
      if (!seen()) work();
    } catch (...) {
      keep(std::current_exception());
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  bool seen() const;
  void keep(std::exception_ptr error);
  std::exception_ptr first_;
  bool seen_ = false;
};

inline bool ThreadErrors::seen() const {
  bool seen = false;
#pragma omp atomic read
  seen = seen_;
  return seen;
}

inline void ThreadErrors::keep(std::exception_ptr error) {
#pragma omp critical(dsk_thread_errors)
  if (!first_) {
    first_ = std::move(error);
#pragma omp atomic write
    seen_ = true;
  }
}

}  // namespace dsk::engine

#include "pairs/threads.hpp"

#include <omp.h>

#include <dsk/spd/error.hpp>

#include <string>

namespace dsk::engine {

int thread_count(int asked, double operations) {
  if (asked < 0) throw InvalidInput("the number of threads must be 0 (all cores) or more, not " + std::to_string(asked));
  constexpr double operations_per_millisecond = 2e7;
  if (operations < operations_per_millisecond) return 1;
  return asked == 0 ? omp_get_max_threads() : asked;
}

bool ThreadErrors::seen() const {
  bool seen = false;
#pragma omp atomic read
  seen = seen_;
  return seen;
}

void ThreadErrors::keep(std::exception_ptr error) {
#pragma omp critical(dsk_thread_errors)
  if (!first_) {
    first_ = std::move(error);
#pragma omp atomic write
    seen_ = true;
  }
}

}  // namespace dsk::engine

#include "engine/cpu/threads.hpp"

namespace dsk::engine {

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

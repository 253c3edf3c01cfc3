#pragma once

#include <dsk/errors.hpp>

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>

#include "machine/interrupt.hpp"

namespace dsk::detail {

/// As many of these threads as there is room for under a limit of the address space (ulimit -v): OpenMP's run time
/// would end the program if it could not start one.
int startable_threads(int wanted);

/// The number of threads to use for this much work: one if it takes less than a millisecond.
inline int worker_count(int asked, double nanoseconds) {
  if (asked < 0) throw InvalidInput("threads is " + std::to_string(asked) + ", but must be 0 (all cores) or more");
  if (nanoseconds < 1e6) return 1;
  // More than a few threads per core only cost memory, and thousands crash the OpenMP runtime.
  return startable_threads(asked == 0 ? omp_get_max_threads() : std::min(asked, std::max(8, 4 * omp_get_num_procs())));
}

/// Calls body(first, last) for consecutive ranges that cover [0, count), on several threads if there is enough work.
/// The ranges do not depend on the number of threads. If some fail, the exception of the first of them is rethrown.
template <class Body>
void for_ranges(std::ptrdiff_t count, int threads, double nanoseconds_each, const Body& body) {
  const double pieces_wanted = static_cast<double>(count) * nanoseconds_each / 1e5;
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(
      1, static_cast<std::ptrdiff_t>(static_cast<double>(count) / std::max(pieces_wanted, 1.0)));
  const std::ptrdiff_t pieces = (count + grain - 1) / grain;
  const int limit = worker_count(threads, static_cast<double>(count) * nanoseconds_each);
  const auto workers = static_cast<int>(std::clamp<std::ptrdiff_t>(pieces, 1, limit));
  std::exception_ptr error;
  std::ptrdiff_t failed_piece = pieces;
#pragma omp parallel for schedule(dynamic) num_threads(workers) if (workers > 1)
  for (std::ptrdiff_t piece = 0; piece < pieces; ++piece) {
    try {
      check_interrupt();
      body(piece * grain, std::min(count, (piece + 1) * grain));
    } catch (...) {
#pragma omp critical(dsk_for_ranges)
      if (piece < failed_piece) {
        failed_piece = piece;
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

/// Rough time, in nanoseconds, of an O(d^3) operation on one matrix.
inline double cubic_cost(std::ptrdiff_t dim, double nanoseconds_per_cube) {
  const auto d = static_cast<double>(dim);
  return 200 + nanoseconds_per_cube * d * d * d;
}

}  // namespace dsk::detail

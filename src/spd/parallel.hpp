#pragma once

#include <omp.h>

#include <dsk/spd/error.hpp>
#include <dsk/spd/interrupt.hpp>
#include <dsk/spd/matrix.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace dsk::detail {

/// Threads worth starting for so much work: one below a millisecond.
inline int worker_count(int asked, double nanoseconds) {
  if (asked < 0) throw InvalidInput("threads " + std::to_string(asked) + " is below 0; use 0 for all cores");
  if (nanoseconds < 1e6) return 1;
  // More than a few per core only cost memory, and some thousands crash the OpenMP run time.
  return asked == 0 ? omp_get_max_threads() : std::min(asked, std::max(8, 4 * omp_get_num_procs()));
}

/// Calls body(first, last) for pieces of [0, count), on several threads if the work is worth it. The pieces do not
/// depend on the number of threads. The exception of the first failing piece is rethrown.
template <class Body>
void for_ranges(Index count, int threads, double nanoseconds_each, const Body& body) {
  const double pieces_wanted = static_cast<double>(count) * nanoseconds_each / 1e5;
  const Index grain = std::max<Index>(1, static_cast<Index>(static_cast<double>(count) / std::max(pieces_wanted, 1.0)));
  const Index pieces = (count + grain - 1) / grain;
  const int workers = worker_count(threads, static_cast<double>(count) * nanoseconds_each);
  std::exception_ptr error;
  Index failed_piece = pieces;
#pragma omp parallel for schedule(dynamic) num_threads(workers) if (workers > 1)
  for (Index piece = 0; piece < pieces; ++piece) {
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

/// Rough time of an O(d^3) operation on one matrix.
inline double cubic_cost(Index dim, double nanoseconds_per_cube) {
  const auto d = static_cast<double>(dim);
  return 200 + nanoseconds_per_cube * d * d * d;
}

}  // namespace dsk::detail

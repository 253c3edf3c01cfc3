#pragma once

#include <dsk/errors.hpp>

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>

#include "machine/interrupt.hpp"

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
void for_ranges(std::ptrdiff_t count, int threads, double nanoseconds_each, const Body& body) {
  const double pieces_wanted = static_cast<double>(count) * nanoseconds_each / 1e5;
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(
      1, static_cast<std::ptrdiff_t>(static_cast<double>(count) / std::max(pieces_wanted, 1.0)));
  const std::ptrdiff_t pieces = (count + grain - 1) / grain;
  const auto workers = static_cast<int>(
      std::min<std::ptrdiff_t>(worker_count(threads, static_cast<double>(count) * nanoseconds_each), pieces));
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

/// Rough time of an O(d^3) operation on one matrix.
inline double cubic_cost(std::ptrdiff_t dim, double nanoseconds_per_cube) {
  const auto d = static_cast<double>(dim);
  return 200 + nanoseconds_per_cube * d * d * d;
}

}  // namespace dsk::detail

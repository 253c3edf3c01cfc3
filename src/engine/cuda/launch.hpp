// Calls of the CUDA run time that end in an exception where they fail.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "machine/interrupt.hpp"

namespace dsk::engine::cuda {

/// Throws DeviceError, in one line, for anything but success.
void check(cudaError_t status, const char* what);

/// Bytes of shared memory that a block can have on every device since compute capability 8.0.
constexpr std::size_t shared_memory_everywhere = 99 * 1024;

/// Whether a block can have so many bytes of shared memory on this device.
inline bool has_shared_memory(std::size_t bytes) {
  if (bytes <= shared_memory_everywhere) return true;
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "requesting the device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "requesting shared memory");
  return bytes <= static_cast<std::size_t>(most);
}

/// Starts a kernel that may want more shared memory than every device has.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared_bytes,
            const Arguments&... arguments) {
  constexpr std::size_t always_there = 48 * 1024;
  if (shared_bytes > always_there)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "requesting shared memory");
  kernel<<<grid, threads, shared_bytes>>>(arguments...);
  check(cudaGetLastError(), "starting a computation");
}

/// Calls work(first, end) for equal runs of pieces of work that take some tenths of a second, between which a
/// computation can be interrupted.
template <class Work>
void in_turns(long pieces, double nanoseconds_each, const Work& work) {
  constexpr double nanoseconds_of_a_turn = 5e8;
  const double turns = std::ceil(static_cast<double>(pieces) * nanoseconds_each / nanoseconds_of_a_turn);
  const long each = std::max(1L, static_cast<long>(std::ceil(static_cast<double>(pieces) / turns)));
  for (long first = 0; first < pieces; first += each) {
    detail::check_interrupt();
    if (first > 0) check(cudaDeviceSynchronize(), "a computation");
    work(first, std::min(first + each, pieces));
  }
}

}  // namespace dsk::engine::cuda

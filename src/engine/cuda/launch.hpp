// Calls of the CUDA run time that end in an exception where they fail.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace dsk::engine::cuda {

/// Throws DeviceError, in one line, for anything but success.
void check(cudaError_t status, const char* what);

/// Starts a kernel that may want more shared memory than every device has.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared_bytes,
            const Arguments&... arguments) {
  constexpr std::size_t always_there = 48 * 1024;
  if (shared_bytes > always_there)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "asking for shared memory");
  kernel<<<grid, threads, shared_bytes>>>(arguments...);
  check(cudaGetLastError(), "starting a computation");
}

}  // namespace dsk::engine::cuda

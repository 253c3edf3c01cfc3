#include <dsk/engine.hpp>

#include <atomic>
#include <cstdio>
#include <string>

#include "engine/cuda/strip_sweep.hpp"

namespace dsk::engine::cuda {
namespace {

constexpr int oldest_major = 8;  // the first with tensor cores for double precision

std::atomic<int> chosen{-1};

std::string amount(std::size_t bytes) {
  constexpr double mebibyte = 1024 * 1024;
  const double mebibytes = static_cast<double>(bytes) / mebibyte;
  char text[32];
  if (mebibytes < 1024)
    std::snprintf(text, sizeof text, "%.1f MiB", mebibytes);
  else
    std::snprintf(text, sizeof text, "%.1f GiB", mebibytes / 1024);
  return text;
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string("device cuda: ") + what + " failed: " + cudaGetErrorString(status));
}

void* take_memory(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes == 0 ? 1 : bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
      cudaGetLastError();
      throw DeviceError("device cuda: other programs use its memory, so that nothing can start there; use cpu");
    }
    throw DeviceError("device cuda: " + amount(bytes) + " more are needed, but only " + amount(free) + " of " +
                      amount(total) + " are free; use fewer matrices or cpu");
  }
  check(status, "allocating memory");
  return memory;
}

void choose_device(int number) {
  chosen = number;
}

DeviceStatus device_status() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    return {true, false,
            std::string("no device found") +
                (status == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(status) + ")")};
  }
  cudaDeviceProp properties{};
  int device = chosen;
  const cudaError_t current = device < 0 ? cudaGetDevice(&device) : cudaSetDevice(device %= count);
  if (current != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();
    return {true, false, "the device does not answer"};
  }
  const std::string text = std::string(properties.name) + ", " + amount(properties.totalGlobalMem) +
                           ", compute capability " + std::to_string(properties.major) + "." +
                           std::to_string(properties.minor);
  if (properties.major < oldest_major) return {true, false, text + ": too old, 8.0 is needed"};
  return {true, true, text};
}

void require_device() {
  if (const DeviceStatus status = device_status(); !status.usable)
    throw InvalidInput("device cuda: " + status.text + "; use cpu");
}

}  // namespace dsk::engine::cuda

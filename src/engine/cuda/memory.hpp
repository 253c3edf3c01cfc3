#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/cuda/launch.hpp"

namespace dsk::engine::cuda {

/// Takes device memory; throws DeviceError, naming what was asked for and what is free.
void* take_memory(std::size_t bytes);

/// Numbers in the memory of the device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(long count)
      : data_(static_cast<T*>(take_memory(static_cast<std::size_t>(count) * sizeof(T)))), count_(count) {}
  DeviceArray(const T* host, long count) : DeviceArray(count) { put(host, count); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  long size() const { return count_; }
  /// Makes room for `count` numbers; what was there is lost where it did not suffice.
  void reserve(long count) {
    if (count <= count_) return;
    *this = DeviceArray();
    *this = DeviceArray(count);
  }
  /// Makes room for numbers of the host, and copies them.
  void take(std::span<const T> host) {
    reserve(static_cast<long>(host.size()));
    put(host.data(), static_cast<long>(host.size()));
  }
  void put(const T* host, long count) {
    check(cudaMemcpy(data_, host, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice),
          "copying to the device");
  }
  void get(T* host, long count) const {
    check(cudaMemcpy(host, data_, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost),
          "copying from the device");
  }

 private:
  T* data_ = nullptr;
  long count_ = 0;
};

}  // namespace dsk::engine::cuda

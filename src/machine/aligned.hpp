#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace dsk::detail {

/// Cache-line aligned, uninitialised memory for the SIMD kernels.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::ptrdiff_t size)
      : data_(hwy::AllocateAligned<T>(static_cast<std::size_t>(size))), size_(size) {
    if (!data_) throw std::bad_alloc();
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::ptrdiff_t size() const { return size_; }
  T& operator[](std::ptrdiff_t i) { return data_.get()[i]; }
  const T& operator[](std::ptrdiff_t i) const { return data_.get()[i]; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  std::ptrdiff_t size_ = 0;
};

}  // namespace dsk::detail

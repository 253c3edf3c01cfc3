#pragma once

#include <dsk/spd/matrix.hpp>

#include <hwy/aligned_allocator.h>

#include <new>

namespace dsk::detail {

/// Cache-line aligned memory for the SIMD kernels, not initialised.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(Index size) : data_(hwy::AllocateAligned<T>(static_cast<std::size_t>(size))), size_(size) {
    if (!data_) throw std::bad_alloc();
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  Index size() const { return size_; }
  T& operator[](Index i) { return data_.get()[i]; }
  const T& operator[](Index i) const { return data_.get()[i]; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  Index size_ = 0;
};

}  // namespace dsk::detail

#pragma once

#include "pairs/packed.hpp"

namespace dsk::engine {

/// Rows of features as the kernel reads them: one behind the other, and interleaved by groups.
template <class T>
class PackedRows {
 public:
  explicit PackedRows(const Matrix& rows);
  Index size() const { return size_; }
  Index features() const { return features_; }
  Index groups() const { return (size_ + group_size<T> - 1) / group_size<T>; }
  const T* row(Index i) const { return rows_.data() + i * features_; }
  const T* group(Index g) const { return grouped_.data() + g * features_ * group_size<T>; }

 private:
  Index size_;
  Index features_;
  AlignedArray<T> rows_;
  AlignedArray<T> grouped_;
};

extern template class PackedRows<double>;
extern template class PackedRows<float>;

/// Squared distances of rows row .. row + rows - 1 of x to the members of `groups` groups of y from `group` on.
template <class T>
struct SquaredDistanceTile {
  const PackedRows<T>* x = nullptr;
  const PackedRows<T>* y = nullptr;
  Index row = 0;
  Index rows = 0;
  Index group = 0;
  Index groups = 0;
};

template <class T>
void squared_distance_tile(const SquaredDistanceTile<T>& tile, T* out, Index stride);

}  // namespace dsk::engine

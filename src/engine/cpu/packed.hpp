#pragma once

#include <dsk/matrices.hpp>

#include <vector>

#include "machine/aligned.hpp"

namespace dsk::engine {

using detail::AlignedArray;

/// Matrices per interleaved group: one cache line, the widest vector of any target.
template <class T>
inline constexpr Index group_size = static_cast<Index>(64 / sizeof(T));

inline Index triangle(Index dim) {
  return dim * (dim + 1) / 2;
}

/// `size` rows of `width` numbers, twice: one behind the other, and interleaved in groups, so that one vector holds one
/// number of each row of a group. Lanes past the end repeat the last row.
template <class T>
class InterleavedRows {
 public:
  /// Without groups there is no interleaved copy.
  InterleavedRows(AlignedArray<T> rows, Index size, Index width, bool with_groups = true);

  Index size() const { return size_; }
  Index width() const { return width_; }
  Index groups() const { return (size_ + group_size<T> - 1) / group_size<T>; }
  const T* row(Index i) const { return rows_.data() + i * width_; }
  const T* group(Index g) const { return grouped_.data() + g * width_ * group_size<T>; }

 protected:
  /// Brings the interleaved copy of group g up to date with its rows.
  void interleave(Index g);
  T* changeable_row(Index i) { return rows_.data() + i * width_; }

 private:
  Index size_;
  Index width_;
  AlignedArray<T> rows_;
  AlignedArray<T> grouped_;
};

extern template class InterleavedRows<double>;
extern template class InterleavedRows<float>;

/// One power of two per coordinate that brings the diagonals of all the batches near 1. Divergences do not change under
/// this congruence and no digit is lost, but neither volts squared nor grey levels can leave the range of a double.
class CoordinateScale {
 public:
  CoordinateScale(const SpdBatch& x, const SpdBatch* y);
  /// Of square matrices with positive diagonals.
  CoordinateScale(const StackView& x, const StackView* y);
  int exponent(Index coordinate) const { return exponents_[static_cast<std::size_t>(coordinate)]; }
  double factor(Index coordinate) const { return factors_[static_cast<std::size_t>(coordinate)]; }
  /// Whether the diagonal of a matrix that had no part in the scale is not much above 1 either, as kernels need it.
  bool fits(const MatrixView& matrix) const;
  /// log det X = log det (scaled X) + this.
  double logdet_offset() const;

 private:
  std::vector<int> exponents_;
  std::vector<double> factors_;
};

/// A batch as the kernels read it: lower triangles of half of each scaled matrix, so that a pair's mean is a plain sum.
/// Element (r, c), r >= c, is at r (r + 1)/2 + c.
template <class T>
class PackedBatch : public InterleavedRows<T> {
 public:
  PackedBatch(const SpdBatch& batch, const CoordinateScale& scale, bool with_groups = true);
  /// Room for one matrix, unknown until `set` is called.
  explicit PackedBatch(Index dim);

  /// Puts the lower triangle of another matrix in place of the only one.
  void set(const MatrixView& matrix, const CoordinateScale& scale);
  /// The leading blocks of `dim` rows.
  PackedBatch leading(Index dim) const;
  /// Makes the only matrix the leading block of that of a larger one.
  void set_leading(const PackedBatch& whole);

  Index dim() const { return dim_; }
  Index elements() const { return this->width(); }

 private:
  PackedBatch(AlignedArray<T> rows, Index size, Index dim, bool with_groups);
  Index dim_;
};

extern template class PackedBatch<double>;
extern template class PackedBatch<float>;

}  // namespace dsk::engine

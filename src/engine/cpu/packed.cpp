#include "engine/cpu/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace dsk::engine {

namespace {

StackView view_of(const SpdBatch& batch) {
  return {batch.values(), batch.size(), batch.dim(), batch.dim()};
}

}  // namespace

CoordinateScale::CoordinateScale(const SpdBatch& x, const SpdBatch* y) {
  const StackView rows = view_of(x);
  if (y == nullptr) {
    *this = CoordinateScale(rows, nullptr);
    return;
  }
  const StackView columns = view_of(*y);
  *this = CoordinateScale(rows, &columns);
}

CoordinateScale::CoordinateScale(const StackView& x, const StackView* y) {
  std::vector<double> largest(static_cast<std::size_t>(x.rows), 0);
  const auto take = [&](const StackView& matrices) {
    const Index dim = matrices.rows;
    for (Index i = 0; i < matrices.count; ++i)
      for (Index k = 0; k < dim; ++k) {
        double& entry = largest[static_cast<std::size_t>(k)];
        entry = std::max(entry, matrices.values[static_cast<std::size_t>((i * dim + k) * dim + k)]);
      }
  };
  take(x);
  if (y != nullptr) take(*y);
  exponents_.resize(largest.size());
  std::transform(largest.begin(), largest.end(), exponents_.begin(),
                 [](double value) { return -static_cast<int>(std::floor(std::log2(value) / 2)); });
  factors_.resize(largest.size());
  std::transform(exponents_.begin(), exponents_.end(), factors_.begin(), [](int e) { return std::ldexp(1.0, e); });
}

bool CoordinateScale::fits(const MatrixView& matrix) const {
  for (Index k = 0; k < matrix.rows(); ++k)
    if (!(matrix(k, k) * factor(k) * factor(k) < 0x1p32)) return false;
  return true;
}

double CoordinateScale::logdet_offset() const {
  const double sum = std::accumulate(exponents_.begin(), exponents_.end(), 0.0);
  return -2 * std::numbers::ln2 * sum;
}

template <class T>
InterleavedRows<T>::InterleavedRows(AlignedArray<T> rows, Index size, Index width, bool with_groups)
    : size_(size), width_(width), rows_(std::move(rows)) {
  if (!with_groups) return;
  grouped_ = AlignedArray<T>(groups() * width * group_size<T>);
  for (Index g = 0; g < groups(); ++g) interleave(g);
}

template <class T>
void InterleavedRows<T>::interleave(Index g) {
  T* group = grouped_.data() + g * width_ * group_size<T>;
  for (Index lane = 0; lane < group_size<T>; ++lane) {
    const T* source = row(std::min(g * group_size<T> + lane, size_ - 1));
    for (Index k = 0; k < width_; ++k) group[k * group_size<T> + lane] = source[k];
  }
}

template class InterleavedRows<double>;
template class InterleavedRows<float>;

namespace {

template <class T>
void half_triangle(const MatrixView& matrix, const CoordinateScale& scale, T* entry) {
  for (Index r = 0; r < matrix.rows(); ++r)
    for (Index c = 0; c <= r; ++c)
      // Factors apply one after the other: their product may overflow where the scaled entry does not.
      *entry++ = static_cast<T>(0.5 * (matrix(r, c) * scale.factor(r)) * scale.factor(c));
}

template <class T>
AlignedArray<T> zeros(Index count) {
  AlignedArray<T> result(count);
  std::fill_n(result.data(), count, T{0});
  return result;
}

template <class T>
AlignedArray<T> half_triangles(const SpdBatch& batch, const CoordinateScale& scale) {
  const Index elements = triangle(batch.dim());
  AlignedArray<T> rows(batch.size() * elements);
  for (Index i = 0; i < batch.size(); ++i) half_triangle(batch[i], scale, rows.data() + i * elements);
  return rows;
}

}  // namespace

template <class T>
PackedBatch<T>::PackedBatch(AlignedArray<T> rows, Index size, Index dim, bool with_groups)
    : InterleavedRows<T>(std::move(rows), size, triangle(dim), with_groups), dim_(dim) {}

template <class T>
PackedBatch<T>::PackedBatch(const SpdBatch& batch, const CoordinateScale& scale, bool with_groups)
    : PackedBatch(half_triangles<T>(batch, scale), batch.size(), batch.dim(), with_groups) {}

template <class T>
PackedBatch<T>::PackedBatch(Index dim) : PackedBatch(zeros<T>(triangle(dim)), 1, dim, true) {}

template <class T>
void PackedBatch<T>::set(const MatrixView& matrix, const CoordinateScale& scale) {
  half_triangle(matrix, scale, this->changeable_row(0));
  this->interleave(0);
}

template <class T>
PackedBatch<T> PackedBatch<T>::leading(Index dim) const {
  AlignedArray<T> rows(this->size() * triangle(dim));
  for (Index i = 0; i < this->size(); ++i) std::copy_n(this->row(i), triangle(dim), rows.data() + i * triangle(dim));
  return {std::move(rows), this->size(), dim, true};
}

template <class T>
void PackedBatch<T>::set_leading(const PackedBatch& whole) {
  std::copy_n(whole.row(0), this->elements(), this->changeable_row(0));
  this->interleave(0);
}

template class PackedBatch<double>;
template class PackedBatch<float>;

}  // namespace dsk::engine

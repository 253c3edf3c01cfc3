#include "pairs/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace dsk::engine {

CoordinateScale::CoordinateScale(const SpdBatch& x, const SpdBatch* y) {
  std::vector<double> largest(static_cast<std::size_t>(x.dim()), 0);
  const auto take = [&](const SpdBatch& batch) {
    for (Index i = 0; i < batch.size(); ++i)
      for (Index k = 0; k < batch.dim(); ++k) {
        double& entry = largest[static_cast<std::size_t>(k)];
        entry = std::max(entry, batch[i](k, k));
      }
  };
  take(x);
  if (y != nullptr) take(*y);
  exponents_.resize(largest.size());
  std::transform(largest.begin(), largest.end(), exponents_.begin(),
                 [](double value) { return -static_cast<int>(std::floor(std::log2(value) / 2)); });
}

double CoordinateScale::logdet_offset() const {
  const double sum = std::accumulate(exponents_.begin(), exponents_.end(), 0.0);
  return -2 * std::numbers::ln2 * sum;
}

template <class T>
InterleavedRows<T>::InterleavedRows(AlignedArray<T> rows, Index size, Index width)
    : size_(size), width_(width), rows_(std::move(rows)), grouped_(groups() * width * group_size<T>) {
  for (Index g = 0; g < groups(); ++g) {
    T* group = grouped_.data() + g * width_ * group_size<T>;
    for (Index lane = 0; lane < group_size<T>; ++lane) {
      const T* source = row(std::min(g * group_size<T> + lane, size_ - 1));
      for (Index k = 0; k < width_; ++k) group[k * group_size<T> + lane] = source[k];
    }
  }
}

template class InterleavedRows<double>;
template class InterleavedRows<float>;

namespace {

template <class T>
AlignedArray<T> half_triangles(const SpdBatch& batch, const CoordinateScale& scale) {
  const Index dim = batch.dim();
  // Factors apply one after the other: their product may overflow where the scaled entry does not.
  std::vector<double> factors(static_cast<std::size_t>(dim));
  for (Index k = 0; k < dim; ++k) factors[static_cast<std::size_t>(k)] = std::ldexp(1.0, scale.exponent(k));
  AlignedArray<T> rows(batch.size() * triangle(dim));
  T* entry = rows.data();
  for (Index i = 0; i < batch.size(); ++i) {
    const MatrixView matrix = batch[i];
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c <= r; ++c)
        *entry++ = static_cast<T>(0.5 * (matrix(r, c) * factors[static_cast<std::size_t>(r)]) *
                                  factors[static_cast<std::size_t>(c)]);
  }
  return rows;
}

}  // namespace

template <class T>
PackedBatch<T>::PackedBatch(const SpdBatch& batch, const CoordinateScale& scale)
    : InterleavedRows<T>(half_triangles<T>(batch, scale), batch.size(), triangle(batch.dim())), dim_(batch.dim()) {}

template class PackedBatch<double>;
template class PackedBatch<float>;

}  // namespace dsk::engine

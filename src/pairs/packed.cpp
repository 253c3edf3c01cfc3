#include "pairs/packed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

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
PackedBatch<T>::PackedBatch(const SpdBatch& batch, const CoordinateScale& scale)
    : size_(batch.size()),
      dim_(batch.dim()),
      rows_(size_ * elements()),
      grouped_(groups() * elements() * group_size<T>) {
  // Factors apply one after the other: their product may overflow where the scaled entry does not.
  std::vector<double> factors(static_cast<std::size_t>(dim_));
  for (Index k = 0; k < dim_; ++k) factors[static_cast<std::size_t>(k)] = std::ldexp(1.0, scale.exponent(k));
  for (Index i = 0; i < size_; ++i) {
    const MatrixView matrix = batch[i];
    T* entry = rows_.data() + i * elements();
    for (Index r = 0; r < dim_; ++r)
      for (Index c = 0; c <= r; ++c)
        *entry++ = static_cast<T>(0.5 * (matrix(r, c) * factors[static_cast<std::size_t>(r)]) *
                                  factors[static_cast<std::size_t>(c)]);
  }
  for (Index g = 0; g < groups(); ++g) {
    T* group = grouped_.data() + g * elements() * group_size<T>;
    for (Index lane = 0; lane < group_size<T>; ++lane) {
      const T* row = rows_.data() + std::min(g * group_size<T> + lane, size_ - 1) * elements();
      for (Index k = 0; k < elements(); ++k) group[k * group_size<T> + lane] = row[k];
    }
  }
}

template class PackedBatch<double>;
template class PackedBatch<float>;

}  // namespace dsk::engine

#include "pairs/squared_distance_tile.hpp"

#include "spd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pairs/squared_distance_tile.cpp"
#include <hwy/foreach_target.h>

#include "pairs/squared_distance-inl.h"

#if HWY_ONCE
namespace dsk::engine {

template <class T>
PackedRows<T>::PackedRows(const Matrix& rows)
    : size_(rows.rows()),
      features_(rows.cols()),
      rows_(size_ * features_),
      grouped_(groups() * features_ * group_size<T>) {
  std::transform(rows.data(), rows.data() + rows.size(), rows_.data(), [](double v) { return static_cast<T>(v); });
  for (Index g = 0; g < groups(); ++g) {
    T* group = grouped_.data() + g * features_ * group_size<T>;
    for (Index lane = 0; lane < group_size<T>; ++lane) {
      const T* source = row(std::min(g * group_size<T> + lane, size_ - 1));
      for (Index e = 0; e < features_; ++e) group[e * group_size<T> + lane] = source[e];
    }
  }
}

template class PackedRows<double>;
template class PackedRows<float>;

HWY_EXPORT(FillDistancesF64);
HWY_EXPORT(FillDistancesF32);

template <>
void squared_distance_tile(const SquaredDistanceTile<double>& tile, double* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF64)(tile, out, stride);
}

template <>
void squared_distance_tile(const SquaredDistanceTile<float>& tile, float* out, Index stride) {
  HWY_DYNAMIC_DISPATCH(FillDistancesF32)(tile, out, stride);
}

}  // namespace dsk::engine
#endif

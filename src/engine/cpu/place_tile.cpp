// Tiles into their place in the result, by blocks transposed in registers.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/place_tile.cpp"
#include <hwy/foreach_target.h>

#include <dsk/matrices.hpp>

#include <hwy/highway.h>

#include <algorithm>

#include "engine/cpu/tiles.hpp"
#include "machine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = detail::HWY_NAMESPACE::Doubles;
using detail::HWY_NAMESPACE::TransposeBlock;

inline void PlaceTile(const double* HWY_RESTRICT values, Index stride, Index rows, Index columns, double* matrix,
                      Index width, Index row, Index column, bool mirror) {
  for (Index r = 0; r < rows; ++r) std::copy_n(values + r * stride, columns, matrix + (row + r) * width + column);
  if (!mirror) return;
  constexpr Index kBlock = hn::MaxLanes(Doubles());
  double* HWY_RESTRICT transposed = matrix + column * width + row;
  const Index whole_rows = rows - rows % kBlock, whole_columns = columns - columns % kBlock;
  for (Index c = 0; c < whole_columns; c += kBlock)
    for (Index r = 0; r < whole_rows; r += kBlock)
      TransposeBlock(values + r * stride + c, stride, transposed + c * width + r, width);
  for (Index c = 0; c < columns; ++c)
    for (Index r = c < whole_columns ? whole_rows : 0; r < rows; ++r)
      transposed[c * width + r] = values[r * stride + c];
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(PlaceTile);

void place_tile(const double* values, Index stride, Index rows, Index columns, double* matrix, Index width, Index row,
                Index column, bool mirror) {
  HWY_DYNAMIC_DISPATCH(PlaceTile)(values, stride, rows, columns, matrix, width, row, column, mirror);
}

}  // namespace dsk::engine
#endif

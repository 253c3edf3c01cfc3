#include "spd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pairs/stein_tile.cpp"
#include <hwy/foreach_target.h>

#include <fmt/core.h>

#include "pairs/stein_tile-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillTileF64);
HWY_EXPORT(FillTileF32);
HWY_EXPORT(FillSelfF64);
HWY_EXPORT(FillSelfF32);

namespace {

void check_found(Index failed, const char* precision) {
  if (failed < 0) return;
  throw InvalidInput(
      fmt::format("matrix {} is not positive definite in {} precision beside the others: it is too small "
                  "against the largest of them, or its condition is too large",
                  failed, precision));
}

}  // namespace

template <class T>
Index factor_scratch(Index dim) {
  const Index strips = (dim + 3) / 4;
  return 8 * strips * (strips + 1) * group_size<T>;
}
template Index factor_scratch<double>(Index);
template Index factor_scratch<float>(Index);

template <>
PairPosition stein_tile(const SteinTile<double>& tile, double* out, Index stride, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(FillTileF64)(tile, out, stride, scratch);
}

template <>
PairPosition stein_tile(const SteinTile<float>& tile, float* out, Index stride, float* scratch) {
  return HWY_DYNAMIC_DISPATCH(FillTileF32)(tile, out, stride, scratch);
}

template <>
AlignedArray<double> self_logdets(const PackedBatch<double>& batch) {
  AlignedArray<double> result(batch.groups() * group_size<double>), scratch(factor_scratch<double>(batch.dim()));
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF64)(batch, result.data(), scratch.data()), "double");
  return result;
}

template <>
AlignedArray<float> self_logdets(const PackedBatch<float>& batch) {
  AlignedArray<float> result(batch.groups() * group_size<float>), scratch(factor_scratch<float>(batch.dim()));
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF32)(batch, result.data(), scratch.data()), "single");
  return result;
}

}  // namespace dsk::engine
#endif

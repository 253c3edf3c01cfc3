#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/stein_tile.cpp"
#include <hwy/foreach_target.h>

#include <fmt/core.h>

#include "engine/cpu/stein_tile-inl.h"

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(FillTileF64);
HWY_EXPORT(FillTileF32);
HWY_EXPORT(FillSelfF64);
HWY_EXPORT(FillSelfF32);

void refuse_matrix(Index failed, const char* precision) {
  throw NumericalFailure(
      fmt::format("matrix {} is not positive definite in {} precision beside the others: it is too small "
                  "against the largest of them, or its condition is too large",
                  failed, precision));
}

namespace {

void check_found(Index failed, const char* precision) {
  if (failed >= 0) refuse_matrix(failed, precision);
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
void self_logdets(const PackedBatch<double>& batch, double* logdets, double* scratch) {
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF64)(batch, logdets, scratch), "double");
}

template <>
void self_logdets(const PackedBatch<float>& batch, float* logdets, float* scratch) {
  check_found(HWY_DYNAMIC_DISPATCH(FillSelfF32)(batch, logdets, scratch), "single");
}

template <class T>
AlignedArray<T> self_logdets(const PackedBatch<T>& batch) {
  AlignedArray<T> result(batch.groups() * group_size<T>), scratch(factor_scratch<T>(batch.dim()));
  self_logdets(batch, result.data(), scratch.data());
  return result;
}
template AlignedArray<double> self_logdets(const PackedBatch<double>&);
template AlignedArray<float> self_logdets(const PackedBatch<float>&);

}  // namespace dsk::engine
#endif

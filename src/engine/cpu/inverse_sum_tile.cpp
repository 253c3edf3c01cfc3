// Weighted sum of the inverses of the means of one matrix with each of a batch.

#include "machine/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/inverse_sum_tile.cpp"
#include <hwy/foreach_target.h>

#include "engine/cpu/inverse-inl.h"
#include "engine/cpu/tiles.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kDim>
HWY_NOINLINE InverseSumParts SumInverses(const InverseSumTile& tile, double* HWY_RESTRICT scratch,
                                         double* HWY_RESTRICT out) {
  const Lanes<double> d;
  using V = hn::Vec<Lanes<double>>;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), elements = tile.x->elements();
  double* HWY_RESTRICT sums = scratch;
  double* HWY_RESTRICT factor = scratch + elements * group_size<double>;
  std::fill_n(sums, elements * lanes, 0.0);
  InverseSumParts parts;
  V squared_traces = hn::Zero(d), squared_norms = hn::Zero(d);
  for (Index g = tile.group; g < tile.group + tile.groups; ++g)
    for (Index part = 0; part < group_size<double>; part += lanes) {
      const RowWithGroup<double> means{tile.with, tile.x->group(g) + part};
      const V weight = hn::Load(d, tile.weights + g * group_size<double> + part);
      WithInverse<double, kDim>(means, tile.x->dim(), factor, [&](V, auto positive, const auto& inverse) HWY_ATTR {
        parts.positive = parts.positive && hn::AllTrue(d, positive);
        V norm = hn::Zero(d), trace = hn::Zero(d);
        inverse().ForEachElement([&](Index e, V value) HWY_ATTR {
          double* HWY_RESTRICT sum = sums + e * lanes;
          hn::Store(hn::MulAdd(weight, value, hn::Load(d, sum)), d, sum);
          norm = hn::MulAdd(hn::Mul(value, hn::Set(d, tile.squares[e])), value, norm);
          trace = hn::MulAdd(value, hn::Set(d, tile.traces[e]), trace);
        });
        squared_norms = hn::MulAdd(weight, norm, squared_norms);
        squared_traces = hn::MulAdd(weight, hn::Mul(trace, trace), squared_traces);
      });
    }
  for (Index e = 0; e < elements; ++e) out[e] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums + e * lanes)));
  parts.squared_norms = hn::GetLane(hn::SumOfLanes(d, squared_norms));
  parts.squared_traces = hn::GetLane(hn::SumOfLanes(d, squared_traces));
  return parts;
}

// A plain name: what is exported for dispatch must not be a template.
inline InverseSumParts SumInversesF64(const InverseSumTile& tile, double* scratch, double* out) {
  return WithDim(tile.x->dim(), [&](auto dim) { return SumInverses<dim>(tile, scratch, out); });
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::engine {

HWY_EXPORT(SumInversesF64);

Index inverse_sum_scratch(Index dim) {
  return triangle(dim) * group_size<double> + factor_scratch<double>(dim);
}

InverseSumParts inverse_sum_tile(const InverseSumTile& tile, double* scratch, double* out) {
  return HWY_DYNAMIC_DISPATCH(SumInversesF64)(tile, scratch, out);
}

}  // namespace dsk::engine
#endif

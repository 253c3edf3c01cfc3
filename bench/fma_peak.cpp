#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "fma_peak.hpp"

HWY_BEFORE_NAMESPACE();
namespace dsk::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr int steps = 100'000;
constexpr int chains = 12;

double flops() {
  return 2.0 * chains * steps * static_cast<double>(hn::Lanes(hn::ScalableTag<double>()));
}

double run() {
  const hn::ScalableTag<double> tag;
  const auto factor = hn::Set(tag, 0.999999);
  const auto term = hn::Iota(tag, 1.0);
  // Twelve names, not an array: they must stay in registers.
  // Each starts elsewhere, or the compiler would compute one chain for all.
  const auto start = [&](double offset) HWY_ATTR { return hn::Iota(tag, offset); };
  auto a = start(1), b = start(2), c = start(3), d = start(4), e = start(5), f = start(6);
  auto g = start(7), h = start(8), i = start(9), j = start(10), k = start(11), l = start(12);
  for (int step = 0; step < steps; ++step) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    d = hn::MulAdd(d, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
  }
  const auto half = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Add(e, f));
  const auto rest = hn::Add(hn::Add(hn::Add(g, h), hn::Add(i, j)), hn::Add(k, l));
  return hn::GetLane(hn::SumOfLanes(tag, hn::Add(half, rest)));
}

}  // namespace dsk::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsk::bench {

HWY_EXPORT(flops);
HWY_EXPORT(run);

double fma_flops() {
  return HWY_DYNAMIC_DISPATCH(flops)();
}

double run_fma() {
  return HWY_DYNAMIC_DISPATCH(run)();
}

}  // namespace dsk::bench
#endif

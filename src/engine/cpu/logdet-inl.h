// The log-determinant of one vector of pair means.

#if defined(DSK_PAIRS_LOGDET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_LOGDET_INL_H_
#undef DSK_PAIRS_LOGDET_INL_H_
#else
#define DSK_PAIRS_LOGDET_INL_H_
#endif

#include "engine/cpu/factor-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct LogDet {
  hn::Vec<Lanes<T>> value;
  hn::Mask<Lanes<T>> positive;
};

template <class T, bool kCareful, class Means>
HWY_INLINE LogDet<T> FactoredLogDet(const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  using Method = Factorisation<T, Means, kCareful>;
  LogDeterminant<Lanes<T>> determinant(d);
  Method(means, dim, Strips<T>{scratch}).Run(determinant);
  return {determinant.Value(d), hn::Gt(determinant.SmallestPivot(), hn::Set(d, Method::kTinyPivot))};
}

template <class T, class Means>
HWY_NOINLINE LogDet<T> CarefulLogDet(const Means& means, Index dim, T* scratch) {
  return FactoredLogDet<T, true>(means, dim, scratch);
}

/// Replaces lanes that are not known to be positive by what the careful way says of them.
template <class T, class Means>
HWY_INLINE void Review(LogDet<T>& logdet, const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  if (HWY_LIKELY(hn::AllTrue(d, logdet.positive))) return;
  const auto careful = CarefulLogDet<T>(means, dim, scratch);
  logdet.value = hn::IfThenElse(logdet.positive, logdet.value, careful.value);
  logdet.positive = hn::Or(logdet.positive, careful.positive);
}

/// By Cholesky, for any dimension; `scratch` takes the factor.
template <class T, class Means>
HWY_NOINLINE LogDet<T> LogDetOfMeans(const Means& means, Index dim, T* scratch) {
  // Products of pivots soon leave the range of a float.
  constexpr bool kCareful = sizeof(T) == 4;
  auto result = FactoredLogDet<T, kCareful>(means, dim, scratch);
  Review(result, means, dim, scratch);
  return result;
}

/// From the value of SmallDeterminant, or by Cholesky in lanes where that gave up.
template <class T, class Means>
HWY_INLINE LogDet<T> LogOfDeterminant(hn::Vec<Lanes<T>> determinant, const Means& means, Index dim, T* scratch) {
  const Lanes<T> d;
  LogDet<T> result{hn::Log(d, determinant), hn::Gt(determinant, hn::Zero(d))};
  Review(result, means, dim, scratch);
  return result;
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

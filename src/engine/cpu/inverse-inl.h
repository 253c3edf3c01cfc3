// Inverses of a vector of pair means from their Cholesky factors.

#if defined(DSK_PAIRS_INVERSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_INVERSE_INL_H_
#undef DSK_PAIRS_INVERSE_INL_H_
#else
#define DSK_PAIRS_INVERSE_INL_H_
#endif

#include <limits>
#include <type_traits>

#include "engine/cpu/factor-inl.h"
#include "engine/cpu/small_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Replaces the factor L in the strips (1/L_kk on the diagonal) by its inverse N, then yields M^-1 = N'N tile by tile.
template <class T>
class FactorInverse {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;

  HWY_INLINE FactorInverse(Index dim, Strips<T> factor) : dim_(dim), strips_((dim + 3) / 4), factor_(factor) {
    for (Index b = 0; b < strips_; ++b) WithSize(b, [&](auto rows) HWY_ATTR { InvertStrip<rows>(b); });
  }

  /// Calls take(element, vector) for every element (r, c), r >= c, of the inverse.
  template <class Take>
  HWY_INLINE void ForEachElement(const Take& take) const {
    for (Index a = 0; a < strips_; ++a)
      WithSize(a, [&](auto size) HWY_ATTR {
        for (Index b = 0; b < a; ++b) ProductTile<size, 4>(a, b, take);
        ProductTile<size, size>(a, a, take);
      });
  }

 private:
  /// Rows of strip b: 4, or what is left in the last one.
  Index Size(Index b) const { return std::min<Index>(4, dim_ - 4 * b); }

  template <class Work>
  HWY_INLINE void WithSize(Index b, const Work& work) const {
    switch (Size(b)) {
      case 1:
        work(std::integral_constant<int, 1>());
        break;
      case 2:
        work(std::integral_constant<int, 2>());
        break;
      case 3:
        work(std::integral_constant<int, 3>());
        break;
      default:
        work(std::integral_constant<int, 4>());
        break;
    }
  }

  /// N_bb = L_bb^-1, and N_bj = -N_bb sum_k L_bk N_kj for the blocks left of it, in place from left to right.
  template <int kRows>
  HWY_INLINE void InvertStrip(Index b) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    T* HWY_RESTRICT diagonal = factor_.at(b, 4 * b);
    V n[kRows][kRows];
#pragma GCC unroll 4
    for (int c = 0; c < kRows; ++c) {
      n[c][c] = hn::Load(d, diagonal + (4 * c + c) * lanes);
#pragma GCC unroll 4
      for (int r = c + 1; r < kRows; ++r) {
        V sum = hn::Mul(hn::Load(d, diagonal + (4 * c + r) * lanes), n[c][c]);
#pragma GCC unroll 4
        for (int k = c + 1; k < r; ++k) sum = hn::MulAdd(hn::Load(d, diagonal + (4 * k + r) * lanes), n[k][c], sum);
        n[r][c] = hn::Neg(hn::Mul(sum, hn::Load(d, diagonal + (4 * r + r) * lanes)));
      }
    }
#pragma GCC unroll 4
    for (int c = 0; c < kRows; ++c)
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) hn::Store(r < c ? hn::Zero(d) : n[r][c], d, diagonal + (4 * c + r) * lanes);
    for (Index j = 0; j < b; ++j) BlockLeft<kRows>(b, j);
  }

  template <int kRows>
  HWY_INLINE void BlockLeft(Index b, Index j) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    Tile<T, kRows, 4> sum;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) sum.v[r][c] = hn::Zero(d);
    const T* HWY_RESTRICT left = factor_.at(b, 4 * j);
    for (Index kb = j; kb < b; ++kb) {
      const T* HWY_RESTRICT block = factor_.at(kb, 4 * j);
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k, left += 4 * lanes) {
        V row[kRows];
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) row[r] = hn::Load(d, left + r * lanes);
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) {
          const V entry = hn::Load(d, block + (4 * c + k) * lanes);
#pragma GCC unroll 4
          for (int r = 0; r < kRows; ++r) sum.v[r][c] = hn::MulAdd(row[r], entry, sum.v[r][c]);
        }
      }
    }
    const T* HWY_RESTRICT diagonal = factor_.at(b, 4 * b);
    T* HWY_RESTRICT out = factor_.at(b, 4 * j);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) {
        V value = hn::Mul(hn::Load(d, diagonal + r * lanes), sum.v[0][c]);
#pragma GCC unroll 4
        for (int k = 1; k <= r; ++k)
          value = hn::MulAdd(hn::Load(d, diagonal + (4 * k + r) * lanes), sum.v[k][c], value);
        hn::Store(hn::Neg(value), d, out + (4 * c + r) * lanes);
      }
  }

  template <int kRows, int kColumns, class Take>
  HWY_INLINE void ProductTile(Index a, Index b, const Take& take) const {
    const D d;
    Tile<T, kRows, kColumns> sum;
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) sum.v[r][c] = hn::Zero(d);
    const Index whole = dim_ / 4;
    for (Index kb = a; kb < whole; ++kb) AddProducts<kRows, kColumns>(sum, kb, a, b, 4);
    if (whole < strips_) AddProducts<kRows, kColumns>(sum, whole, a, b, Size(whole));
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const Index start = triangle(4 * a + r) + 4 * b;
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c)
        if (kColumns < kRows || a != b || c <= r) take(start + c, sum.v[r][c]);
    }
  }

  template <int kRows, int kColumns>
  HWY_INLINE void AddProducts(Tile<T, kRows, kColumns>& sum, Index kb, Index a, Index b, Index count) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    const T* HWY_RESTRICT left = factor_.at(kb, 4 * a);
    const T* HWY_RESTRICT right = factor_.at(kb, 4 * b);
    for (Index k = 0; k < count; ++k, left += lanes, right += lanes) {
      V row[kRows];
#pragma GCC unroll 4
      for (Index r = 0; r < kRows; ++r) row[r] = hn::Load(d, left + 4 * r * lanes);
#pragma GCC unroll 4
      for (Index c = 0; c < kColumns; ++c) {
        const V entry = hn::Load(d, right + 4 * c * lanes);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sum.v[r][c] = hn::MulAdd(row[r], entry, sum.v[r][c]);
      }
    }
  }

  Index dim_;
  Index strips_;
  Strips<T> factor_;
};

/// Factors the means; `use(logdet, positive, inverse)` gets an object with ForEachElement that inverts when asked.
/// kDim = 0: any dimension.
template <class T, int kDim, class Means, class Use>
HWY_INLINE void WithInverse(const Means& means, Index dim, T* factor, const Use& use) {
  const Lanes<T> d;
  if constexpr (kDim > 0) {
    const SmallInverse<T, kDim> inverse(means);
    use(inverse.LogDet(), hn::Gt(inverse.SmallestPivot(), hn::Set(d, std::numeric_limits<T>::min())),
        [&]() HWY_ATTR -> const SmallInverse<T, kDim>& { return inverse; });
  } else {
    const Strips<T> strips{factor};
    const auto run = [&](auto careful) HWY_ATTR {
      using Method = Factorisation<T, Means, careful>;
      LogDeterminant<Lanes<T>> determinant(d);
      Method(means, dim, strips).Run(determinant);
      const auto positive = hn::Gt(determinant.SmallestPivot(), hn::Set(d, Method::kTinyPivot));
      if (!careful && !hn::AllTrue(d, positive)) return false;
      use(determinant.Value(d), positive, [&]() HWY_ATTR { return FactorInverse<T>(dim, strips); });
      return true;
    };
    if (sizeof(T) == 4 || !run(std::false_type())) run(std::true_type());
  }
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

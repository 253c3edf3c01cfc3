// Cholesky factors of a vector of pair means, any dimension: 4 x 4 register tiles over interleaved lanes.

#if defined(DSK_PAIRS_FACTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_FACTOR_INL_H_
#undef DSK_PAIRS_FACTOR_INL_H_
#else
#define DSK_PAIRS_FACTOR_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "engine/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The lower triangle of a matrix of vectors, in strips of 4 rows: strip b holds columns 0 .. 4b+3, each as 4 vectors.
template <class T>
struct Strips {
  using D = Lanes<T>;
  T* HWY_RESTRICT data;

  static Index vectors(Index dim) {
    const Index strips = (dim + 3) / 4;
    return 8 * strips * (strips + 1);
  }
  HWY_INLINE T* at(Index strip, Index column) const {
    return data + (8 * strip * (strip + 1) + 4 * column) * static_cast<Index>(hn::Lanes(D()));
  }
};

template <class T, int kRows, int kColumns>
struct Tile {
  hn::Vec<Lanes<T>> v[kRows][kColumns];
};

/// tile(r, c) -= sum over k of rows(k, r) columns(k, c), both strips of 4.
template <class T, int kRows, int kColumns>
HWY_INLINE void SubtractProduct(Tile<T, kRows, kColumns>& tile, const T* HWY_RESTRICT rows,
                                const T* HWY_RESTRICT columns, Index count) {
  const Lanes<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index k = 0; k < count; ++k, rows += 4 * lanes, columns += 4 * lanes) {
    hn::Vec<Lanes<T>> row[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) row[r] = hn::Load(d, rows + r * lanes);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) {
      const auto column = hn::Load(d, columns + c * lanes);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) tile.v[r][c] = hn::NegMulAdd(row[r], column, tile.v[r][c]);
    }
  }
}

/// Factors strip by strip of columns (left-looking). Above `kOuter` columns the work is cut into outer panels, whose
/// contribution is taken off the rest at once while it is in cache.
/// `kCareful` divides by every pivot at once; without it up to four are multiplied up first, which is faster, and safe
/// where no pivot comes out below `kTinyPivot`.
template <class T, class Means, bool kCareful>
class Factorisation {
 public:
  using D = Lanes<T>;
  using V = hn::Vec<D>;
  static constexpr Index kOuter = 64;
  static constexpr Index kDirectLimit = 128;
  static constexpr T kTinyPivot = kCareful ? std::numeric_limits<T>::min() : T(sizeof(T) == 8 ? 1e-240 : 1e-20);

  HWY_INLINE Factorisation(const Means& means, Index dim, Strips<T> factor)
      : means_(means), dim_(dim), factor_(factor) {}

  /// Afterwards the strips hold L with 1/L_kk on the diagonal; the product is the determinant's.
  HWY_INLINE void Run(LogDeterminant<D>& determinant) {
    const Index strips = (dim_ + 3) / 4;
    const Index outer = dim_ > kDirectLimit ? kOuter / 4 : strips;
    for (first_ = 0; first_ < strips; first_ += outer) {
      const Index end = std::min(first_ + outer, strips);
      for (Index p = first_; p < end; ++p) {
        if (4 * p + 4 <= dim_) {
          Diagonal<4>(p, determinant);
          for (Index b = p + 1; 4 * b + 4 <= dim_; ++b) Below<4>(b, p);
        }
        switch (dim_ % 4) {
          case 1:
            Last<1>(strips - 1, p, determinant);
            break;
          case 2:
            Last<2>(strips - 1, p, determinant);
            break;
          case 3:
            Last<3>(strips - 1, p, determinant);
            break;
          default:
            break;
        }
        determinant.Renormalise(D());
      }
      if (end < strips) UpdateRest(end, strips);
    }
  }

  /// The same numbers in another order, a strip of 4 rows (the last may have fewer) after the other, so that leading
  /// blocks are finished first: for each strip all its panels left of the diagonal in order, then the diagonal.
  HWY_INLINE void RowPanel(Index strip, Index panel) const {
    switch (std::min<Index>(dim_ - 4 * strip, 4)) {
      case 1:
        return Below<1>(strip, panel);
      case 2:
        return Below<2>(strip, panel);
      case 3:
        return Below<3>(strip, panel);
      default:
        return Below<4>(strip, panel);
    }
  }
  HWY_INLINE void RowDiagonal(Index strip, LogDeterminant<D>& determinant) const {
    switch (std::min<Index>(dim_ - 4 * strip, 4)) {
      case 1:
        Diagonal<1>(strip, determinant);
        break;
      case 2:
        Diagonal<2>(strip, determinant);
        break;
      case 3:
        Diagonal<3>(strip, determinant);
        break;
      default:
        Diagonal<4>(strip, determinant);
        break;
    }
    determinant.Renormalise(D());
  }

 private:
  template <int kRows, int kColumns>
  HWY_INLINE void Fetch(Tile<T, kRows, kColumns>& tile, Index strip, Index panel, bool from_means) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    if (from_means) {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        const Index start = triangle(4 * strip + r) + 4 * panel;
#pragma GCC unroll 4
        for (int c = 0; c < kColumns; ++c) tile.v[r][c] = strip != panel || c <= r ? means_(start + c) : hn::Zero(d);
      }
    } else {
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
        for (int c = 0; c < kColumns; ++c) tile.v[r][c] = hn::Load(d, factor_.at(strip, 4 * panel + c) + r * lanes);
    }
  }

  template <int kRows, int kColumns>
  HWY_INLINE void Store(const Tile<T, kRows, kColumns>& tile, Index strip, Index panel) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) hn::Store(tile.v[r][c], d, factor_.at(strip, 4 * panel + c) + r * lanes);
  }

  template <int kSize>
  HWY_INLINE void Diagonal(Index p, LogDeterminant<D>& determinant) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    V a[kSize][kSize];
#pragma GCC unroll 4
    for (int r = 0; r < kSize; ++r)
#pragma GCC unroll 4
      for (int c = 0; c <= r; ++c)
        a[r][c] =
            first_ == 0 ? means_(triangle(4 * p + r) + 4 * p + c) : hn::Load(d, factor_.at(p, 4 * p + c) + r * lanes);
    const T* const end = factor_.at(p, 4 * p);
    for (const T* HWY_RESTRICT strip = factor_.at(p, 4 * first_); strip != end; strip += 4 * lanes) {
      V row[kSize];
#pragma GCC unroll 4
      for (int r = 0; r < kSize; ++r) row[r] = hn::Load(d, strip + r * lanes);
#pragma GCC unroll 4
      for (int r = 0; r < kSize; ++r)
#pragma GCC unroll 4
        for (int c = 0; c <= r; ++c) a[r][c] = hn::NegMulAdd(row[r], row[c], a[r][c]);
    }
    if constexpr (kCareful) {
      FactorDividing<kSize>(a, determinant);
    } else {
      FactorMultiplying<kSize>(a, determinant);
    }
#pragma GCC unroll 4
    for (int c = 0; c < kSize; ++c)
#pragma GCC unroll 4
      for (int r = c; r < kSize; ++r) hn::Store(a[r][c], d, factor_.at(p, 4 * p + c) + r * lanes);
  }

  template <int kSize>
  HWY_INLINE static void FactorDividing(V (&a)[kSize][kSize], LogDeterminant<D>& determinant) {
    const D d;
#pragma GCC unroll 4
    for (int k = 0; k < kSize; ++k) {
      const V pivot = a[k][k];
      a[k][k] = ReciprocalSqrt(d, pivot);
      determinant.Take(d, a[k][k], pivot);
#pragma GCC unroll 4
      for (int r = k + 1; r < kSize; ++r) a[r][k] = hn::Mul(a[r][k], a[k][k]);
#pragma GCC unroll 4
      for (int c = k + 1; c < kSize; ++c)
#pragma GCC unroll 4
        for (int r = c; r < kSize; ++r) a[r][c] = hn::NegMulAdd(a[r][k], a[c][k], a[r][c]);
    }
  }

  /// As in SmallDeterminant, so that the square roots of all pivots are taken side by side: with the pivots q_k of the
  /// undivided elimination and their product P_k = q_1 ... q_k, L_rk is a_rk / sqrt(q_k P_{k-1}).
  template <int kSize>
  HWY_INLINE static void FactorMultiplying(V (&a)[kSize][kSize], LogDeterminant<D>& determinant) {
    const D d;
#pragma GCC unroll 4
    for (int k = 0; k + 1 < kSize; ++k)
#pragma GCC unroll 4
      for (int c = k + 1; c < kSize; ++c)
#pragma GCC unroll 4
        for (int r = c; r < kSize; ++r) a[r][c] = hn::MulSub(a[k][k], a[r][c], hn::Mul(a[r][k], a[c][k]));
    V product = a[0][0];
#pragma GCC unroll 4
    for (int k = 0; k < kSize; ++k) {
      const V squared = k == 0 ? a[0][0] : hn::Mul(a[k][k], product);
      const V root = ReciprocalSqrt(d, squared);
      const V reciprocal = k == 0 ? root : hn::Mul(root, product);
      determinant.Take(d, reciprocal, squared);
#pragma GCC unroll 4
      for (int r = k + 1; r < kSize; ++r) a[r][k] = hn::Mul(a[r][k], root);
      if (k > 0) product = hn::Mul(product, a[k][k]);
      a[k][k] = reciprocal;
    }
  }

  template <int kRows>
  HWY_INLINE void Below(Index b, Index p) const {
    const D d;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    Tile<T, kRows, 4> tile;
    Fetch(tile, b, p, first_ == 0);
    SubtractProduct(tile, factor_.at(b, 4 * first_), factor_.at(p, 4 * first_), 4 * (p - first_));
    const T* HWY_RESTRICT diagonal = factor_.at(p, 4 * p);
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const auto reciprocal = hn::Load(d, diagonal + (4 * c + c) * lanes);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) tile.v[r][c] = hn::Mul(tile.v[r][c], reciprocal);
#pragma GCC unroll 4
      for (int k = c + 1; k < 4; ++k) {
        const auto entry = hn::Load(d, diagonal + (4 * c + k) * lanes);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) tile.v[r][k] = hn::NegMulAdd(tile.v[r][c], entry, tile.v[r][k]);
      }
    }
    Store(tile, b, p);
  }

  /// The last, incomplete strip: below panel p, or on the diagonal.
  template <int kRows>
  HWY_INLINE void Last(Index b, Index p, LogDeterminant<D>& determinant) const {
    if (b == p) {
      Diagonal<kRows>(p, determinant);
    } else {
      Below<kRows>(b, p);
    }
  }

  template <int kRows, int kColumns>
  HWY_INLINE void UpdateTile(Index b, Index p, Index end) const {
    Tile<T, kRows, kColumns> tile;
    Fetch(tile, b, p, first_ == 0);
    SubtractProduct(tile, factor_.at(b, 4 * first_), factor_.at(p, 4 * first_), 4 * (end - first_));
    Store(tile, b, p);
  }

  /// Takes the outer panel first_ .. end off all that is right of it, a few strips of rows at a time.
  HWY_INLINE void UpdateRest(Index end, Index strips) const {
    constexpr Index kChunk = 8;
    for (Index chunk = end; chunk < strips; chunk += kChunk) {
      const Index chunk_end = std::min(chunk + kChunk, strips);
      for (Index p = end; p < chunk_end; ++p)
        for (Index b = std::max(chunk, p); b < chunk_end; ++b) {
          if (4 * b + 4 <= dim_) {
            UpdateTile<4, 4>(b, p, end);
          } else {
            UpdateLast(b, p, end);
          }
        }
    }
  }

  HWY_INLINE void UpdateLast(Index b, Index p, Index end) const {
    switch (dim_ % 4) {
      case 1:
        b == p ? UpdateTile<1, 1>(b, p, end) : UpdateTile<1, 4>(b, p, end);
        break;
      case 2:
        b == p ? UpdateTile<2, 2>(b, p, end) : UpdateTile<2, 4>(b, p, end);
        break;
      default:
        b == p ? UpdateTile<3, 3>(b, p, end) : UpdateTile<3, 4>(b, p, end);
        break;
    }
  }

  Means means_;
  Index dim_;
  Strips<T> factor_;
  Index first_ = 0;
};

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

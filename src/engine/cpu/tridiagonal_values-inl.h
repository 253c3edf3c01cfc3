// Eigenvalues of symmetric tridiagonal matrices, one per lane, by the root-free QR of Pal, Walker and Kahan.
// Compiled once per SIMD target, hence the toggling include guard.

#if defined(DSK_PAIRS_TRIDIAGONAL_VALUES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSK_PAIRS_TRIDIAGONAL_VALUES_INL_H_
#undef DSK_PAIRS_TRIDIAGONAL_VALUES_INL_H_
#else
#define DSK_PAIRS_TRIDIAGONAL_VALUES_INL_H_
#endif

#include <hwy/highway.h>

#include "engine/cpu/bidiagonal-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsk::engine::HWY_NAMESPACE {

/// The sweeps over one vector of matrices. Every lane has its own shift and its own end, so that a lane that converges
/// fast goes on to its next eigenvalue, and its result does not depend on the others.
class RootFreeSweeps {
 public:
  /// The diagonal, and the squares of the entries beside it, which are destroyed.
  HWY_INLINE void Begin(LaneArray diagonal, LaneArray squares, Index dim) {
    const F64 d;
    diagonal_ = diagonal;
    squares_ = squares;
    Doubles norm = hn::Zero(d);
    for (Index k = 0; k < dim; ++k) norm = hn::Max(norm, hn::Mul(diagonal[k], diagonal[k]));
    for (Index k = 0; k + 1 < dim; ++k) norm = hn::Max(norm, squares[k]);
    negligible_ = hn::Mul(norm, hn::Set(d, 0x1p-104));
    least_ = hn::Mul(norm, hn::Set(d, 1e-60));
    end_ = hn::Zero(d);
    for (Index k = 0; k + 1 < dim; ++k) squares.set(k, Kept(squares[k]));
  }

  /// Whether no lane has an entry before `k` + 1 on.
  HWY_INLINE bool IsSplit(Index k) const { return hn::AllTrue(F64(), hn::Eq(squares_[k], hn::Zero(F64()))); }

  /// Finds the end of the unreduced part of every lane, at most `last`, and the eigenvalue of the 2 x 2 block there
  /// that is closer to its last entry.
  HWY_INLINE void Start(Index last) {
    const F64 d;
    const Doubles zero = hn::Zero(d);
    Doubles upper = zero, lower = zero, square = zero, end = hn::Set(d, -1.0);
    auto missing = hn::Ge(end_, zero);
    for (Index k = last - 1; k >= 0 && !hn::AllFalse(d, missing); --k) {
      const auto here = hn::And(missing, hn::Gt(squares_[k], zero));
      upper = hn::IfThenElse(here, diagonal_[k], upper);
      lower = hn::IfThenElse(here, diagonal_[k + 1], lower);
      square = hn::IfThenElse(here, squares_[k], square);
      end = hn::IfThenElse(here, hn::Set(d, static_cast<double>(k + 1)), end);
      missing = hn::AndNot(here, missing);
    }
    end_ = end;
    const Doubles half = hn::Mul(hn::Sub(upper, lower), hn::Set(d, 0.5));
    const Doubles root = hn::Sqrt(hn::MulAdd(half, half, square));
    const Doubles divisor = hn::Max(hn::Add(hn::Abs(half), root), hn::Set(d, 1e-300));
    shift_ = hn::Sub(lower, hn::CopySign(hn::Div(square, divisor), half));
    before_ = diagonal_[0];
    sine_ = zero;
    gamma_ = hn::Sub(before_, shift_);
    p_ = hn::Max(least_, hn::Mul(gamma_, gamma_));
  }

  /// Cosines and sines are squared. A p that would vanish is replaced by one too small to matter, so that nothing is
  /// divided by 0, and one division serves both p and p + square.
  HWY_INLINE void Step(Index k) {
    const F64 d;
    const Doubles square = squares_[k], below = diagonal_[k + 1], r = hn::Add(p_, square);
    const Doubles inverse = hn::Div(hn::Set(d, 1.0), hn::Mul(r, p_)), inverse_r = hn::Mul(p_, inverse);
    const Doubles cosine = hn::Mul(p_, inverse_r), sine = hn::Mul(square, inverse_r);
    const Doubles gamma = hn::NegMulAdd(sine, gamma_, hn::Mul(cosine, hn::Sub(below, shift_)));
    const Doubles rest = hn::IfThenElse(hn::Eq(square, hn::Zero(d)), shift_, hn::Sub(below, gamma));
    SetDiagonal(k, hn::Add(gamma_, rest));
    if (k > 0) squares_.set(k - 1, Kept(hn::Mul(sine_, r)));
    p_ = hn::Max(least_, hn::Mul(hn::Mul(gamma, gamma), hn::Mul(hn::Mul(r, r), inverse)));
    before_ = below;
    sine_ = sine;
    gamma_ = gamma;
  }

  HWY_INLINE void Finish(Index last) {
    squares_.set(last - 1, Kept(hn::Mul(sine_, p_)));
    SetDiagonal(last, hn::Add(gamma_, shift_));
  }

 private:
  HWY_INLINE Doubles Kept(Doubles square) const { return hn::IfThenElseZero(hn::Gt(square, negligible_), square); }

  /// What lies behind the end of a lane stays exactly as it is.
  HWY_INLINE void SetDiagonal(Index k, Doubles value) {
    const auto is_behind = hn::Gt(hn::Set(F64(), static_cast<double>(k)), end_);
    diagonal_.set(k, hn::IfThenElse(is_behind, before_, value));
  }

  LaneArray diagonal_{nullptr}, squares_{nullptr};
  Doubles negligible_, least_, end_, shift_, before_, sine_, gamma_, p_;
};

/// A symmetric tridiagonal matrix per lane; `squares` are those of the entries beside the diagonal.
struct Tridiagonal {
  LaneArray diagonal, squares;
};

/// Leaves the eigenvalues on the diagonals, accurate to a few epsilon of the largest of each lane. A sweep is one chain
/// of dependent divisions: several side by side fill the processor. False if some lane did not converge.
template <int kVectors>
HWY_INLINE bool TridiagonalValues(const Tridiagonal* matrices, Index dim) {
  RootFreeSweeps sweeps[kVectors];
  for (int v = 0; v < kVectors; ++v) sweeps[v].Begin(matrices[v].diagonal, matrices[v].squares, dim);
  const Index most_sweeps = 40 * dim;
  Index last = dim - 1;
  for (Index count = 0; count < most_sweeps; ++count) {
    const auto is_split = [&] {
      for (int v = 0; v < kVectors; ++v)
        if (!sweeps[v].IsSplit(last - 1)) return false;
      return true;
    };
    while (last > 0 && is_split()) --last;
    if (last == 0) return true;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sweeps[v].Start(last);
    for (Index k = 0; k < last; ++k)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sweeps[v].Step(k);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sweeps[v].Finish(last);
  }
  return false;
}

}  // namespace dsk::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

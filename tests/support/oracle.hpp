#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

/// Slow, plain, long-double reference implementations. They share no code with src/ and use no linear algebra library.
namespace dsk::test {

using Real = long double;
using RealVector = std::vector<Real>;

/// A square matrix of long doubles.
class OracleMatrix {
 public:
  explicit OracleMatrix(long dim) : dim_(dim), values_(static_cast<std::size_t>(dim * dim), 0) {}

  template <class View>
  static OracleMatrix of(const View& view) {
    OracleMatrix result(static_cast<long>(view.rows()));
    for (long r = 0; r < result.dim_; ++r)
      for (long c = 0; c < result.dim_; ++c) result(r, c) = static_cast<Real>(view(r, c));
    return result;
  }

  Real& operator()(long r, long c) { return values_[static_cast<std::size_t>(r * dim_ + c)]; }
  Real operator()(long r, long c) const { return values_[static_cast<std::size_t>(r * dim_ + c)]; }
  long dim() const { return dim_; }

 private:
  long dim_;
  std::vector<Real> values_;
};

inline OracleMatrix mean(const OracleMatrix& x, const OracleMatrix& y) {
  OracleMatrix m(x.dim());
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) m(r, c) = (x(r, c) + y(r, c)) / 2;
  return m;
}

/// Lower Cholesky factor, column by column as in the textbook.
inline OracleMatrix cholesky(const OracleMatrix& x) {
  OracleMatrix lower(x.dim());
  for (long c = 0; c < x.dim(); ++c) {
    Real pivot = x(c, c);
    for (long k = 0; k < c; ++k) pivot -= lower(c, k) * lower(c, k);
    lower(c, c) = std::sqrt(pivot);
    for (long r = c + 1; r < x.dim(); ++r) {
      Real sum = x(r, c);
      for (long k = 0; k < c; ++k) sum -= lower(r, k) * lower(c, k);
      lower(r, c) = sum / lower(c, c);
    }
  }
  return lower;
}

inline Real logdet(const OracleMatrix& x) {
  const OracleMatrix lower = cholesky(x);
  Real sum = 0;
  for (long k = 0; k < x.dim(); ++k) sum += 2 * std::log(lower(k, k));
  return sum;
}

inline Real stein(const OracleMatrix& x, const OracleMatrix& y) {
  return logdet(mean(x, y)) - (logdet(x) + logdet(y)) / 2;
}

/// Gauss-Jordan elimination; no pivoting, since x is positive definite.
inline OracleMatrix inverse(OracleMatrix x) {
  const long dim = x.dim();
  OracleMatrix result(dim);
  for (long k = 0; k < dim; ++k) result(k, k) = 1;
  for (long k = 0; k < dim; ++k) {
    const Real pivot = x(k, k);
    for (long c = 0; c < dim; ++c) x(k, c) /= pivot, result(k, c) /= pivot;
    for (long r = 0; r < dim; ++r) {
      if (r == k) continue;
      const Real factor = x(r, k);
      for (long c = 0; c < dim; ++c) x(r, c) -= factor * x(k, c), result(r, c) -= factor * result(k, c);
    }
  }
  return result;
}

template <class X, class Y>
Real stein_oracle(const X& x, const Y& y) {
  return stein(OracleMatrix::of(x), OracleMatrix::of(y));
}

}  // namespace dsk::test

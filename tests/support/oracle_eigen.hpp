#pragma once

#include <algorithm>
#include <functional>

#include "support/oracle.hpp"

/// Eigenvalues and singular values by Jacobi's method in long double, and what the metrics make of them.
namespace dsk::test {

struct OracleEigen {
  std::vector<Real> values;  ///< in no order
  OracleMatrix vectors;      ///< columns
};

/// Cyclic two-sided Jacobi rotations.
inline OracleEigen eigen(OracleMatrix x) {
  const long dim = x.dim();
  OracleMatrix vectors(dim);
  for (long k = 0; k < dim; ++k) vectors(k, k) = 1;
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool rotated = false;
    for (long p = 0; p < dim; ++p)
      for (long q = p + 1; q < dim; ++q) {
        if (std::abs(x(p, q)) <= 1e-22L * std::sqrt(std::abs(x(p, p))) * std::sqrt(std::abs(x(q, q)))) continue;
        rotated = true;
        const Real zeta = (x(q, q) - x(p, p)) / (2 * x(p, q));
        const Real t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const Real c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (long k = 0; k < dim; ++k) {
          const Real left = x(k, p), right = x(k, q);
          x(k, p) = c * left - s * right, x(k, q) = s * left + c * right;
        }
        for (long k = 0; k < dim; ++k) {
          const Real upper = x(p, k), lower = x(q, k);
          x(p, k) = c * upper - s * lower, x(q, k) = s * upper + c * lower;
        }
        for (long k = 0; k < dim; ++k) {
          const Real left = vectors(k, p), right = vectors(k, q);
          vectors(k, p) = c * left - s * right, vectors(k, q) = s * left + c * right;
        }
      }
    if (!rotated) break;
  }
  OracleEigen result{{}, vectors};
  for (long k = 0; k < dim; ++k) result.values.push_back(x(k, k));
  return result;
}

/// f applied to the eigenvalues of x.
inline OracleMatrix apply(const OracleMatrix& x, const std::function<Real(Real)>& f) {
  const OracleEigen e = eigen(x);
  OracleMatrix result(x.dim());
  for (long k = 0; k < x.dim(); ++k) {
    const Real value = f(e.values[static_cast<std::size_t>(k)]);
    for (long r = 0; r < x.dim(); ++r)
      for (long c = 0; c < x.dim(); ++c) result(r, c) += e.vectors(r, k) * value * e.vectors(c, k);
  }
  return result;
}

/// Columns made orthogonal by rotations; their lengths are the singular values, the small ones to full precision.
inline std::vector<Real> singular_values(OracleMatrix g) {
  const long dim = g.dim();
  const auto dot = [&](long p, long q) {
    Real sum = 0;
    for (long r = 0; r < dim; ++r) sum += g(r, p) * g(r, q);
    return sum;
  };
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 40; ++sweep) {
    rotated = false;
    for (long p = 0; p < dim; ++p)
      for (long q = p + 1; q < dim; ++q) {
        const Real pp = dot(p, p), qq = dot(q, q), pq = dot(p, q);
        if (std::abs(pq) <= 1e-18L * std::sqrt(pp) * std::sqrt(qq)) continue;
        rotated = true;
        const Real zeta = (qq - pp) / (2 * pq);
        const Real t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const Real c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (long r = 0; r < dim; ++r) {
          const Real left = g(r, p), right = g(r, q);
          g(r, p) = c * left - s * right, g(r, q) = s * left + c * right;
        }
      }
  }
  std::vector<Real> result;
  for (long k = 0; k < dim; ++k) result.push_back(std::sqrt(dot(k, k)));
  return result;
}

inline Real squared_frobenius(const OracleMatrix& x, const OracleMatrix& y) {
  Real sum = 0;
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) sum += (x(r, c) - y(r, c)) * (x(r, c) - y(r, c));
  return sum;
}

/// Sum of log^2 of the eigenvalues of X^-1 Y, which are the squared singular values of chol(X)^-1 chol(Y).
inline Real airm_squared(const OracleMatrix& x, const OracleMatrix& y) {
  const OracleMatrix a = cholesky(x);
  OracleMatrix g = cholesky(y);
  for (long c = 0; c < x.dim(); ++c)
    for (long r = 0; r < x.dim(); ++r) {
      for (long k = 0; k < r; ++k) g(r, c) -= a(r, k) * g(k, c);
      g(r, c) /= a(r, r);
    }
  Real sum = 0;
  for (const Real sigma : singular_values(g)) sum += 4 * std::log(sigma) * std::log(sigma);
  return sum;
}

/// log of the eigenvalue of X^-1 Y that is farthest from 1.
inline Real thompson_oracle(const OracleMatrix& x, const OracleMatrix& y) {
  const OracleMatrix a = cholesky(x);
  OracleMatrix g = cholesky(y);
  for (long c = 0; c < x.dim(); ++c)
    for (long r = 0; r < x.dim(); ++r) {
      for (long k = 0; k < r; ++k) g(r, c) -= a(r, k) * g(k, c);
      g(r, c) /= a(r, r);
    }
  Real largest = 0;
  for (const Real sigma : singular_values(g)) largest = std::max(largest, 2 * std::abs(std::log(sigma)));
  return largest;
}

/// (tr(Y^-1 X) - d + log det Y - log det X) / 2
inline Real kullback_oracle(const OracleMatrix& x, const OracleMatrix& y) {
  const OracleMatrix z = inverse(y);
  Real sum = logdet(y) - logdet(x) - static_cast<Real>(x.dim());
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c) sum += z(r, c) * x(c, r);
  return sum / 2;
}

inline OracleMatrix product(const OracleMatrix& x, const OracleMatrix& y) {
  OracleMatrix result(x.dim());
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c)
      for (long k = 0; k < x.dim(); ++k) result(r, c) += x(r, k) * y(k, c);
  return result;
}

/// tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2, by the formula.
inline Real wasserstein_squared(const OracleMatrix& x, const OracleMatrix& y) {
  const auto root = [](Real value) { return std::sqrt(std::max(value, Real{0})); };
  const OracleMatrix half = apply(x, root);
  Real sum = 0;
  for (long k = 0; k < x.dim(); ++k) sum += x(k, k) + y(k, k);
  for (const Real value : eigen(product(product(half, y), half)).values) sum -= 2 * root(value);
  return sum;
}

}  // namespace dsk::test

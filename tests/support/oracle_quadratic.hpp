#pragma once

#include <algorithm>
#include <limits>

#include "support/oracle.hpp"

/// A primal-dual interior point method in long double.
namespace dsk::test {

/// min x'Qx/2 - p'x over 0 <= x <= upper with a'x = c.
struct OracleQuadratic {
  OracleMatrix q;
  RealVector p, a;
  Real c = 0;
  Real upper = std::numeric_limits<Real>::infinity();
};

inline Real dot(const RealVector& x, const RealVector& y) {
  Real sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

inline RealVector times(const OracleMatrix& m, const RealVector& x) {
  RealVector result(x.size(), 0);
  for (std::size_t r = 0; r < x.size(); ++r)
    for (std::size_t k = 0; k < x.size(); ++k) result[r] += m(static_cast<long>(r), static_cast<long>(k)) * x[k];
  return result;
}

/// L L' x = b.
inline RealVector solve_lower(const OracleMatrix& lower, RealVector b) {
  const auto size = static_cast<long>(b.size());
  const auto at = [&](long k) -> Real& { return b[static_cast<std::size_t>(k)]; };
  for (long r = 0; r < size; ++r) {
    for (long k = 0; k < r; ++k) at(r) -= lower(r, k) * at(k);
    at(r) /= lower(r, r);
  }
  for (long r = size - 1; r >= 0; --r) {
    for (long k = r + 1; k < size; ++k) at(r) -= lower(k, r) * at(k);
    at(r) /= lower(r, r);
  }
  return b;
}

/// The solution x; Q must be positive definite.
inline RealVector minimiser(const OracleQuadratic& problem) {
  const std::size_t size = problem.p.size();
  const bool bounded = std::isfinite(problem.upper);
  RealVector x(size, bounded ? std::min<Real>(1, problem.upper / 2) : 1), low(size, 1), high(size, bounded ? 1 : 0);
  Real y = 0;
  RealVector room(size, bounded ? problem.upper - x[0] : 1);
  for (int iteration = 0; iteration < 100; ++iteration) {
    Real gap = 0;
    for (std::size_t k = 0; k < size; ++k) gap += x[k] * low[k] + room[k] * high[k];
    gap /= static_cast<Real>(bounded ? 2 * size : size);
    const Real equality = problem.c - dot(problem.a, x);
    if (gap < 1e-30L && std::abs(equality) < 1e-17L) break;
    const Real centre = gap / 10;

    OracleMatrix system = problem.q;
    RealVector right = times(problem.q, x);
    for (std::size_t k = 0; k < size; ++k) {
      system(static_cast<long>(k), static_cast<long>(k)) += low[k] / x[k] + high[k] / room[k];
      right[k] = problem.p[k] + y * problem.a[k] - right[k] + centre / x[k] - (bounded ? centre / room[k] : 0);
    }
    const OracleMatrix lower = cholesky(system);
    const RealVector by_right = solve_lower(lower, right), by_a = solve_lower(lower, problem.a);
    const Real dy = (equality - dot(problem.a, by_right)) / dot(problem.a, by_a);
    RealVector dx(size), d_low(size), d_high(size, 0);
    Real step = 1;
    const auto stay_positive = [&](Real value, Real change) {
      if (change < 0) step = std::min(step, -0.99L * value / change);
    };
    for (std::size_t k = 0; k < size; ++k) {
      dx[k] = by_right[k] + dy * by_a[k];
      d_low[k] = (centre - low[k] * dx[k]) / x[k] - low[k];
      stay_positive(x[k], dx[k]);
      stay_positive(low[k], d_low[k]);
      if (!bounded) continue;
      d_high[k] = (centre + high[k] * dx[k]) / room[k] - high[k];
      stay_positive(room[k], -dx[k]);
      stay_positive(high[k], d_high[k]);
    }
    for (std::size_t k = 0; k < size; ++k) {
      x[k] += step * dx[k];
      if (bounded) room[k] -= step * dx[k];
      low[k] += step * d_low[k];
      high[k] += step * d_high[k];
    }
    y += step * dy;
  }
  return x;
}

}  // namespace dsk::test

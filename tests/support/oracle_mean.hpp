#pragma once

#include <dsk/matrices.hpp>

#include <vector>

#include "support/oracle_eigen.hpp"

/// The equations that define means, in long double.
namespace dsk::test {

inline void add(OracleMatrix& sum, Real weight, const OracleMatrix& term) {
  for (long r = 0; r < sum.dim(); ++r)
    for (long c = 0; c < sum.dim(); ++c) sum(r, c) += weight * term(r, c);
}

inline Real norm(const OracleMatrix& x) {
  return std::sqrt(squared_frobenius(x, OracleMatrix(x.dim())));
}

/// Weights that sum to 1.
inline RealVector normalised(const std::vector<double>& weights, long count) {
  RealVector result(weights.begin(), weights.end());
  if (result.empty()) result.assign(static_cast<std::size_t>(count), 1);
  Real sum = 0;
  for (const Real weight : result) sum += weight;
  for (Real& weight : result) weight /= sum;
  return result;
}

inline OracleMatrix inverse_root(const OracleMatrix& x) {
  return apply(x, [](Real value) { return 1 / std::sqrt(value); });
}

/// Frobenius norm of sum_i w_i log(M^-1/2 X_i M^-1/2).
inline Real log_residual(const SpdBatch& x, const std::vector<double>& weights, const Matrix& mean) {
  const RealVector w = normalised(weights, x.size());
  const OracleMatrix root = inverse_root(OracleMatrix::of(mean));
  OracleMatrix sum(root.dim());
  for (Index i = 0; i < x.size(); ++i)
    add(sum, w[static_cast<std::size_t>(i)],
        apply(product(root, product(OracleMatrix::of(x[i]), root)), [](Real value) { return std::log(value); }));
  return norm(sum);
}

/// Frobenius norm of sum_i w_i ((M^-1/2 X_i M^-1/2 + I)/2)^-1 - I.
inline Real stein_residual(const SpdBatch& x, const std::vector<double>& weights, const Matrix& mean) {
  const RealVector w = normalised(weights, x.size());
  const OracleMatrix root = inverse_root(OracleMatrix::of(mean));
  OracleMatrix sum(root.dim());
  for (long k = 0; k < root.dim(); ++k) sum(k, k) = -1;
  for (Index i = 0; i < x.size(); ++i) {
    OracleMatrix average = product(root, product(OracleMatrix::of(x[i]), root));
    for (long k = 0; k < root.dim(); ++k) average(k, k) += 1;
    add(sum, 2 * w[static_cast<std::size_t>(i)], inverse(average));
  }
  return norm(sum);
}

/// f^-1(sum_i w_i f(X_i)), f and its inverse functions of eigenvalues.
inline OracleMatrix spectral_mean(const SpdBatch& x, const std::vector<double>& weights,
                                  const std::function<Real(Real)>& f, const std::function<Real(Real)>& back) {
  const RealVector w = normalised(weights, x.size());
  OracleMatrix sum(x.dim());
  for (Index i = 0; i < x.size(); ++i) add(sum, w[static_cast<std::size_t>(i)], test::apply(OracleMatrix::of(x[i]), f));
  return test::apply(sum, back);
}

/// L L' with L the mean of the Cholesky factors.
inline OracleMatrix cholesky_mean(const SpdBatch& x, const std::vector<double>& weights) {
  const RealVector w = normalised(weights, x.size());
  OracleMatrix lower(x.dim()), result(x.dim());
  for (Index i = 0; i < x.size(); ++i) add(lower, w[static_cast<std::size_t>(i)], cholesky(OracleMatrix::of(x[i])));
  for (long r = 0; r < x.dim(); ++r)
    for (long c = 0; c < x.dim(); ++c)
      for (long k = 0; k < x.dim(); ++k) result(r, c) += lower(r, k) * lower(c, k);
  return result;
}

}  // namespace dsk::test

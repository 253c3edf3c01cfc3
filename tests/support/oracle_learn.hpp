#pragma once

#include <dsk/learn.hpp>

#include <set>
#include <utility>

#include "support/oracle_eigen.hpp"
#include "support/oracle_quadratic.hpp"

/// Every criterion and its derivative by K, written out from the dense kernel matrix.
namespace dsk::test {

struct OracleCriterion {
  Real value = 0;
  OracleMatrix weights;  ///< dJ/dK
  Real by_log_c = 0;
};

template <class Function>
OracleMatrix filled(long size, const Function& function) {
  OracleMatrix result(size);
  for (long i = 0; i < size; ++i)
    for (long j = 0; j < size; ++j) result(i, j) = function(i, j);
  return result;
}

inline Real inner(const OracleMatrix& x, const OracleMatrix& y) {
  Real result = 0;
  for (long i = 0; i < x.dim(); ++i)
    for (long j = 0; j < x.dim(); ++j) result += x(i, j) * y(i, j);
  return result;
}

class OracleCriteria {
 public:
  explicit OracleCriteria(std::vector<int> classes) : classes_(std::move(classes)) {}

  OracleCriterion operator()(Criterion criterion, const OracleMatrix& kernel, Real c) const {
    switch (criterion) {
      case Criterion::alignment:
        return alignment(kernel);
      case Criterion::separability:
        return separability(kernel);
      case Criterion::centred:
        return centred(kernel);
      case Criterion::neighbour:
        return neighbour(kernel);
      default:
        return margins(criterion, kernel, c);
    }
  }

 private:
  bool same(long i, long j) const { return of(i) == of(j); }
  int of(long i) const { return classes_[static_cast<std::size_t>(i)]; }
  Real members(long i) const { return static_cast<Real>(std::count(classes_.begin(), classes_.end(), of(i))); }

  OracleCriterion alignment(const OracleMatrix& k) const {
    const long n = k.dim();
    const OracleMatrix target = filled(n, [&](long i, long j) { return same(i, j) ? 1.0L : -1.0L; });
    const Real norm = std::sqrt(inner(k, k)), along = inner(target, k), size = static_cast<Real>(n);
    return {along / (size * norm), filled(n, [&](long i, long j) {
              return target(i, j) / (size * norm) - along * k(i, j) / (size * norm * norm * norm);
            })};
  }

  OracleCriterion separability(const OracleMatrix& k) const {
    const long n = k.dim();
    const auto mean_of_class = [&](long i, long j) { return same(i, j) ? 1 / members(i) : 0; };
    const OracleMatrix d_between =
        filled(n, [&](long i, long j) { return mean_of_class(i, j) - 1 / static_cast<Real>(n); });
    const OracleMatrix d_within = filled(n, [&](long i, long j) { return (i == j ? 1 : 0) - mean_of_class(i, j); });
    const Real between = inner(d_between, k), within = inner(d_within, k);
    return {between / within, filled(n, [&](long i, long j) {
              return d_between(i, j) / within - between * d_within(i, j) / (within * within);
            })};
  }

  OracleCriterion centred(const OracleMatrix& k) const {
    const long n = k.dim();
    const OracleMatrix h = filled(n, [&](long i, long j) { return (i == j ? 1 : 0) - 1 / static_cast<Real>(n); });
    const OracleMatrix y = filled(n, [&](long i, long j) { return same(i, j) ? 1.0L : 0.0L; });
    const OracleMatrix hyh = product(h, product(y, h)), hkh = product(h, product(k, h));
    const Real y_norm = std::sqrt(inner(hyh, hyh)), k_norm = std::sqrt(inner(hkh, hkh));
    const Real value = inner(hyh, hkh) / (y_norm * k_norm);
    return {value, filled(n, [&](long i, long j) {
              return hyh(i, j) / (y_norm * k_norm) - value * hkh(i, j) / (k_norm * k_norm);
            })};
  }

  OracleCriterion neighbour(const OracleMatrix& k) const {
    const long n = k.dim();
    OracleCriterion result{0, OracleMatrix(n)};
    Real counted = 0;
    for (long i = 0; i < n; ++i) counted += members(i) > 1 ? 1 : 0;
    for (long i = 0; i < n; ++i) {
      if (members(i) < 2) continue;
      Real own = 0, all = 0;
      for (long j = 0; j < n; ++j) {
        if (j == i) continue;
        all += k(i, j);
        own += same(i, j) ? k(i, j) : 0;
      }
      result.value += std::log(own / all) / counted;
      for (long j = 0; j < n; ++j)
        if (j != i) result.weights(i, j) = ((same(i, j) ? 1 / own : 0) - 1 / all) / counted;
    }
    return result;
  }

  OracleCriterion margins(Criterion criterion, const OracleMatrix& k, Real c) const {
    OracleCriterion result{0, OracleMatrix(k.dim())};
    const std::set<int> present(classes_.begin(), classes_.end());
    for (const int first : present)
      for (const int second : present)
        if (first < second) add_margin(criterion, k, c, first, second, result);
    return result;
  }

  void add_margin(Criterion criterion, const OracleMatrix& k, Real c, int first, int second,
                  OracleCriterion& result) const {
    std::vector<long> chosen;
    RealVector sign;
    for (long i = 0; i < k.dim(); ++i)
      if (of(i) == first || of(i) == second) {
        chosen.push_back(i);
        sign.push_back(of(i) == first ? 1 : -1);
      }
    const auto size = static_cast<long>(chosen.size());
    const auto at = [&](long i) { return static_cast<std::size_t>(i); };
    const OracleMatrix soft =
        filled(size, [&](long i, long j) { return k(chosen[at(i)], chosen[at(j)]) + (i == j ? 1 / c : 0); });
    const OracleMatrix q = filled(size, [&](long i, long j) { return sign[at(i)] * sign[at(j)] * soft(i, j); });
    const RealVector ones(at(size), 1), zeros(at(size), 0);
    const RealVector eta = minimiser({q, ones, sign, 0});
    const Real squared_norm = 2 * dot(ones, eta) - dot(eta, times(q, eta));
    Real extent = 0;
    OracleMatrix by_kernel(size);
    if (criterion == Criterion::radius_margin) {
      RealVector diagonal;
      for (long i = 0; i < size; ++i) diagonal.push_back(soft(i, i) / 2);
      const RealVector beta = minimiser({soft, diagonal, ones, 1});
      extent = 2 * dot(beta, diagonal) - dot(beta, times(soft, beta));
      by_kernel = filled(size, [&](long i, long j) { return (i == j ? beta[at(i)] : 0) - beta[at(i)] * beta[at(j)]; });
    } else {
      by_kernel = filled(size, [&](long i, long j) { return (i == j ? 1 : 0) - 1 / static_cast<Real>(size); });
      extent = inner(by_kernel, soft);
    }
    result.value += extent * squared_norm;
    for (long i = 0; i < size; ++i)
      for (long j = 0; j < size; ++j) {
        const Real weight =
            squared_norm * by_kernel(i, j) - extent * eta[at(i)] * sign[at(i)] * eta[at(j)] * sign[at(j)];
        result.weights(chosen[at(i)], chosen[at(j)]) += weight;
        if (i == j) result.by_log_c -= weight / c;
      }
  }

  std::vector<int> classes_;
};

}  // namespace dsk::test

#pragma once

#include <dsk/matrices.hpp>

#include <vector>

#include "support/oracle.hpp"

namespace dsk::test {

/// What the oracle has for all pairs of a batch.
struct OraclePairs {
  Matrix logdet_of_mean;
  Matrix divergence;

  explicit OraclePairs(const SpdBatch& x) {
    const Index count = x.size();
    std::vector<Real> logdets;
    for (Index i = 0; i < count; ++i) logdets.push_back(logdet(OracleMatrix::of(x[i])));
    logdet_of_mean = divergence = Matrix(count, count);
    for (Index i = 0; i < count; ++i)
      for (Index j = i; j < count; ++j) {
        const Real of_mean = logdet(mean(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
        const Real of_both = logdets[static_cast<std::size_t>(i)] + logdets[static_cast<std::size_t>(j)];
        logdet_of_mean(i, j) = logdet_of_mean(j, i) = static_cast<double>(of_mean);
        divergence(i, j) = divergence(j, i) = static_cast<double>(of_mean - of_both / 2);
      }
  }
};

}  // namespace dsk::test

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "spd/spd.hpp"
#include "support/oracle.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

/// The estimate is the largest of eight numbers of which each is the trace on average, and none is above dim times it.
TEST(InverseTrace, EstimateIsOfTheOrderOfTheTrace) {
  for (const Index dim : {1, 2, 3, 4, 5, 8, 31, 64, 97})
    for (const double condition : {1e1, 1e6, 1e12}) {
      if (dim == 1 && condition > 10) continue;
      const SpdBatch x = random_spd({.count = 1, .dim = dim, .condition = condition, .seed = 9});
      const OracleMatrix inverted = inverse(OracleMatrix::of(x[0]));
      double trace = 0, scaled_trace = 0;
      std::vector<double> sizes;
      for (Index k = 0; k < dim; ++k) {
        sizes.push_back(std::sqrt(x[0](k, k)));
        trace += static_cast<double>(inverted(k, k));
        scaled_trace += static_cast<double>(inverted(k, k)) * x[0](k, k);
      }
      Matrix lower;
      detail::cholesky_factor(x[0], lower);
      on_every_target([&] {
        for (const bool scaled : {false, true}) {
          const double found = detail::estimate_inverse_trace(lower.data(), dim, scaled ? sizes.data() : nullptr);
          EXPECT_GT(found, (scaled ? scaled_trace : trace) / 4) << dim << " " << condition;
          EXPECT_LT(found, (scaled ? scaled_trace : trace) * static_cast<double>(dim) * 1.01)
              << dim << " " << condition;
        }
      });
    }
}

TEST(InverseTrace, OfAnotherFactorThanOfFiniteNumbersIsInfinite) {
  Matrix lower = Matrix::Identity(5, 5);
  lower(3, 3) = 0;
  on_every_target([&] {
    EXPECT_EQ(detail::estimate_inverse_trace(lower.data(), 5), std::numeric_limits<double>::infinity());
    EXPECT_FALSE(detail::is_surely_well_conditioned(lower.data(), 5));
  });
}

}  // namespace
}  // namespace dsk::test

// What CONTRIBUTING.md says about adding a metric, done with a toy: a map to coordinates in which it is Euclidean.

#include <gtest/gtest.h>

#include <cmath>

#include "metric/metric.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// A toy metric: distances between the logarithms of the diagonals.
Matrix log_diagonal(const SpdBatch& batch, const DistanceOptions&) {
  Matrix rows(batch.size(), batch.dim());
  for (Index i = 0; i < batch.size(); ++i) rows.row(i) = batch[i].diagonal().transpose().array().log();
  return rows;
}

TEST(Extension, ANewMetricIsAMapAndARow) {
  const detail::Coordinates coordinates = log_diagonal;  // as a row of the table holds it
  const SpdBatch x = random_spd({.count = 7, .dim = 5, .condition = 50});
  const Matrix found = detail::finished(detail::flat_distances(coordinates(x, {}), nullptr, {}), false, 1);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) {
      double sum = 0;
      for (Index k = 0; k < 5; ++k) sum += std::pow(std::log(x[i](k, k) / x[j](k, k)), 2);
      EXPECT_NEAR(found(i, j), std::sqrt(sum), tolerance(5, 50));
    }
}

}  // namespace
}  // namespace dsk::test

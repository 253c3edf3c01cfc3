#include <dsk/kernel.hpp>

#include <gtest/gtest.h>

#include "kernel/kernel.hpp"
#include "support/adjustment_cases.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// One matrix after the other is compared as a whole batch is.
TEST(FlatQuery, ComparesByLearnedKernelsOfOtherMetrics) {
  const SpdBatch known = made_classes({.sizes = {12, 9}, .dim = 5}).matrices();
  const SpdBatch x = made_classes({.sizes = {3, 4}, .dim = 5, .seed = 4}).matrices();
  Matrix w = Matrix::Identity(5, 3);
  w(4, 1) = 0.5;
  for (const Metric metric : {Metric::logeuclidean, Metric::powereuclidean, Metric::cholesky})
    for (const bool projected : {false, true}) {
      const Transform before = projected ? Transform(Projection{w}) : Transform();
      const LearnedKernel kernel(before, uneven_adjustment(projected ? 3 : 5, Adjustment::affine, 0.5), 1, metric, 0.7);
      const Comparison comparison = comparison_by(kernel);
      const ComparedBatch prepared(comparison, known);
      ComparedQuery query(comparison, prepared);
      const Matrix expected = pairwise_squared_distances(comparison, x, known);
      for (Index i = 0; i < x.size(); ++i) {
        const std::span<const double> found = query(x[i].data());
        ASSERT_EQ(std::ssize(found), known.size());
        for (Index j = 0; j < known.size(); ++j)
          EXPECT_NEAR(found[static_cast<std::size_t>(j)], expected(i, j), tolerance(5, 1e3, expected.maxCoeff()));
      }
    }
}

TEST(FlatQuery, KernelsAreComparedByTheirOwnMetricOnly) {
  const SpdBatch x = made_classes({}).matrices();
  const LearnedKernel kernel = LearnedKernel::plain(3, 1, Metric::cholesky);
  EXPECT_THROW(pairwise_squared_distances(Comparison{.metric = Metric::stein, .learned = kernel}, x), InvalidInput);
}

}  // namespace
}  // namespace dsk::test

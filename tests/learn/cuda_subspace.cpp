#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>

#include "learn/learn.hpp"
#include "support/cuda_device.hpp"
#include "support/learn_cases.hpp"
#include "support/made_classes.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaSubspace : public OnCuda {};

TEST_F(CudaSubspace, IsTheOneTheCpuFinds) {
  for (const Index components : {1, 3, 6})
    for (const Criterion criterion :
         {Criterion::alignment, Criterion::separability, Criterion::centred, Criterion::neighbour}) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", " << components << " components");
      const Dataset data = made_classes({.sizes = {40, 35, 30}, .dim = 9, .seed = 6});
      // Few steps: each one makes the difference that rounding made before it a little larger.
      const SubspaceOptions here{.criterion = criterion, .max_iterations = 4};
      SubspaceOptions there = here;
      there.pairs = cuda;
      const Subspace expected = SubspaceLearner(data, here).learn(components),
                     found = SubspaceLearner(data, there).learn(components);
      EXPECT_LE((found.projection.w - expected.projection.w).cwiseAbs().maxCoeff(),
                tolerance(9, 1e4, expected.projection.w.cwiseAbs().maxCoeff()));
      EXPECT_NEAR(found.theta, expected.theta, tolerance(9, 1e4, expected.theta));
      EXPECT_EQ(SubspaceLearner(data, there).learn(components).projection.w, found.projection.w);
    }
}

TEST_F(CudaSubspace, OfAFlatMetricIsTheOneTheCpuFinds) {
  const Dataset data = made_classes({.sizes = {40, 35, 30}, .dim = 9, .seed = 6});
  for (const Metric metric : {Metric::logeuclidean, Metric::cholesky}) {
    const SubspaceOptions here{.metric = metric, .criterion = Criterion::centred, .max_iterations = 4};
    SubspaceOptions there = here;
    there.pairs = cuda;
    const Subspace expected = SubspaceLearner(data, here).learn(3), found = SubspaceLearner(data, there).learn(3);
    EXPECT_LE((found.projection.w - expected.projection.w).cwiseAbs().maxCoeff(),
              tolerance(9, 1e4, expected.projection.w.cwiseAbs().maxCoeff()))
        << name(metric);
    EXPECT_NEAR(found.theta, expected.theta, tolerance(9, 1e4, expected.theta)) << name(metric);
  }
}

}  // namespace
}  // namespace dsk::test

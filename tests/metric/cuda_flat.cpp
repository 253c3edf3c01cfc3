#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include "support/cuda_device.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaFlat : public OnCuda {};

TEST_F(CudaFlat, DistancesAgreeWithTheCpu) {
  for (const Metric metric : {Metric::cholesky, Metric::euclidean, Metric::harmonic, Metric::logcholesky,
                              Metric::logeuclidean, Metric::powereuclidean})
    for (const Index dim : {1, 5, 24, 70})
      for (const double scale : {1.0, 1e-150, 1e120}) {
        if (scale != 1 && metric == Metric::harmonic) continue;
        const SpdBatch x = random_spd({.count = 40, .dim = dim, .condition = 100, .scale = scale, .seed = 1}),
                       y = random_spd({.count = 9, .dim = dim, .condition = 100, .scale = scale, .seed = 2});
        SCOPED_TRACE(testing::Message() << name(metric) << ", d = " << dim << ", times " << scale);
        const DistanceOptions here{.metric = metric}, there{.metric = metric, .pairs = cuda},
            single{.metric = metric, .pairs = cuda_single};
        const Matrix expected = pairwise_distances(x, here), found = pairwise_distances(x, there);
        const double largest = expected.maxCoeff(), allowed = tolerance(dim, 100) * largest;
        EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), allowed);
        EXPECT_LE((pairwise_distances(x, y, there) - pairwise_distances(x, y, here)).cwiseAbs().maxCoeff(), allowed);
        EXPECT_LE((pairwise_distances(x, single) - expected).cwiseAbs().maxCoeff(),
                  tolerance_float32(dim, 100) * largest);
        EXPECT_EQ(found, found.transpose());
      }
}

}  // namespace
}  // namespace dsk::test

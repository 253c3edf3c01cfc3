#include <dsk/covariance.hpp>

#include "files/scratch.hpp"
#include "support/made_samples.hpp"
#include "support/python.hpp"

namespace dsk::test {
namespace {

using ScikitLearn = Scratch;

TEST_F(ScikitLearn, ShrunkCovariancesAgree) {
  if (run_python(DSK_PYTHON, "import sklearn") != 0) GTEST_SKIP() << "no Python with scikit-learn";
  for (const Index dim : {1, 2, 5, 43})
    for (const Index count : {2, 12, 100, 3000}) {
      const std::string label = "_" + std::to_string(dim) + "_" + std::to_string(count) + ".npy";
      const Matrix samples = mixed_samples(count, dim, 11);
      save(samples, *this / ("samples" + label));
      save(covariance(samples, {.estimator = Estimator::ledoit_wolf}), *this / ("ledoit_wolf" + label));
      save(covariance(samples, {.estimator = Estimator::oas}), *this / ("oas" + label));
    }
  EXPECT_EQ(run_python(DSK_PYTHON, R"(
import glob, sys, numpy
from sklearn.covariance import ledoit_wolf, oas
files = glob.glob(f"{sys.argv[1]}/samples_*.npy")
assert len(files) == 16
for file in files:
    samples = numpy.load(file)
    for name, peer in (("ledoit_wolf", ledoit_wolf), ("oas", oas)):
        ours, theirs = numpy.load(file.replace("samples_", name + "_")), peer(samples)[0]
        assert abs(ours - theirs).max() <= 1e-10 * abs(theirs).max(), (file, name)
)",
                       folder().string()),
            0);
}

}  // namespace
}  // namespace dsk::test

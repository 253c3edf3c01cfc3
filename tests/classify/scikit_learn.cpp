#include <dsk/classify.hpp>

#include "engine/engine.hpp"
#include "files/scratch.hpp"
#include "support/made_classes.hpp"
#include "support/python.hpp"

namespace dsk::test {
namespace {

using ScikitLearn = Scratch;

TEST_F(ScikitLearn, PrecomputedKernelGivesTheSameDecisions) {
  if (run_python(DSK_PYTHON, "import sklearn") != 0) GTEST_SKIP() << "no Python with scikit-learn";
  const Dataset train = made_classes({.sizes = {20, 30, 15}}), test = made_classes({.sizes = {10, 10, 10}, .seed = 1});
  const SvmClassifier model = train_svm(Comparison{}, train, {.theta = 2, .c = 3, .balanced = true});
  Matrix kernel = pairwise_squared_distances(Comparison{}, train.matrices());
  Matrix to_training = pairwise_squared_distances(Comparison{}, test.matrices(), train.matrices());
  exponential_in_place(kernel, -2);
  exponential_in_place(to_training, -2);
  Matrix codes(train.size(), 1);
  for (Index i = 0; i < train.size(); ++i) codes(i, 0) = train.labels()[i];
  save(kernel, *this / "kernel.npy");
  save(to_training, *this / "to_training.npy");
  save(codes, *this / "codes.npy");
  save(decision_values(model, test.matrices()), *this / "decisions.npy");
  EXPECT_EQ(run_python(DSK_PYTHON, R"(
import sys, numpy
from sklearn.svm import SVC
kernel, to_training, codes, decisions = (
    numpy.load(f"{sys.argv[1]}/{name}.npy") for name in ("kernel", "to_training", "codes", "decisions"))
svc = SVC(kernel="precomputed", C=3, class_weight="balanced", decision_function_shape="ovo", tol=1e-8)
svc.fit(kernel, codes.ravel())
difference = abs(svc.decision_function(to_training) - decisions).max()
assert difference < 1e-5, difference
)",
                       folder().string()),
            0);
}

}  // namespace
}  // namespace dsk::test

#include <dsk/classify.hpp>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "files/scratch.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/python.hpp"

namespace dsk::test {
namespace {

TEST(Tangent, LogisticProbabilitiesAreThoseOfTheLinearModel) {
  const Dataset train = made_classes({.sizes = {9, 12, 7}}), test = made_classes({.sizes = {5, 5, 5}, .seed = 1});
  const TangentClassifier model = train_logistic(train, {.c = 3});
  const Matrix outputs = detail::parts_of(model).linear.scores(model.space().map(test.matrices()));
  const Prediction found = predict(model, test.matrices());
  for (Index i = 0; i < test.size(); ++i) {
    double sum = 0;
    for (const double output : outputs.row(i)) sum += std::exp(output);
    for (Index c = 0; c < 3; ++c) EXPECT_NEAR(found.scores(i, c), std::exp(outputs(i, c)) / sum, 1e-12);
  }
}

TEST(Tangent, MachinesVote) {
  const Dataset train = made_classes({.sizes = {9, 12, 7}}), test = made_classes({.sizes = {5, 5, 5}, .seed = 1});
  const TangentClassifier model = train_tangent_svm(train, {.c = 3, .balanced = true});
  EXPECT_TRUE(model.is_pairwise());
  const Matrix decisions = detail::parts_of(model).linear.scores(model.space().map(test.matrices()));
  const Prediction found = predict(model, test.matrices());
  for (Index i = 0; i < test.size(); ++i) {
    double wins[3] = {0, 0, 0};
    wins[decisions(i, 0) > 0 ? 0 : 1] += 1;
    wins[decisions(i, 1) > 0 ? 0 : 2] += 1;
    wins[decisions(i, 2) > 0 ? 1 : 2] += 1;
    for (Index c = 0; c < 3; ++c) EXPECT_DOUBLE_EQ(found.scores(i, c), wins[c] / 3);
    EXPECT_EQ(found.labels[i], std::max_element(wins, wins + 3) - wins);
  }
}

TEST(Tangent, UnitsOrderAndThreadsDoNotMatter) {
  const Dataset train = made_classes({.sizes = {30, 25, 20}}), test = made_classes({.sizes = {90, 90, 90}, .seed = 1});
  const auto scores = [&](const Dataset& known, const Dataset& unknown, int threads) {
    return predict(train_logistic(known, {.tolerance = 1e-9, .threads = threads}), unknown.matrices(),
                   {.threads = threads})
        .scores;
  };
  const Matrix expected = scores(train, test, 1);
  EXPECT_EQ(scores(train, test, 2), expected);
  EXPECT_LT((scores(times(train, 1e-12), times(test, 1e-12), 0) - expected).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((scores(reordered(train, 3), test, 0) - expected).cwiseAbs().maxCoeff(), 1e-6);
  const auto svm_scores = [&](int threads) {
    return predict(train_tangent_svm(train, {.pairs = {.threads = threads}}), test.matrices(), {.threads = threads})
        .scores;
  };
  EXPECT_EQ(svm_scores(2), svm_scores(1));
}

TEST(Tangent, NamesOfClassesDoNotMatter) {
  const Dataset train = made_classes({.sizes = {9, 12}}), test = made_classes({.sizes = {5, 5}, .seed = 1});
  std::vector<int> codes;
  for (const int code : train.labels().codes()) codes.push_back(code == 0 ? 1 : 3);
  const Dataset renamed(train.matrices(), Labels({"a", "b", "c", "d"}, codes, false));
  for (const bool pairwise : {false, true}) {
    const auto trained = [&](const Dataset& data) { return pairwise ? train_tangent_svm(data) : train_logistic(data); };
    const Prediction found = predict(trained(renamed), test.matrices()),
                     expected = predict(trained(train), test.matrices());
    EXPECT_EQ(found.scores.col(1), expected.scores.col(0));
    EXPECT_EQ(found.scores.col(3), expected.scores.col(1));
    EXPECT_TRUE((found.scores.col(0).array() == 0).all());
    for (Index i = 0; i < test.size(); ++i) EXPECT_EQ(found.labels[i], expected.labels[i] == 0 ? 1 : 3);
  }
}

TEST(Tangent, DegenerateTrainingSetsAreFine) {
  const SpdBatch same(std::vector<double>{2, 2, 2, 2}, 4, 1);
  const Matrix priors = predict(train_logistic(Dataset(same, Labels(std::vector<long long>{0, 1, 1, 1}))), same).scores;
  EXPECT_NEAR(priors(0, 1), 0.75, 1e-6);
  const Dataset alone = made_classes({.sizes = {1, 6}});
  EXPECT_TRUE(predict(train_logistic(alone), alone.matrices()).scores.allFinite());
  const Dataset one_class(alone.matrices(), Labels(std::vector<long long>(7, 5)));
  EXPECT_SAYS(message_of([&] { train_logistic(one_class); }), "at least two classes");
  EXPECT_SAYS(message_of([&] { train_tangent_svm(one_class); }), "at least two classes");
}

TEST(Tangent, BlocksOfManyMatricesGiveTheSame) {
  const Dataset train = made_classes({.sizes = {6, 6}, .dim = 2});
  const TangentClassifier model = train_logistic(train);
  const Dataset many = made_classes({.sizes = {3, 3}, .dim = 2, .seed = 1});
  EXPECT_EQ(detail::tangent_outputs(model, many.matrices(), 1).rows(), 6);
  EXPECT_EQ(message_of([&] { predict(model, random_spd({.dim = 5})); }),
            "the model is for 2 x 2 matrices, not for 5 x 5");
}

TEST(Tangent, RejectsPartsThatDoNotMatch) {
  const TangentClassifier good = train_logistic(made_classes({}));
  const auto says = [&](auto change) {
    detail::TangentParts parts{good.space(), detail::parts_of(good).linear, good.classes(), false, 1};
    change(parts);
    return message_of([&] { detail::classifier_of(parts); });
  };
  EXPECT_EQ(says([](auto&) {}), "");
  EXPECT_SAYS(says([](auto& parts) { parts.pairwise = true; }), "do not match 6 features and 1 outputs");
  EXPECT_SAYS(says([](auto& parts) { parts.c = 0; }), "C 0 must be finite and above 0");
  EXPECT_SAYS(says([](auto& parts) { parts.linear.offsets[0] = NAN; }), "not a finite number");
  EXPECT_SAYS(says([](auto& parts) { parts.classes = Labels({"a", "b"}, {1, 0}, false); }), "in ascending order");
}

using PyRiemann = Scratch;

TEST_F(PyRiemann, GivesTheSameProbabilities) {
  if (run_python(DSK_PYTHON, "import sklearn, pyriemann") != 0) GTEST_SKIP() << "no Python with pyRiemann";
  for (const std::vector<Index>& sizes : {std::vector<Index>{20, 30, 15}, {12, 17}, {6, 5}}) {
    const Dataset train = made_classes({.sizes = sizes, .dim = 5}),
                  test = made_classes({.sizes = sizes, .dim = 5, .seed = 1});
    Matrix codes(train.size(), 1);
    for (Index i = 0; i < train.size(); ++i) codes(i, 0) = train.labels()[i];
    save(train, *this / "train.npy");
    save(test, *this / "test.npy");
    save(codes, *this / "codes.npy");
    save(predict(train_mdm(train), test.matrices()).scores, *this / "mdm.npy");
    save(predict(train_mdm(train, {.metric = Metric::logeuclidean}), test.matrices()).scores, *this / "mdm_log.npy");
    save(predict(train_logistic(train, {.c = 2, .tolerance = 1e-10}), test.matrices()).scores, *this / "logistic.npy");
    EXPECT_EQ(run_python(DSK_PYTHON, R"(
import sys, numpy
from pyriemann.classification import MDM
from pyriemann.tangentspace import TangentSpace
from sklearn.linear_model import LogisticRegression
train, test, codes, mdm, mdm_log, logistic = (
    numpy.load(f"{sys.argv[1]}/{name}.npy") for name in ("train", "test", "codes", "mdm", "mdm_log", "logistic"))
codes = codes.ravel()
exact = {"tol": 1e-14, "maxiter": 500}
def check(found, expected, tolerance):
    difference = abs(found - expected).max()
    assert difference < tolerance, difference
from pyriemann.utils.mean import mean_riemann
from pyriemann.utils.distance import distance
def softmax(x):
    e = numpy.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
def by_means(means, metric):
    return softmax(-numpy.array([[distance(x, m, metric=metric) ** 2 for m in means] for x in test]))
riemann = [mean_riemann(train[codes == c], **exact) for c in numpy.unique(codes)]
check(mdm, by_means(riemann, "riemann"), 1e-9)
check(mdm, MDM(metric="riemann").fit(train, codes).predict_proba(test), 1e-6)
check(mdm_log, MDM(metric="logeuclid").fit(train, codes).predict_proba(test), 1e-10)
space = TangentSpace(metric="riemann").fit(train)
space.reference_ = mean_riemann(train, **exact)
rows, new_rows = space.transform(train), space.transform(test)
scale = numpy.sqrt(((rows - rows.mean(0)) ** 2).sum(1).mean())
regression = LogisticRegression(C=2, tol=1e-12, max_iter=10000).fit(rows / scale, codes)
check(logistic, regression.predict_proba(new_rows / scale), 1e-6)
)",
                         folder().string()),
              0);
  }
}

}  // namespace
}  // namespace dsk::test

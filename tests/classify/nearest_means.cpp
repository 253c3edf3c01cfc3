#include <dsk/classify.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/oracle_eigen.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// Labels with the same codes and names of classes 0 to 4, of which some do not occur.
Dataset with_more_names(const Dataset& data) {
  std::vector<int> codes;
  for (const int code : data.labels().codes()) codes.push_back(2 * code + 1);
  return Dataset(data.matrices(), Labels({"0", "1", "2", "3", "4"}, codes, true));
}

Real oracle_squared(Metric metric, const MatrixView& x, const MatrixView& y) {
  const OracleMatrix a = OracleMatrix::of(x), b = OracleMatrix::of(y);
  const auto log = [](Real v) { return std::log(v); };
  if (metric == Metric::airm) return airm_squared(a, b);
  if (metric == Metric::stein) return stein(a, b);
  if (metric == Metric::cholesky) return squared_frobenius(cholesky(a), cholesky(b));
  if (metric == Metric::logeuclidean) return squared_frobenius(apply(a, log), apply(b, log));
  return squared_frobenius(a, b);
}

TEST(Mdm, ScoresAreTheSoftmaxOfMinusSquaredDistances) {
  const Dataset train = made_classes({.sizes = {9, 6, 7}}), test = made_classes({.sizes = {5, 5, 5}, .seed = 1});
  for (const Metric metric : {Metric::airm, Metric::stein, Metric::cholesky, Metric::logeuclidean, Metric::euclidean}) {
    const MdmClassifier model = train_mdm(train, {.metric = metric});
    ASSERT_EQ(model.means().size(), 3);
    const Prediction found = predict(model, test.matrices());
    for (Index i = 0; i < test.size(); ++i) {
      std::vector<Real> weights;
      Real sum = 0;
      for (Index c = 0; c < 3; ++c) {
        weights.push_back(std::exp(-oracle_squared(metric, test.matrices()[i], model.means().matrices()[c])));
        sum += weights.back();
      }
      const auto best = std::max_element(weights.begin(), weights.end()) - weights.begin();
      EXPECT_EQ(found.labels[i], best) << name(metric);
      for (Index c = 0; c < 3; ++c)
        EXPECT_NEAR(found.scores(i, c), static_cast<double>(weights[static_cast<std::size_t>(c)] / sum), 1e-10);
    }
  }
}

TEST(Mdm, UnitsDoNotChangeTheMeans) {
  for (const double condition : {1e1, 1e3, 1e6})
    for (const Metric metric : all_metrics()) {
      if (!has_mean(metric)) continue;
      const SpdBatch x = random_spd({.count = 30, .dim = 6, .condition = condition, .seed = 5});
      const Labels labels(std::vector<long long>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2,
                                                 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
      const MdmClassifier model = train_mdm(Dataset(x, labels), {.metric = metric});
      // Powers of two change no digit. Other units round every entry, which moves means by as much as it moves the
      // smallest eigenvalues.
      for (const double unit : {0x1p-40, 0x1p40, 3.0, 1e-12, 1e12}) {
        const bool exact = std::log2(unit) == std::round(std::log2(unit));
        MatrixStack stack{x.size(), x.dim(), {x.values().begin(), x.values().end()}};
        for (double& value : stack.values) value *= unit;
        const MdmClassifier other = train_mdm(Dataset(SpdBatch(std::move(stack)), labels), {.metric = metric});
        for (Index c = 0; c < 3; ++c) {
          const Matrix mean = model.means().matrices()[c], scaled = other.means().matrices()[c];
          const double size = mean.cwiseAbs().maxCoeff();
          EXPECT_LE((scaled / unit - mean).cwiseAbs().maxCoeff(),
                    (exact ? 1e-12 : std::max(1e-12, tolerance(x.dim(), condition))) * size)
              << name(metric) << ", condition " << condition << ", unit " << unit;
        }
      }
    }
}

TEST(Mdm, TellsWhetherItsMeansConverged) {
  const Dataset train = made_classes({.sizes = {9, 6, 7}});
  for (const Metric metric : {Metric::airm, Metric::stein, Metric::wasserstein}) {
    EXPECT_EQ(train_mdm(train, {.metric = metric}).stop(), Mean::Stop::converged) << name(metric);
    EXPECT_EQ(train_mdm(train, {.metric = metric, .max_iterations = 2}).stop(), Mean::Stop::iteration_limit)
        << name(metric);
  }
  EXPECT_EQ(train_mdm(train, {.metric = Metric::logeuclidean}).stop(), Mean::Stop::closed_form);
  const MdmClassifier given(
      Dataset(train.matrices().select(std::vector<Index>{0, 1}), Labels(std::vector<long long>{0, 1})));
  EXPECT_EQ(given.stop(), std::nullopt);
}

TEST(Mdm, MeansAreThoseOfTheClasses) {
  const Dataset train = made_classes({.sizes = {4, 7}});
  const MdmClassifier model = train_mdm(train, {.metric = Metric::logeuclidean});
  for (int c = 0; c < 2; ++c) {
    OracleMatrix sum(3);
    Real count = 0;
    for (Index i = 0; i < train.size(); ++i) {
      if (train.labels()[i] != c) continue;
      const OracleMatrix log = apply(OracleMatrix::of(train.matrices()[i]), [](Real v) { return std::log(v); });
      for (long r = 0; r < 3; ++r)
        for (long k = 0; k < 3; ++k) sum(r, k) += log(r, k);
      ++count;
    }
    for (long r = 0; r < 3; ++r)
      for (long k = 0; k < 3; ++k) sum(r, k) /= count;
    const OracleMatrix expected = apply(sum, [](Real v) { return std::exp(v); });
    for (long r = 0; r < 3; ++r)
      for (long k = 0; k < 3; ++k)
        EXPECT_NEAR(model.means().matrices()[c](r, k), static_cast<double>(expected(r, k)), 1e-11);
  }
}

TEST(Mdm, UnitsOrderAndThreadsDoNotMatter) {
  const Dataset train = made_classes({.sizes = {30, 25, 20}}),
                test = made_classes({.sizes = {200, 200, 200}, .seed = 1});
  const Matrix expected = predict(train_mdm(train, {.threads = 1}), test.matrices(), {.threads = 1}).scores;
  EXPECT_EQ(predict(train_mdm(train, {.threads = 2}), test.matrices(), {.threads = 2}).scores, expected);
  EXPECT_LT(
      (predict(train_mdm(times(train, 1e-12)), times(test, 1e-12).matrices()).scores - expected).cwiseAbs().maxCoeff(),
      1e-9);
  EXPECT_LT((predict(train_mdm(reordered(train, 3)), test.matrices()).scores - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Mdm, TiesGoToTheFirstClass) {
  const SpdBatch x = random_spd({.count = 1});
  const Dataset means(SpdBatch(std::vector<double>{1, 0, 0, 1, 1, 0, 0, 1}, 2, 2),
                      Labels(std::vector<long long>{3, 7}));
  const Prediction found = predict(MdmClassifier(means), x);
  EXPECT_EQ(found.labels[0], 0);
  EXPECT_DOUBLE_EQ(found.scores(0, 0), 0.5);
}

TEST(Mdm, ClassesWithoutMembersHaveScoreZero) {
  const Dataset train = made_classes({.sizes = {6, 5}}), test = made_classes({.sizes = {4, 4}, .seed = 1});
  const Prediction found = predict(train_mdm(with_more_names(train)), test.matrices());
  const Prediction expected = predict(train_mdm(train), test.matrices());
  EXPECT_EQ(found.scores.col(1), expected.scores.col(0));
  EXPECT_EQ(found.scores.col(3), expected.scores.col(1));
  for (const Index missing : {0, 2, 4}) EXPECT_TRUE((found.scores.col(missing).array() == 0).all());
  EXPECT_EQ(found.labels.names().size(), 5u);
}

TEST(Mdm, RejectsMeansThatAreNotOnePerClass) {
  const SpdBatch x = random_spd({.count = 2});
  EXPECT_SAYS(message_of([&] {
                MdmClassifier(Dataset(x, Labels(std::vector<long long>{2, 2})));
              }),
              "must be different and in ascending order");
  EXPECT_NE(message_of([&] { MdmClassifier(Dataset{x}); }), "");
  EXPECT_EQ(message_of([&] { predict(train_mdm(made_classes({})), random_spd({.dim = 5})); }),
            "the model is for 3 x 3 matrices, not for 5 x 5");
}

/// 2 mean k(x, .) - mean k(., .), as plainly as can be.
Real oracle_score(const Dataset& train, const MatrixView& x, int c, Real theta) {
  std::vector<OracleMatrix> members;
  for (Index i = 0; i < train.size(); ++i)
    if (train.labels()[i] == c) members.push_back(OracleMatrix::of(train.matrices()[i]));
  const auto n = static_cast<Real>(members.size());
  Real to = 0, within = 0;
  for (const OracleMatrix& a : members) {
    to += std::exp(-theta * stein(a, OracleMatrix::of(x))) / n;
    for (const OracleMatrix& b : members) within += std::exp(-theta * stein(a, b)) / (n * n);
  }
  return 2 * to - within;
}

TEST(KernelMeans, ScoresAreThoseOfTheDefinition) {
  const Dataset train = made_classes({.sizes = {9, 1, 7}}), test = made_classes({.sizes = {5, 5, 5}, .seed = 1});
  for (const double theta : {0.05, 1.0, 7.3}) {
    const MeanClassifier model = train_mean(Comparison{}, train, {.theta = theta});
    const Matrix found = detail::mean_scores(model, test.matrices(), {});
    const Matrix known = kernel_matrix(LearnedKernel::plain(3, theta), train.matrices());
    const Matrix to_known = kernel_matrix(LearnedKernel::plain(3, theta), test.matrices(), train.matrices());
    const Matrix by_kernel = detail::kernel_mean_scores(to_known, known, train.labels().codes(), 3);
    Real squares = 0;
    for (Index i = 0; i < train.size(); ++i) {
      Real scores[3], mean_score = 0;
      for (int c = 0; c < 3; ++c) {
        scores[c] = oracle_score(train, train.matrices()[i], c, theta);
        mean_score += scores[c] / 3;
      }
      for (const Real score : scores) squares += (score - mean_score) * (score - mean_score);
    }
    const Real scale = std::sqrt(squares / (3 * static_cast<Real>(train.size())));
    EXPECT_NEAR(detail::parts_of(model).scale, static_cast<double>(scale), 1e-11);
    const Prediction prediction = predict(model, test.matrices());
    for (Index i = 0; i < test.size(); ++i) {
      Real sum = 0;
      Real scores[3];
      for (int c = 0; c < 3; ++c) {
        scores[c] = oracle_score(train, test.matrices()[i], c, theta);
        EXPECT_NEAR(found(i, c), static_cast<double>(scores[c]), 1e-11);
        EXPECT_NEAR(by_kernel(i, c), static_cast<double>(scores[c]), 1e-11);
        sum += std::exp(scores[c] / scale);
      }
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(prediction.scores(i, c), static_cast<double>(std::exp(scores[c] / scale) / sum), 1e-10);
    }
  }
}

TEST(KernelMeans, UnitsOrderAndThreadsDoNotMatter) {
  const Dataset train = made_classes({.sizes = {60, 45, 50}}),
                test = made_classes({.sizes = {200, 200, 200}, .seed = 1});
  const auto scores = [&](const Dataset& known, const Dataset& unknown, int threads) {
    return predict(train_mean(Comparison{}, known, {.theta = 0.3, .pairs = {.threads = threads}}), unknown.matrices(),
                   {.threads = threads})
        .scores;
  };
  const Matrix expected = scores(train, test, 1);
  EXPECT_EQ(scores(train, test, 2), expected);
  EXPECT_LT((scores(times(train, 1e9), times(test, 1e9), 0) - expected).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((scores(reordered(train, 3), test, 0) - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(KernelMeans, ClassesWithoutMembersAreNeverPredicted) {
  const Dataset train = made_classes({.sizes = {6, 5}}), test = made_classes({.sizes = {4, 4}, .seed = 1});
  const MeanClassifier model = train_mean(Comparison{}, with_more_names(train)),
                       plain = train_mean(Comparison{}, train);
  EXPECT_DOUBLE_EQ(detail::parts_of(model).scale, detail::parts_of(plain).scale);
  const Prediction found = predict(model, test.matrices()), expected = predict(plain, test.matrices());
  EXPECT_LT((found.scores.col(1) - expected.scores.col(0)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_TRUE((found.scores.col(0).array() == 0).all());
}

TEST(KernelMeans, IdenticalMatricesAndOneRowAreFine) {
  const SpdBatch same(std::vector<double>{2, 2, 2, 2}, 4, 1);
  const Dataset train(same, Labels(std::vector<long long>{0, 1, 0, 1}));
  const Prediction found = predict(train_mean(Comparison{}, train), same);
  EXPECT_DOUBLE_EQ(found.scores(0, 0), 0.5);
  EXPECT_EQ(found.labels[0], 0);
  EXPECT_DOUBLE_EQ(predict(train_mdm(train), same).scores(0, 0), 0.5);
}

TEST(KernelMeans, RejectsInvalidInput) {
  const Dataset train = made_classes({});
  EXPECT_EQ(message_of([&] { train_mean(Comparison{}, train, {.theta = 0}); }), "theta 0 must be finite and above 0");
  EXPECT_SAYS(message_of([&] { detail::kernel_mean_scores(Matrix(2, 3), Matrix(3, 2), std::vector<int>(3), 2); }),
              "do not match 3 classes");
  EXPECT_EQ(message_of([&] { detail::kernel_mean_scores(Matrix(2, 1), Matrix(1, 1), std::vector<int>{4}, 2); }),
            "class code 4 is outside the 2 classes");
}

}  // namespace
}  // namespace dsk::test

#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>
#include <classify/libsvm.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "classify/classify.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A Stein kernel of overlapping classes, and new points from the same classes. Members of different classes alternate.
struct Sample {
  Matrix kernel;
  Matrix to_training;
  std::vector<int> classes;
};

Sample sample(const std::vector<int>& class_numbers, Index per_class, double theta = 4) {
  const auto count = static_cast<Index>(class_numbers.size());
  const Dataset all =
      wishart_classes({.classes = count, .per_class = 2 * per_class, .dim = 3, .degrees = 12, .tau = 0.6, .seed = 5});
  std::vector<Index> training, others;
  Sample result;
  for (Index i = 0; i < per_class; ++i)
    for (Index c = 0; c < count; ++c) {
      training.push_back(2 * per_class * c + i);
      others.push_back(2 * per_class * c + per_class + i);
      result.classes.push_back(class_numbers[static_cast<std::size_t>(c)]);
    }
  const LearnedKernel stein = LearnedKernel::plain(3, theta);
  const SpdBatch train = all.matrices().select(training);
  result.kernel = kernel_matrix(stein, train);
  result.to_training = kernel_matrix(stein, all.matrices().select(others), train);
  return result;
}

LibsvmAnswer libsvm(const Sample& data, double c) {
  return Libsvm(data.kernel, data.classes, {.c = c}).answer(data.to_training);
}

class PairwiseSvmClasses : public ::testing::TestWithParam<std::vector<int>> {};
INSTANTIATE_TEST_SUITE_P(TwoAndFive, PairwiseSvmClasses,
                         ::testing::Values(std::vector{0, 1}, std::vector{7, -4}, std::vector{-9, 2, 3, 30, 900},
                                           std::vector{30, 2, -11, 900, 5}));

TEST_P(PairwiseSvmClasses, PathsHaveTheMachinesOfEachC) {
  const std::vector<double> cs{30, 0.1, 1e4, 1};
  for (const Index per_class : {1, 2, 20})
    for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
      const Sample data = sample(GetParam(), per_class);
      SvmOptions options{.margin = margin};
      const std::vector<PairwiseSvm> path = detail::train_pairwise_path(data.kernel, data.classes, cs, options);
      ASSERT_EQ(path.size(), cs.size());
      for (std::size_t m = 0; m < cs.size(); ++m) {
        options.c = cs[m];
        const PairwiseSvm alone(data.kernel, data.classes, options);
        EXPECT_EQ(path[m].classes(), alone.classes());
        const Matrix expected = alone.decisions(data.to_training);
        EXPECT_LT((path[m].decisions(data.to_training) - expected).cwiseAbs().maxCoeff(),
                  1e-5 * (1 + expected.cwiseAbs().maxCoeff()))
            << per_class << " of each class, C " << cs[m];
      }
    }
}

TEST_P(PairwiseSvmClasses, LinearSoftMarginAgreesWithLibsvm) {
  const Sample data = sample(GetParam(), 20);
  for (const double c : {0.1, 1.0, 30.0}) {
    const LibsvmAnswer oracle = libsvm(data, c);
    const PairwiseSvm svm(data.kernel, data.classes, {.c = c});
    const Matrix decisions = svm.decisions(data.to_training);
    ASSERT_EQ(decisions.cols(), oracle.decisions.cols());
    // Training stops at a violation of 1e-6.
    EXPECT_LT((decisions - oracle.decisions).cwiseAbs().maxCoeff(), 1e-5) << "C = " << c;
    // LIBSVM gives ties to the class that occurs first.
    if (std::is_sorted(GetParam().begin(), GetParam().end())) {
      EXPECT_EQ(svm.predict(data.to_training), oracle.predicted) << "C = " << c;
    }
  }
}

/// With w and b from the training set's decisions: eta_i >= 0, sum(eta t) = 0, t_i f(x_i) >= 1 - xi_i, with equality
/// where eta_i > 0, and the slack xi_i = eta_i / C.
TEST_P(PairwiseSvmClasses, SquaredSoftMarginIsOptimal) {
  const Sample data = sample(GetParam(), 15);
  for (const double c : {1e-3, 0.1, 1.0, 30.0, 1e4}) {
    const PairwiseSvm svm(data.kernel, data.classes, {.c = c, .margin = SoftMargin::squared});
    const Matrix decisions = svm.decisions(data.kernel);
    const Index size = data.kernel.rows();
    // f is linear in the kernel values, so that rows of zeros and of the unit matrix give b and eta t.
    const Matrix offsets = svm.decisions(Matrix::Zero(1, size));
    const Matrix signed_etas = svm.decisions(Matrix::Identity(size, size)).rowwise() - offsets.row(0);
    Index pair = 0;
    for (std::size_t a = 0; a < svm.classes().size(); ++a)
      for (std::size_t b = a + 1; b < svm.classes().size(); ++b, ++pair) {
        double sum = 0, largest = 1;
        for (Index i = 0; i < size; ++i) {
          const int own = data.classes[static_cast<std::size_t>(i)];
          const double t = own == svm.classes()[a] ? 1 : own == svm.classes()[b] ? -1 : 0;
          const double eta = t * signed_etas(i, pair);
          largest = std::max(largest, eta);
          sum += t * eta;
          if (t == 0) {
            EXPECT_EQ(signed_etas(i, pair), 0) << "a point of neither class";
            continue;
          }
          const double rounding = 1e-9 * std::max(1.0, eta);
          EXPECT_GE(eta, -rounding);
          EXPECT_GE(t * decisions(i, pair), 1 - eta / c - rounding) << "C = " << c << ", point " << i;
          if (eta > rounding) {
            EXPECT_NEAR(t * decisions(i, pair), 1 - eta / c, rounding) << "C = " << c << ", point " << i;
          }
        }
        EXPECT_NEAR(sum, 0, 1e-9 * largest);
      }
  }
}

TEST_P(PairwiseSvmClasses, PredictsTheClassWithMostWins) {
  const Sample data = sample(GetParam(), 15);
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
    const PairwiseSvm svm(data.kernel, data.classes, {.c = 5, .margin = margin});
    const Matrix decisions = svm.decisions(data.to_training);
    const std::vector<int> predicted = svm.predict(data.to_training);
    ASSERT_EQ(static_cast<Index>(predicted.size()), decisions.rows());
    for (Index i = 0; i < decisions.rows(); ++i) {
      std::map<int, int> wins;
      Index pair = 0;
      for (std::size_t a = 0; a < svm.classes().size(); ++a)
        for (std::size_t b = a + 1; b < svm.classes().size(); ++b)
          ++wins[decisions(i, pair++) > 0 ? svm.classes()[a] : svm.classes()[b]];
      const int found = predicted[static_cast<std::size_t>(i)];
      for (const auto& [c, count] : wins) EXPECT_TRUE(count < wins[found] || (count == wins[found] && c >= found));
    }
  }
}

TEST(PairwiseSvm, TiesGoToTheFirstClass) {
  const Sample data = sample({6, 5, 4}, 15);
  const PairwiseSvm svm(data.kernel, data.classes);
  EXPECT_EQ(svm.classes(), (std::vector<int>{4, 5, 6}));
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  const Matrix points = Matrix::NullaryExpr(100, data.kernel.cols(), [&] { return normal(random); });
  const Matrix decisions = svm.decisions(points);
  const std::vector<int> predicted = svm.predict(points);
  int cyclic = 0;
  for (Index i = 0; i < points.rows(); ++i) {
    const bool four_beats_five = decisions(i, 0) > 0, four_beats_six = decisions(i, 1) > 0;
    if (four_beats_five == four_beats_six || four_beats_five != (decisions(i, 2) > 0)) continue;
    ++cyclic;
    EXPECT_EQ(predicted[static_cast<std::size_t>(i)], 4);
  }
  EXPECT_GT(cyclic, 0);
}

TEST(PairwiseSvm, SameBitsForAnyNumberOfThreads) {
  const Sample data = sample({1, 2, 3, 4, 5}, 40);
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared}) {
    const PairwiseSvm one(data.kernel, data.classes, {.c = 3, .margin = margin, .threads = 1});
    for (const int threads : {0, 2, 3}) {
      const PairwiseSvm several(data.kernel, data.classes, {.c = 3, .margin = margin, .threads = threads});
      EXPECT_EQ(one.decisions(data.to_training), several.decisions(data.to_training)) << threads;
      EXPECT_EQ(one.predict(data.to_training, 1), several.predict(data.to_training, threads)) << threads;
    }
  }
}

TEST(PairwiseSvm, TinyCReachesTheLimit) {
  Sample data = sample({1, 2}, 10);
  data.classes[0] = 2;  // with classes of equal size the limit would be 0
  const auto decisions = [&](double c) {
    return PairwiseSvm(data.kernel, data.classes, {.c = c, .margin = SoftMargin::squared}).decisions(data.to_training);
  };
  const Matrix limit = Matrix::Constant(data.to_training.rows(), 1, -0.1);
  for (const double c : {1e-14, 1e-100, 1e-308, std::numeric_limits<double>::denorm_min()})
    EXPECT_LT((decisions(c) - limit).cwiseAbs().maxCoeff(), 1e-12) << c << '\n' << decisions(c);
}

TEST(PairwiseSvm, SeparatesClassesOfOnePoint) {
  const Sample data = sample({1, 2, 3}, 1);
  for (const SoftMargin margin : {SoftMargin::linear, SoftMargin::squared})
    EXPECT_EQ(PairwiseSvm(data.kernel, data.classes, {.c = 1e3, .margin = margin}).predict(data.kernel), data.classes);
}

TEST(PairwiseSvm, SinglePointsAgreeWithLibsvm) {
  const Sample data = sample({1, 2, 3, 4}, 1, 0.5);
  for (const double c : {0.2, 1.0, 100.0})
    for (const std::vector<double>& weights : {std::vector<double>{1, 1, 1, 1}, std::vector<double>{1, 0.3, 5, 2}}) {
      LibsvmOptions options{.c = c};
      for (std::size_t k = 0; k < weights.size(); ++k) options.weights.emplace_back(k + 1, weights[k]);
      const LibsvmAnswer oracle = Libsvm(data.kernel, data.classes, options).answer(data.to_training);
      const PairwiseSvm svm(data.kernel, data.classes, {.c = c, .class_weights = weights});
      EXPECT_LT((svm.decisions(data.to_training) - oracle.decisions).cwiseAbs().maxCoeff(), 1e-6) << c;
    }
}

TEST(PairwiseSvm, SinglePointsWithSquaredMarginsSatisfyTheirEquations) {
  const Sample data = sample({1, 2}, 1, 0.5);
  for (const double c : {1e-3, 1.0, 1e3}) {
    const PairwiseSvm svm(data.kernel, data.classes, {.c = c, .margin = SoftMargin::squared});
    const Matrix decisions = svm.decisions(data.kernel);
    const Matrix coefficients(svm.coefficients());
    // With K + I/C both points lie on the margin.
    EXPECT_NEAR(decisions(0, 0) + coefficients(0, 0) / c, 1, 1e-12) << c;
    EXPECT_NEAR(decisions(1, 0) + coefficients(1, 0) / c, -1, 1e-12) << c;
  }
}

/// Points in a circle, so many classes of `per_class`.
Sample circle(int class_count, int per_class) {
  Sample data;
  const Index size = class_count * per_class;
  Matrix points(size, 2);
  for (Index i = 0; i < size; ++i) {
    const double angle = 6.28 * static_cast<double>(i) / static_cast<double>(size);
    points.row(i) << std::cos(angle), std::sin(angle);
    data.classes.push_back(static_cast<int>(i) / per_class);
  }
  data.kernel.resize(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) data.kernel(i, j) = std::exp(-1e3 * (points.row(i) - points.row(j)).squaredNorm());
  return data;
}

TEST(PairwiseSvm, StoresTheSupportVectorsOfEachPairOnly) {
  const Sample data = circle(300, 2);
  const PairwiseSvm svm(data.kernel, data.classes, {.c = 10});
  EXPECT_EQ(svm.offsets().size(), 300 * 299 / 2);
  EXPECT_LE(svm.coefficients().nonZeros(), 4 * svm.offsets().size());
  EXPECT_EQ(svm.predict(data.kernel), data.classes);
  EXPECT_EQ(svm.on_support().predict(data.kernel), data.classes) << "all points support some pair";
}

TEST(PairwiseSvm, VotesAsDecisionValuesSay) {
  for (const auto& [classes, per_class] : {std::pair(2, 30), {5, 10}, {40, 1}, {40, 3}}) {
    const Sample data = circle(classes, per_class);
    const PairwiseSvm svm(data.kernel, data.classes, {.c = 10});
    const Matrix expected = svm.wins(svm.decisions(data.kernel), 1);
    for (const int threads : {1, 3}) EXPECT_EQ(svm.vote(data.kernel, threads), expected) << classes;
  }
}

TEST(PairwiseSvm, RefusesBadInput) {
  const std::vector<int> classes{1, 2, 2};
  const Matrix kernel = Matrix::Identity(3, 3);
  for (const double c : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(message_of([&] { PairwiseSvm(kernel, classes, {.c = c}); }).find("must be finite and above 0"),
              std::string::npos)
        << c;
  EXPECT_EQ(message_of([&] { PairwiseSvm(kernel, {1, 2}); }), "3 x 3 kernel values do not match 2 classes");
  EXPECT_EQ(message_of([&] { PairwiseSvm(Matrix::Zero(3, 2), classes); }),
            "3 x 2 kernel values do not match 3 classes");
  EXPECT_EQ(message_of([&] { PairwiseSvm(Matrix(), {}); }),
            "training needs matrices of at least two classes; all 0 are of class ''");
  EXPECT_EQ(message_of([&] {
              PairwiseSvm(kernel, {4, 4, 4});
            }),
            "training needs matrices of at least two classes; all 3 are of class '4'");
  EXPECT_NE(message_of([&] { PairwiseSvm(kernel, classes, {.threads = -1}); }), "");
  Matrix invalid = kernel;
  invalid(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { PairwiseSvm(invalid, classes); }), "kernel value (1, 2) is nan, not a finite number");
  const PairwiseSvm svm(kernel, classes);
  EXPECT_EQ(message_of([&] { svm.predict(Matrix::Zero(2, 4)); }),
            "rows of 4 kernel values do not match a training set of 3");
  EXPECT_EQ(message_of([&] { svm.predict(invalid); }), "kernel value (1, 2) is nan, not a finite number");
  EXPECT_TRUE(svm.predict(Matrix(0, 3)).empty());
}

}  // namespace
}  // namespace dsk::test

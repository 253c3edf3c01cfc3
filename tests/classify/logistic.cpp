#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "classify/classify.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

struct Points {
  Matrix features;
  std::vector<int> codes;
};

/// Overlapping clusters; class c is shifted along feature c.
Points made_points(Index count, Index features, int classes, std::uint64_t seed = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Points result{Matrix(count, features), {}};
  for (Index i = 0; i < count; ++i) {
    const auto code = static_cast<int>(random() % static_cast<unsigned>(classes));
    result.codes.push_back(code);
    for (Index k = 0; k < features; ++k)
      result.features(i, k) = normal(random) / std::sqrt(1.0 + static_cast<double>(k)) + 3;
    result.features(i, code % features) += 1;
  }
  return result;
}

/// c times the losses plus half the squared norm of the weights, for scaled features, as plainly as can be.
long double plain_objective(const Points& points, const LinearModel& model, double c, int classes) {
  const Index n = points.features.rows(), p = points.features.cols();
  std::vector<long double> centre(static_cast<std::size_t>(p), 0);
  for (Index k = 0; k < p; ++k)
    for (Index i = 0; i < n; ++i)
      centre[static_cast<std::size_t>(k)] += points.features(i, k) / static_cast<long double>(n);
  long double squares = 0;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < p; ++k) {
      const long double moved = points.features(i, k) - centre[static_cast<std::size_t>(k)];
      squares += moved * moved / static_cast<long double>(n);
    }
  long double loss = 0, norm = 0;
  for (Index i = 0; i < n; ++i) {
    long double sum = 0, own = 0;
    for (int a = 0; a < classes; ++a) {
      long double output = model.offsets[a];
      for (Index k = 0; k < p; ++k) output += static_cast<long double>(points.features(i, k)) * model.weights(k, a);
      sum += std::exp(output);
      if (a == points.codes[static_cast<std::size_t>(i)]) own = output;
    }
    loss += std::log(sum) - own;
  }
  for (const double weight : model.weights.reshaped()) norm += static_cast<long double>(weight) * weight * squares;
  // Two functions w/2 and -w/2 stand for the one of two classes.
  return c * loss + (classes == 2 ? norm : norm / 2);
}

TEST(Logistic, GradientIsZeroAtTheOptimum) {
  struct Case {
    Index count, features;
    int classes;
    double c;
  };
  for (const auto& [count, features, classes, c] :
       {Case{40, 5, 3, 1}, Case{40, 5, 2, 10}, Case{12, 30, 3, 1}, Case{20, 1, 2, 0.01}, Case{30, 4, 4, 1000}}) {
    const Points points = made_points(count, features, classes);
    LinearModel model = detail::fit_logistic(points.features, points.codes, classes,
                                             {.c = c, .max_iterations = 5000, .tolerance = 1e-9});
    const long double scale = c * static_cast<long double>(count);
    for (double* number : {&model.weights(0, 0), &model.weights(features - 1, 1), &model.offsets[0]}) {
      const double at = *number, step = 1e-5;
      *number = at + step;
      const long double above = plain_objective(points, model, c, classes);
      *number = at - step;
      const long double below = plain_objective(points, model, c, classes);
      *number = at;
      EXPECT_NEAR(static_cast<double>((above - below) / (2 * step) / scale), 0, 3e-7)
          << count << " x " << features << ", " << classes << " classes, C " << c;
    }
  }
}

TEST(Logistic, FewSamplesAndManyGiveTheSameModel) {
  const Points points = made_points(30, 20, 3);
  Matrix wide = Matrix::Zero(30, 50);
  wide.leftCols(20) = points.features;
  for (const double c : {0.1, 1.0, 100.0}) {
    const detail::LogisticOptions options{.c = c, .max_iterations = 5000, .tolerance = 1e-10};
    const LinearModel narrow = detail::fit_logistic(points.features, points.codes, 3, options);
    const LinearModel padded = detail::fit_logistic(wide, points.codes, 3, options);
    EXPECT_LT((padded.weights.topRows(20) - narrow.weights).cwiseAbs().maxCoeff(), 1e-6 * narrow.weights.norm());
    EXPECT_LT(padded.weights.bottomRows(30).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((padded.offsets - narrow.offsets).cwiseAbs().maxCoeff(), 1e-5 * (1 + narrow.offsets.norm()));
  }
}

TEST(Logistic, ManyFeaturesThatAreNotDecomposedGiveTheSameModel) {
  const Points points = made_points(1100, 3, 2);
  Matrix wide = Matrix::Zero(1100, 1050);
  wide.leftCols(3) = points.features;
  const detail::LogisticOptions options{.max_iterations = 5000, .tolerance = 1e-10};
  const LinearModel narrow = detail::fit_logistic(points.features, points.codes, 2, options);
  const LinearModel padded = detail::fit_logistic(wide, points.codes, 2, options);
  EXPECT_LT((padded.weights.topRows(3) - narrow.weights).cwiseAbs().maxCoeff(), 1e-7 * narrow.weights.norm());
}

TEST(Logistic, UnitsAndOriginDoNotMatter) {
  const Points points = made_points(40, 6, 3);
  const Matrix expected = detail::fit_logistic(points.features, points.codes, 3).scores(points.features);
  for (const double factor : {1e-12, 1e9}) {
    const Matrix moved = points.features.array() * factor + 7 * factor;
    const Matrix found = detail::fit_logistic(moved, points.codes, 3).scores(moved);
    EXPECT_LT((detail::centred_scores(found) - detail::centred_scores(expected)).cwiseAbs().maxCoeff(), 1e-5);
  }
}

TEST(Logistic, ThePathGivesTheModelsOfEachC) {
  const Points points = made_points(50, 8, 4);
  const std::vector<double> cs{100, 0.01, 1, 10};
  const detail::LogisticOptions options{.max_iterations = 5000, .tolerance = 1e-10};
  const std::vector<LinearModel> path = detail::fit_logistic_path(points.features, points.codes, 4, cs, options);
  for (std::size_t k = 0; k < cs.size(); ++k) {
    const LinearModel alone = detail::fit_logistic(points.features, points.codes, 4,
                                                   {.c = cs[k], .max_iterations = 5000, .tolerance = 1e-10});
    EXPECT_LT((path[k].weights - alone.weights).cwiseAbs().maxCoeff(), 1e-6 * (1 + alone.weights.norm())) << cs[k];
  }
}

TEST(Logistic, ClassesWithoutMembersAreNeverPredicted) {
  const Points points = made_points(30, 4, 2);
  std::vector<int> spread;
  for (const int code : points.codes) spread.push_back(2 * code + 1);
  const LinearModel model = detail::fit_logistic(points.features, spread, 5);
  const LinearModel expected = detail::fit_logistic(points.features, points.codes, 2);
  EXPECT_EQ(model.weights.col(1), expected.weights.col(0));
  EXPECT_EQ(model.weights.col(3), expected.weights.col(1));
  for (const Index missing : {0, 2, 4}) EXPECT_EQ(model.offsets[missing], -std::numeric_limits<double>::infinity());
}

TEST(Logistic, EqualRowsGiveThePriors) {
  const LinearModel model = detail::fit_logistic(Matrix::Constant(4, 3, 2), std::vector<int>{0, 1, 1, 1}, 2);
  EXPECT_LT(model.weights.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(model.offsets[1] - model.offsets[0], std::log(3.0), 1e-9);
}

TEST(Logistic, OneClassHasProbabilityOne) {
  const LinearModel model = detail::fit_logistic(made_points(5, 3, 2).features, std::vector<int>(5, 0), 1);
  EXPECT_TRUE(model.weights.allFinite());
  EXPECT_TRUE(model.offsets.allFinite());
}

TEST(Logistic, RejectsInvalidInput) {
  const Points points = made_points(6, 2, 2);
  const auto says = [&](const detail::LogisticOptions& options) {
    return message_of([&] { detail::fit_logistic(points.features, points.codes, 2, options); });
  };
  EXPECT_EQ(says({.c = 0}), "C 0 must be finite and above 0");
  EXPECT_EQ(says({.max_iterations = 0}), "max_iterations 0 must be 1 or more");
  EXPECT_EQ(says({.tolerance = 0}), "tolerance 0 must be above 0 and below 1");
  EXPECT_EQ(message_of([&] { detail::fit_logistic(points.features, points.codes, 1); }),
            "class code 1 is outside the 1 classes");
  Matrix broken = points.features;
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of([&] { detail::fit_logistic(broken, points.codes, 2); }), "a feature is not a finite number");
}

TEST(LinearSvm, DecisionsAreThoseOfTheLinearKernel) {
  for (const Index features : {3, 60}) {
    const Points points = made_points(40, features, 3);
    const detail::ScaledFeatures scaled(points.features);
    const SvmOptions options{.c = 5};
    const PairwiseSvm linear = detail::fit_linear_svm(points.features, points.codes, options);
    const Matrix kernel = scaled.rows * scaled.rows.transpose();
    const PairwiseSvm expected((kernel + kernel.transpose()) / 2, points.codes, options);
    const Matrix difference = linear.decisions(points.features) - expected.decisions(kernel);
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_EQ(linear.coefficients().rows(), features);
  }
}

}  // namespace
}  // namespace dsk::test

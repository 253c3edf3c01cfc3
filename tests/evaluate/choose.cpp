#include <dsk/evaluate.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsk::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Dataset overlapping_classes(std::uint64_t seed = 0, Index dim = 4) {
  return wishart_classes({.per_class = 12, .dim = dim, .degrees = 12, .tau = 0.5, .seed = seed});
}

SelectionOptions some_options() {
  SelectionOptions options;
  options.folds = 3;
  options.relative_penalties = {1e-2, infinity};
  return options;
}

TEST(ChooseSettings, GivenValuesAreKept) {
  const Dataset train = overlapping_classes();
  SelectionOptions options = some_options();
  options.neighbours = {4};
  options.svm_cs = {7};
  options.theta = 2.5;
  options.penalty = 0.3;
  options.zetas = {0.8};
  for (const std::string name : {"SK", "LEK", "PEK", "DSK-KA-p", "DSK-CS-a", "DSK-auto"}) {
    SCOPED_TRACE(name);
    const ChosenMethod knn = choose_settings(train, Method::parse(name), options);
    EXPECT_EQ(knn.setting, 4);
    const ChosenMethod svm = choose_settings(train, Method::parse(name + ":svm"), options);
    EXPECT_EQ(svm.setting, 7);
    EXPECT_EQ(svm.theta, 2.5);
    EXPECT_EQ(svm.method.classifier, Classifier::svm);
    for (const ChosenMethod& chosen : {knn, svm}) {
      EXPECT_EQ(chosen.comparison.learned.has_value(), chosen.method.learning.has_value());
      EXPECT_EQ(chosen.comparison.zeta, name == "PEK" ? 0.8 : Comparison().zeta);
      EXPECT_TRUE(name == "DSK-auto" || chosen.method.name() == name);
      if (!chosen.comparison.learned) continue;
      EXPECT_EQ(chosen.penalty, 0.3);
      EXPECT_EQ(chosen.comparison.learned->theta(), 2.5);
      EXPECT_TRUE(chosen.fit);
    }
  }
  options.penalty = infinity;
  EXPECT_TRUE(choose_settings(train, Method::parse("DSK-KA-p"), options).comparison.learned->adjustment().is_none());
}

TEST(ChooseSettings, ScaleIsUsed) {
  SelectionOptions options = some_options();
  options.penalty = 0.01;
  options.scale = Scale::parse("0.125");
  const ChosenMethod chosen = choose_settings(overlapping_classes(), Method::parse("DSK-KA-c"), options);
  EXPECT_EQ(chosen.comparison.learned->adjustment().scale, 0.125);
}

TEST(ChooseSettings, AutomaticIsNeverWorseInValidationThanPlain) {
  bool adjusted = false;
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u})
    for (const std::string classifier : {":knn", ":svm"}) {
      const Dataset train = overlapping_classes(seed);
      SelectionOptions options = some_options();
      const ChosenMethod best = choose_settings(train, Method::parse("DSK-auto" + classifier), options);
      options.theta_range = ThetaRange::any;
      const ChosenMethod plain = choose_settings(train, Method::parse("SK" + classifier), options);
      EXPECT_GE(best.validation_accuracy, plain.validation_accuracy);
      EXPECT_EQ(best.method.name() == "SK", best.validation_accuracy == plain.validation_accuracy);
      EXPECT_FALSE(best.method.automatic);
      adjusted = adjusted || best.method.learning;
    }
  EXPECT_TRUE(adjusted) << "no seed for which an adjustment helps";
}

TEST(ChooseSettings, AutomaticLeavesWhatIsRightAlone) {
  const Dataset train = wishart_classes({.per_class = 10, .dim = 3, .degrees = 100, .tau = 4});
  for (const std::string classifier : {":knn", ":svm"}) {
    const ChosenMethod best = choose_settings(train, Method::parse("DSK-auto" + classifier), some_options());
    EXPECT_EQ(best.validation_accuracy, 1);
    EXPECT_EQ(best.method.full_name(), "SK" + classifier);
    EXPECT_FALSE(best.comparison.learned);
  }
}

TEST(ChooseSettings, ThetaIsMovedToTheNearestThatIsValid) {
  const Dataset train = overlapping_classes(0, 8);
  const Matrix distances = squared_distances(Comparison{}, train.matrices());
  std::vector<double> above;
  for (Index i = 0; i < train.size(); ++i)
    for (Index j = i + 1; j < train.size(); ++j) above.push_back(distances(i, j));
  std::sort(above.begin(), above.end());
  const double median = above[above.size() / 2];
  SelectionOptions options = some_options();
  for (const double wanted : {0.01, 0.2, 0.7, 0.8, 1.3, 2.9, 3.4, 3.6, 20.0}) {
    options.relative_thetas = {wanted * median};
    options.theta_range = ThetaRange::any;
    EXPECT_NEAR(choose_settings(train, Method::parse("SK:svm"), options).theta, wanted, 1e-14 * wanted);
    options.theta_range = ThetaRange::valid;
    const double theta = choose_settings(train, Method::parse("SK:svm"), options).theta;
    EXPECT_TRUE(is_valid_theta(Metric::stein, theta, 8)) << theta;
    EXPECT_LE(std::abs(theta - wanted), wanted < 0.5 ? 0.5 : 0.25) << theta;
    EXPECT_NEAR(choose_settings(train, Method::parse("LEK:knn"), options).theta, 0, 0);
  }
}

TEST(ChooseSettings, AnyThetaCanBeLearnedAndPredictedWith) {
  const Dataset train = overlapping_classes(0, 8), test = overlapping_classes(1, 8);
  SelectionOptions options = some_options();
  options.theta_range = ThetaRange::any;
  options.theta = 0.3;
  for (const std::string name : {"SK:svm", "DSK-CA-p:svm", "DSK-KA-p:knn"}) {
    const ChosenMethod chosen = choose_settings(train, Method::parse(name), options);
    EXPECT_EQ(predict_classes(chosen, train, test.matrices()).size(), 24u) << name;
    EXPECT_EQ(chosen.comparison.learned ? chosen.comparison.learned->theta() : chosen.theta, 0.3);
  }
}

TEST(ChooseSettings, EqualMatrices) {
  const std::vector<double> ones(8, 1.0);
  const Dataset train(SpdBatch(ones, 8, 1), Labels(std::vector<long long>{1, 1, 1, 1, 2, 2, 2, 2}));
  for (const std::string name : {"SK:knn", "SK:svm", "EUK:svm"}) {
    const ChosenMethod chosen = choose_settings(train, Method::parse(name), some_options());
    EXPECT_TRUE(std::isfinite(chosen.theta)) << name;
    EXPECT_EQ(predict_classes(chosen, train, train.matrices()).size(), 8u) << name;
  }
}

TEST(KernelsToLearn, CountsThem) {
  SelectionOptions options = some_options();
  EXPECT_EQ(kernels_to_learn(Method::parse("SK:svm"), options), 0);
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-KA-p"), options), 3 * 2 + 1);
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-auto"), options), 4 * 7);
  options.penalty = 0.1;
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-KA-p"), options), 1);
}

}  // namespace
}  // namespace dsk::test

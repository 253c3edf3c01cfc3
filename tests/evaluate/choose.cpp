#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "evaluate/choose.hpp"

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
    EXPECT_EQ(knn.neighbours_or_c, 4);
    const ChosenMethod svm = choose_settings(train, Method::parse(name + ":svm"), options);
    EXPECT_EQ(svm.neighbours_or_c, 7);
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

/// Cross-validated accuracy of k-NN, computed without the library's cross-validation: `kernel_for` gives the kernel for
/// each training part.
template <class KernelFor>
double validated_by_hand(const Dataset& train, const SelectionOptions& options, Index neighbours,
                         const KernelFor& kernel_for) {
  double right = 0, all = 0;
  for (const Split& split : stratified_folds(train.labels(), options.folds, options.seed)) {
    const Dataset part = train.select(split.train), held_out = train.select(split.test);
    right += accuracy(train_knn(kernel_for(part), part, {.neighbours = neighbours}), held_out) *
             static_cast<double>(held_out.size());
    all += static_cast<double>(held_out.size());
  }
  return right / all;
}

double plain_by_hand(const Dataset& train, const SelectionOptions& options) {
  double best = 0;
  for (const Index k : options.neighbours)
    best = std::max(best, validated_by_hand(train, options, k,
                                            [](const Dataset& part) { return LearnedKernel::plain(part.dim(), 1); }));
  return best;
}

double learned_by_hand(const Dataset& train, const SelectionOptions& options, const ChosenMethod& chosen,
                       bool search_all_thetas = false) {
  const FitOptions learning{.criterion = chosen.method.learning->criterion,
                            .adjustment = chosen.method.learning->adjustment,
                            .allow_indefinite = options.theta_range != ThetaRange::valid,
                            .search_all_thetas = search_all_thetas,
                            .penalty = chosen.penalty,
                            .scale = options.scale,
                            .tolerance = PenaltySearch().tolerance};
  return validated_by_hand(train, options, static_cast<Index>(chosen.neighbours_or_c),
                           [&](const Dataset& part) { return fit_kernel(part, learning).kernel; });
}

TEST(ChooseSettings, AutomaticIsNeverWorseInValidationThanPlain) {
  int adjusted = 0;
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u})
    for (const std::optional<double> penalty : {std::optional<double>(), std::optional(1e-4)}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", penalty " << penalty.value_or(-1));
      const Dataset train = overlapping_classes(seed);
      SelectionOptions options = some_options();
      options.penalty = penalty;
      const ChosenMethod best = choose_settings(train, Method::parse("DSK-auto"), options);
      const double plain = plain_by_hand(train, options);
      EXPECT_GE(best.validation_accuracy, plain - 1e-12);
      EXPECT_FALSE(best.method.automatic);
      if (!best.method.learning) {
        EXPECT_NEAR(best.validation_accuracy, plain, 1e-12);
        continue;
      }
      ++adjusted;
      options.theta_range = ThetaRange::any;
      options.scale = {Scale::Kind::unit, 1};
      EXPECT_NEAR(best.validation_accuracy, learned_by_hand(train, options, best), 1e-12);
    }
  EXPECT_GT(adjusted, 1) << "no seeds for which an adjustment helps";
}

TEST(ChooseSettings, AutomaticSvmIsNeverWorseInValidationThanPlain) {
  for (const std::uint64_t seed : {0u, 1u}) {
    const Dataset train = overlapping_classes(seed);
    SelectionOptions options = some_options();
    const ChosenMethod best = choose_settings(train, Method::parse("DSK-auto:svm"), options);
    options.theta_range = ThetaRange::any;
    const ChosenMethod plain = choose_settings(train, Method::parse("SK:svm"), options);
    EXPECT_GE(best.validation_accuracy, plain.validation_accuracy);
    EXPECT_EQ(best.method.name() == "SK", best.validation_accuracy == plain.validation_accuracy);
  }
}

TEST(ChooseSettings, GivenPenaltyIsValidatedWithoutTheHeldOutFold) {
  double inflated = 0, honest = 0;
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 4u, 5u}) {
    const Dataset train = overlapping_classes(seed, 6);
    SelectionOptions options = some_options();
    options.neighbours = {3};
    options.penalty = 1e-6;
    const ChosenMethod chosen = choose_settings(train, Method::parse("DSK-CA-a"), options);
    EXPECT_NEAR(chosen.validation_accuracy, learned_by_hand(train, options, chosen, true), 1e-12) << seed;
    honest += chosen.validation_accuracy;
    inflated += validated_by_hand(train, options, 3, [&](const Dataset&) { return *chosen.comparison.learned; });
  }
  EXPECT_LT(honest, inflated) << "no data for this test";
}

/// Unequal numbers of two classes.
Dataset unequal_classes() {
  const Dataset all = wishart_classes({.per_class = 24, .dim = 4, .degrees = 12, .tau = 0.6, .seed = 3});
  std::vector<Index> kept;
  for (Index i = 0; i < all.size(); ++i)
    if (all.labels()[i] == 0 || i % 3 == 0) kept.push_back(i);
  return all.select(kept);
}

TEST(ChooseSettings, ValidatesTheSvmThatIsTrained) {
  const Dataset train = unequal_classes();
  const std::vector<SvmVariant> variants{{},
                                         {.margin = SoftMargin::squared},
                                         {.balanced = true},
                                         {.class_weights = {1, 20}},
                                         {.margin = SoftMargin::squared, .class_weights = {5, 1}}};
  std::set<double> different;
  for (const SvmVariant& variant : variants)
    for (const double c : {0.01, 0.3}) {
      SelectionOptions options = some_options();
      options.svm = variant;
      options.svm_cs = {c};
      options.theta = 2;
      double right = 0;
      for (const Split& split : stratified_folds(train.labels(), options.folds, options.seed)) {
        const Dataset part = train.select(split.train), held_out = train.select(split.test);
        const SvmTraining training{.theta = 2,
                                   .c = c,
                                   .margin = variant.margin,
                                   .balanced = variant.balanced,
                                   .class_weights = variant.class_weights};
        right += accuracy(train_svm(Comparison{}, part, training), held_out) * static_cast<double>(held_out.size());
      }
      const double expected = right / static_cast<double>(train.size());
      EXPECT_NEAR(choose_settings(train, Method::parse("SK:svm"), options).validation_accuracy, expected, 1e-12);
      options.penalty = infinity;
      EXPECT_NEAR(choose_settings(train, Method::parse("DSK-KA-p:svm"), options).validation_accuracy, expected, 1e-12);
      different.insert(std::round(1e6 * expected));
    }
  EXPECT_GT(different.size(), 3u) << "the machines do not differ on these data";
}

TEST(ChooseSettings, PredictsWithTheSvmThatWasValidated) {
  const Dataset train = unequal_classes(), test = overlapping_classes(9);
  SelectionOptions options = some_options();
  options.svm.class_weights = {1, 50};
  options.svm_cs = {0.05};
  options.theta = 2;
  const ChosenMethod chosen = choose_settings(train, Method::parse("SK:svm"), options);
  const SvmTraining training{.theta = 2, .c = 0.05, .class_weights = {1, 50}};
  EXPECT_EQ(predict_classes(chosen, train, test.matrices()),
            predict(train_svm(Comparison{}, train, training), test.matrices()).labels.codes());
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
  const Matrix distances = pairwise_squared_distances(Comparison{}, train.matrices());
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
  EXPECT_EQ(kernels_to_learn(Method::parse("SK:svm"), 4, options), 0);
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-KA-p"), 4, options), 3 * 2 + 1);
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-auto"), 4, options), 4 * 7);
  options.penalty = 0.1;
  EXPECT_EQ(kernels_to_learn(Method::parse("DSK-KA-p"), 4, options), 3 + 1);
}

TEST(KernelsToLearn, CountsThoseOfEveryNumberOfComponents) {
  const Dataset train = overlapping_classes();
  for (const std::string project : {"none", "auto", "start", "2"}) {
    SelectionOptions options = some_options();
    options.project = Projecting::parse(project);
    // Sizes 4, 2 and 1; on subspaces "no adjustment" is tried beside the given penalties.
    const Index sizes = project == "auto" || project == "start" ? 3 : 1;
    for (const std::vector<double>& penalties : {std::vector<double>{1e-2}, {1e-2, infinity}, {1e-3, 1e-2}}) {
      options.relative_penalties = penalties;
      Index learned = 0;
      for (const std::string name : {"DSK-KA-p", "DSK-KA-c-printed"}) {
        SCOPED_TRACE(fmt::format("{}, project {}, {} penalties", name, project, penalties.size()));
        learned = 0;
        options.on_progress = [&](int, int) { return ++learned > 0; };
        choose_settings(train, Method::parse(name), options);
        EXPECT_EQ(kernels_to_learn(Method::parse(name), train.dim(), options), learned + sizes);
      }
    }
  }
}

}  // namespace
}  // namespace dsk::test

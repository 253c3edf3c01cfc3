#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluate/choose.hpp"

namespace dsk::test {
namespace {

TEST(Hits, GainCountsWhatDiffersInStandardErrors) {
  const detail::Hits ours = {true, true, true, true, true, false, true, false};
  const detail::Hits theirs = {true, false, false, false, false, true, true, false};
  EXPECT_DOUBLE_EQ(detail::gain(ours, theirs), 3 / std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(detail::gain(theirs, ours), -3 / std::sqrt(5.0));
  EXPECT_EQ(detail::gain(ours, ours), 0);
  EXPECT_EQ(detail::share(ours), 0.75);
}

SelectionOptions gain_options() {
  SelectionOptions options;
  options.folds = 3;
  options.theta_range = ThetaRange::valid;
  options.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
  return options;
}

Dataset gaining_classes() {
  return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
}

/// By how much the best penalty wins, from the parts that the choice is made of.
double gain_of(const Dataset& train, const Method& method, const SelectionOptions& options) {
  const PenaltyChoice choice =
      choose_penalty(train, {.criterion = method.learning->criterion, .adjustment = method.learning->adjustment},
                     {.relative_penalties = options.relative_penalties,
                      .classifier = method.classifier,
                      .relative_thetas = options.relative_thetas,
                      .learn_on = options.learn_on,
                      .folds = options.folds});
  const ChosenMethod plain = choose_settings(train, Method{.classifier = method.classifier}, options);
  return detail::gain(choice.best.hits, plain.hits);
}

TEST(RequiredGain, DecidesWhetherToAdjust) {
  const Dataset train = gaining_classes(),
                test = wishart_classes({.classes = 3, .per_class = 9, .dim = 6, .degrees = 14});
  for (const std::string name : {"DSK-CA-a:knn", "DSK-CA-a:svm"}) {
    SCOPED_TRACE(name);
    const Method method = Method::parse(name);
    SelectionOptions options = gain_options();
    const double gain = gain_of(train, method, options);
    ASSERT_GT(gain, 0) << "no data for this test";
    options.required_gain_knn = options.required_gain_svm = gain - 1e-9;
    const ChosenMethod adjusted = choose_settings(train, method, options);
    EXPECT_FALSE(adjusted.comparison.learned->adjustment().is_none());
    EXPECT_TRUE(std::isfinite(adjusted.penalty));

    options.required_gain_knn = options.required_gain_svm = gain;
    const ChosenMethod left_alone = choose_settings(train, method, options);
    const ChosenMethod plain = choose_settings(train, Method{.classifier = method.classifier}, options);
    EXPECT_TRUE(left_alone.comparison.learned->adjustment().is_none());
    EXPECT_TRUE(std::isinf(left_alone.penalty));
    EXPECT_EQ(left_alone.method.full_name(), name);
    EXPECT_EQ(left_alone.neighbours_or_c, plain.neighbours_or_c);
    EXPECT_EQ(left_alone.theta, plain.theta);
    EXPECT_EQ(predict_classes(left_alone, train, test.matrices()), predict_classes(plain, train, test.matrices()));
  }
}

TEST(RequiredGain, IsTheClassifiersOwn) {
  const Dataset train = gaining_classes();
  SelectionOptions options = gain_options();
  options.required_gain_knn = 1e9;
  options.required_gain_svm = -1e9;
  const auto is_plain = [&](const std::string& name) {
    return choose_settings(train, Method::parse(name), options).comparison.learned->adjustment().is_none();
  };
  EXPECT_TRUE(is_plain("DSK-CA-a:knn"));
  EXPECT_FALSE(is_plain("DSK-CA-a:svm"));
}

TEST(LearnOn, SampleServesTheSearchAndTheKernel) {
  const Dataset train = gaining_classes();
  const Method method = Method::parse("DSK-CA-a:knn");
  SelectionOptions options = gain_options();
  options.required_gain_knn = -1e9;
  options.learn_on = 15;
  const ChosenMethod chosen = choose_settings(train, method, options);
  const PenaltyChoice choice =
      choose_penalty(train, {.criterion = Criterion::centred, .adjustment = Adjustment::affine},
                     {.relative_penalties = options.relative_penalties, .learn_on = 15, .folds = options.folds});
  EXPECT_EQ(chosen.hits, choice.best.hits);
  EXPECT_EQ(chosen.penalty, choice.best.penalty);
  options.learn_on = 0;
  const ChosenMethod from_all = choose_settings(train, method, options);
  EXPECT_NE(chosen.penalty, from_all.penalty);
  options.learn_on = train.size();
  EXPECT_EQ(choose_settings(train, method, options).hits, from_all.hits);
}

}  // namespace
}  // namespace dsk::test

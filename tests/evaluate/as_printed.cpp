#include <dsk/evaluate.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluate/choose.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

Dataset some_classes() {
  return wishart_classes({.classes = 2, .per_class = 16, .dim = 4, .degrees = 12, .tau = 0.4, .seed = 3});
}

/// No gain would be enough for the methods that ask for one.
SelectionOptions demanding() {
  SelectionOptions options;
  options.folds = 3;
  options.relative_penalties = {1e-2, 1, std::numeric_limits<double>::infinity()};
  options.required_gain_knn = options.required_gain_svm = 1e9;
  return options;
}

TEST(AsPrinted, HasNamesOfItsOwn) {
  for (const std::string name : {"DSK-KA-p-printed:knn", "DSK-CS-c-printed:svm", "DSK-RM-p-printed:svm"})
    EXPECT_EQ(Method::parse(name).full_name(), name);
  EXPECT_EQ(Method::parse("DSK-TM-c-printed").full_name(), "DSK-TM-c-printed:svm");
  EXPECT_THAT(message_of([] { Method::parse("DSK-RM-p-printed:knn"); }), HasSubstr("use DSK-RM-p-printed:svm"));
  EXPECT_THAT(message_of([] { Method::parse("DSK-CA-p-printed"); }), HasSubstr("unknown method"));
  EXPECT_THAT(method_choices(), HasSubstr("DSK-{KA,CS,RM,TM}-{p,c}-printed"));
}

TEST(AsPrinted, MarginsHaveNoPenaltyAndTheirOwnC) {
  const Dataset train = some_classes();
  for (const Criterion criterion : {Criterion::radius_margin, Criterion::trace_margin}) {
    const LearnResult learned = fit_kernel(train, {.criterion = criterion, .penalty = 0});
    const std::string method = criterion == Criterion::radius_margin ? "DSK-RM-p-printed" : "DSK-TM-p-printed";
    const ChosenMethod chosen = choose_settings(train, Method::parse(method), demanding());
    EXPECT_EQ(chosen.penalty, 0);
    EXPECT_EQ(chosen.neighbours_or_c, learned.fit.c);
    EXPECT_EQ(chosen.theta, learned.kernel.theta());
    EXPECT_EQ(chosen.svm.margin, SoftMargin::squared);
    EXPECT_EQ(chosen.comparison.learned->adjustment().alpha, learned.kernel.adjustment().alpha);
    EXPECT_TRUE(std::isnan(chosen.validation_accuracy));
  }
}

TEST(AsPrinted, AdjustsWhetherOrNotItHelps) {
  const Dataset train = some_classes();
  for (const std::string name : {"DSK-KA-p", "DSK-CS-c"}) {
    EXPECT_TRUE(std::isinf(choose_settings(train, Method::parse(name), demanding()).penalty));
    const ChosenMethod chosen = choose_settings(train, Method::parse(name + "-printed"), demanding());
    EXPECT_TRUE(std::isfinite(chosen.penalty));
    EXPECT_FALSE(chosen.comparison.learned->adjustment().is_none());
  }
}

TEST(AsPrinted, IsEvaluatedAndSaved) {
  EvaluationOptions options;
  options.methods = Method::parse_list("SK:svm,DSK-RM-p-printed:svm");
  options.protocol = Protocol::parse("halves:2");
  options.selection = demanding();
  const Evaluation evaluation = evaluate(some_classes(), options);
  ASSERT_GE(evaluation.results.size(), 4U);
  for (const SplitResult& result : evaluation.results) {
    EXPECT_EQ(std::isnan(result.validation_accuracy), result.method == "DSK-RM-p-printed:svm");
    EXPECT_GT(result.accuracy, 0);
  }
}

}  // namespace
}  // namespace dsk::test

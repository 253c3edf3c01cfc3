#include <dsk/evaluate.hpp>
#include <dsk/report.hpp>

#include <gtest/gtest.h>

#include "evaluate/choose.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

Evaluation evaluated(const Dataset& data) {
  EvaluationOptions options;
  options.methods = {"SK:knn", "MDM"};
  options.protocol = random_halves(4);
  options.keep_kernel = false;
  return evaluate(data, options);
}

/// What MDM predicted, under another name.
OutsidePredictions like_mdm(const Evaluation& evaluation) {
  OutsidePredictions one{.name = "Their <MDM>", .predicted = {}, .seconds = {}};
  for (const SplitResult& result : evaluation.results)
    if (result.method == "MDM") {
      one.predicted.push_back(result.predicted);
      one.seconds.push_back(0.5);
    }
  return one;
}

TEST(OutsideMethods, AreComparedAsTheLibrarysOwn) {
  const Dataset data = wishart_classes({.per_class = 15, .dim = 3, .degrees = 10, .tau = 0.6, .seed = 1});
  const Evaluation before = evaluated(data);
  const Evaluation both = with_predictions(before, data, {"SK:knn", "Their <MDM>", "MDM"}, {like_mdm(before)});
  ASSERT_EQ(both.methods.size(), 4U);
  const MethodResult &theirs = both.methods[1], &ours = both.methods[2];
  EXPECT_EQ(theirs.method.full_name(), "Their <MDM>");
  EXPECT_EQ(theirs.accuracies, ours.accuracies);
  EXPECT_EQ(theirs.balanced_accuracies, ours.balanced_accuracies);
  EXPECT_EQ(theirs.confusion, ours.confusion);
  EXPECT_EQ(theirs.against->p, before.methods[1].against->p);
  EXPECT_GE(theirs.against->holm_p, before.methods[1].against->holm_p);
  EXPECT_EQ(theirs.seconds, 2);
  EXPECT_TRUE(both.methods[3].method.majority);
  EXPECT_EQ(both.results.size(), 12U);
  EXPECT_SAYS(evaluation_page(both), "Their &lt;MDM&gt;");
}

TEST(OutsideMethods, ThatDoNotFitAreRefused) {
  const Dataset data = wishart_classes({.per_class = 10, .dim = 3, .degrees = 10, .tau = 0.6, .seed = 1});
  const Evaluation before = evaluated(data);
  const auto says = [&](const std::vector<std::string>& order, const OutsidePredictions& one) {
    return message_of([&] { with_predictions(before, data, order, {one}); });
  };
  const OutsidePredictions good = like_mdm(before);
  OutsidePredictions few = good, wrong = good, named = good;
  few.predicted[2].pop_back();
  wrong.predicted[1][0] = 2;
  named.name = "MDM";
  EXPECT_SAYS(says({good.name}, few), "9 predictions of Their <MDM> do not match the 10 test matrices of split 3");
  EXPECT_SAYS(says({good.name}, wrong), "a prediction of Their <MDM> on split 2 is not a class of the data");
  EXPECT_SAYS(says({"MDM"}, named), "method MDM is named twice");
  EXPECT_SAYS(says({good.name, good.name}, good), "is named twice");
  EXPECT_SAYS(says({"LEK:knn", good.name}, good), "method LEK:knn is unknown");
  few.predicted.pop_back();
  EXPECT_SAYS(says({good.name}, few), "for 3 splits do not match 4 splits");
  EXPECT_SAYS(message_of([&] { choose_settings(data, Method{.outside = "forest"}); }),
              "method forest was evaluated outside the library");
}

}  // namespace
}  // namespace dsk::test

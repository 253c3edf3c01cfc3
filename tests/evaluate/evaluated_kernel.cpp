#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include "evaluate/choose.hpp"
#include "files/scratch.hpp"

namespace dsk::test {
namespace {

class KeptKernel : public Scratch {
 protected:
  static Dataset data() {
    return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
  }

  static EvaluationOptions options(const std::string& method, Index learn_on) {
    EvaluationOptions options;
    options.methods = Method::parse_list("SK:knn," + method);
    options.protocol = Protocol::parse("halves:2");
    options.selection.folds = 3;
    options.selection.relative_penalties = {1e-3, 1e-2};
    options.selection.required_gain_knn = options.selection.required_gain_svm = -1e9;
    options.selection.learn_on = learn_on;
    return options;
  }
};

TEST_F(KeptKernel, IsTheOneThatWasEvaluated) {
  for (const std::string method : {"DSK-CA-a:knn", "DSK-CA-p:svm", "DSK-auto:svm"})
    for (const Index learn_on : {0, 18}) {
      SCOPED_TRACE(testing::Message() << method << ", learning from " << learn_on);
      EvaluationOptions with = options(method, learn_on);
      const Evaluation evaluation = evaluate(data(), with);
      ASSERT_TRUE(evaluation.kernel);
      const Evaluation::Kernel& kept = *evaluation.kernel;
      const Split& split = evaluation.splits[static_cast<std::size_t>(kept.split)];
      const Dataset train = data().select(split.train), test = data().select(split.test);
      const ChosenMethod chosen = choose_settings(train, with.methods[1], with.selection);
      EXPECT_EQ(kept.method, chosen.method.full_name());
      EXPECT_EQ(kept.kernel.adjustment().alpha, chosen.comparison.learned->adjustment().alpha);
      EXPECT_EQ(kept.fit.history, chosen.fit->history);
      EXPECT_EQ(kept.penalty, chosen.penalty);
      EXPECT_EQ(kept.kernel.theta(),
                with.methods[1].classifier == Classifier::svm ? chosen.theta : chosen.comparison.learned->theta());
      EXPECT_EQ(kept.shown.size(), static_cast<std::size_t>(test.size()));
      EXPECT_TRUE(std::is_sorted(kept.shown.begin(), kept.shown.end()));
      EXPECT_EQ(kept.learned_values.rows(), test.size());
      EXPECT_EQ(kept.learned_components.cols(), 2);

      // The same where all results come from a file.
      with.results_file = *this / "r.json";
      std::filesystem::remove(with.results_file);
      evaluate(data(), with);
      const Evaluation resumed = evaluate(data(), with);
      ASSERT_TRUE(resumed.kernel);
      EXPECT_EQ(resumed.kernel->kernel.adjustment().alpha, kept.kernel.adjustment().alpha);
      EXPECT_EQ(resumed.kernel->kernel.theta(), kept.kernel.theta());
      EXPECT_EQ(resumed.kernel->fit.history, kept.fit.history);
      EXPECT_EQ(resumed.kernel->learned_values, kept.learned_values);
    }
}

TEST_F(KeptKernel, IsNotKeptUnlessWantedAndLearned) {
  EvaluationOptions with = options("DSK-CA-a:knn", 0);
  with.keep_kernel = false;
  EXPECT_FALSE(evaluate(data(), with).kernel);
  EXPECT_FALSE(evaluate(data(), options("LEK:knn", 0)).kernel);
}

}  // namespace
}  // namespace dsk::test

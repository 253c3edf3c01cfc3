#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/choose.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

Dataset learnable_classes() {
  return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
}

LearnOptions learn_options(Classifier classifier) {
  return {
      .fit = {.criterion = Criterion::centred, .adjustment = Adjustment::affine}, .classifier = classifier, .folds = 3};
}

TEST(Learn, GivenPenaltyIsJustFitted) {
  const Dataset train = learnable_classes();
  const Learned learned = learn(train, {.penalty = 0.01});
  const LearnResult expected = fit_kernel(train, {.penalty = 0.01});
  EXPECT_EQ(learned.kernel.kernel.adjustment().alpha, expected.kernel.adjustment().alpha);
  EXPECT_EQ(learned.fit.history, expected.fit.history);
  EXPECT_FALSE(learned.validation);
  EXPECT_EQ(learned.kernel.origin.penalty, 0.01);
  EXPECT_EQ(learned.kernel.origin.criterion, "alignment");
  EXPECT_EQ(learned.kernel.origin.samples, train.size());
  EXPECT_EQ(learned.kernel.origin.classes, train.labels().names());
}

TEST(Learn, AdjustsOnlyIfItBeatsThePlainKernelByTheRequiredGain) {
  const Dataset train = learnable_classes();
  for (const Classifier classifier : {Classifier::knn, Classifier::svm}) {
    LearnOptions options = learn_options(classifier);
    const PenaltyChoice choice =
        choose_penalty(train, {.criterion = options.fit.criterion, .adjustment = options.fit.adjustment},
                       {.classifier = classifier, .folds = 3});
    const double gain = detail::gain(choice.best.hits, choice.scores.back().hits);
    ASSERT_GT(gain, 0) << "no data for this test";
    options.required_gain = gain - 1e-9;
    const Learned adjusted = learn(train, options);
    EXPECT_EQ(adjusted.kernel.origin.penalty, choice.best.penalty);
    EXPECT_FALSE(adjusted.kernel.kernel.adjustment().is_none());
    options.required_gain = gain;
    const Learned plain = learn(train, options);
    EXPECT_TRUE(std::isinf(plain.kernel.origin.penalty));
    EXPECT_TRUE(plain.kernel.kernel.adjustment().is_none());
    EXPECT_EQ(plain.validation->best.accuracy, choice.scores.back().accuracy);
    options.required_gain.reset();
    EXPECT_EQ(learn(train, options).kernel.kernel.adjustment().is_none(),
              gain <= (classifier == Classifier::knn ? 0.5 : 1));
  }
}

TEST(Learn, TriesToAdjustNothingAlsoIfTheGridDoesNot) {
  LearnOptions options = learn_options(Classifier::knn);
  options.relative_penalties = {1e-2};
  options.required_gain = 1e9;
  const Learned learned = learn(learnable_classes(), options);
  EXPECT_EQ(learned.validation->scores.size(), 2u);
  EXPECT_TRUE(learned.kernel.kernel.adjustment().is_none());
}

TEST(Learn, LearnsFromASample) {
  const Dataset train = learnable_classes();
  const Learned learned = learn(train, {.penalty = 0.01, .learn_on = 30});
  const Dataset sample = train.select(balanced_sample(train.labels(), 30, 0));
  EXPECT_EQ(learned.kernel.kernel.adjustment().alpha, fit_kernel(sample, {.penalty = 0.01}).kernel.adjustment().alpha);
}

TEST(Learn, RefusesACForACriterionWithoutOne) {
  EXPECT_EQ(message_of([] { learn(learnable_classes(), {.fit = {.c = 2}}); }),
            "C is for the margin criteria; alignment has none");
}

class SavingVerbs : public Scratch {};

TEST_F(SavingVerbs, KeepWhatWasLearnedAndTrained) {
  const Dataset data = learnable_classes();
  const Learned learned = learn(data, {.penalty = 0.1});
  save(learned, *this / "k.dsk");
  EXPECT_EQ(load_kernel(*this / "k.dsk").origin, learned.kernel.origin);
  EXPECT_SAYS(summary(learned), "penalty: 0.1, given");
  const Trained trained = train(data, {.method = Method::parse("LEK"), .repair = "ridge"});
  save(trained, *this / "m.dsk");
  const SavedModel loaded = load_model(*this / "m.dsk");
  EXPECT_EQ(loaded.origin, trained.model.origin);
  EXPECT_EQ(loaded.origin.repair, "ridge");
  EXPECT_EQ(predict(loaded.model, data.matrices()).labels.codes(), predict(trained, data.matrices()).labels.codes());
}

}  // namespace
}  // namespace dsk::test

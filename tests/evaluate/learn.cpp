#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "evaluate/choose.hpp"
#include "files/scratch.hpp"
#include "spd/spd.hpp"
#include "support/made_signals.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

Dataset learnable_classes() {
  return wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1});
}

LearnOptions learn_options(Classifier classifier) {
  return {.fit = {.criterion = Criterion::centred, .adjustment = Adjustment::affine, .search_all_thetas = true},
          .classifier = classifier,
          .folds = 3};
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
    const PenaltyChoice choice = choose_penalty(
        train, {.criterion = options.fit.criterion, .adjustment = options.fit.adjustment, .search_all_thetas = true},
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

TEST(Learn, ScoresPenaltiesOnSubspacesLearnedWithoutTheHeldOutFold) {
  const Dataset train = learnable_classes();
  for (const Classifier classifier : {Classifier::knn, Classifier::svm}) {
    LearnOptions options = learn_options(classifier);
    options.fit.components = 2;
    const Learned learned = learn(train, options);
    ASSERT_TRUE(learned.validation);
    const LearnedKernel& kernel = learned.kernel.kernel;
    EXPECT_EQ(kernel.dim(), 6);
    EXPECT_EQ(kernel.result_dim(), 2);
    options.fit.penalty = learned.kernel.origin.penalty;
    EXPECT_EQ(kernel.theta(), fit_kernel(train, options.fit).kernel.theta());
    if (classifier == Classifier::svm) continue;
    // The same fold by fold: the plain kernel's theta and W come from the other folds.
    FitOptions plain = options.fit;
    plain.penalty = std::numeric_limits<double>::infinity();
    double hits = 0;
    for (const Split& split : stratified_folds(train, 3, 0)) {
      const LearnedKernel inside = fit_kernel(train.select(split.train), plain).kernel;
      const KnnClassifier knn =
          train_knn({.learned = inside}, train.select(split.train),
                    {.neighbours = static_cast<Index>(learned.validation->scores.back().neighbours_or_c)});
      hits += accuracy(knn, train.select(split.test)) * static_cast<double>(split.test.size());
    }
    EXPECT_NEAR(learned.validation->scores.back().accuracy, hits / static_cast<double>(train.size()), 1e-12);
  }
}

TEST(Learn, ChoosesTheNumberOfComponentsByCrossValidation) {
  const Dataset train = learnable_classes();
  LearnOptions options = learn_options(Classifier::knn);
  options.penalty = 0.01;
  options.choose_components = true;
  int last = 0, all = 0;
  options.on_kernel = [&](int done, int total) {
    EXPECT_EQ(done, ++last);
    all = total;
    return true;
  };
  const Learned learned = learn(train, options);
  EXPECT_EQ(last, all);
  ASSERT_FALSE(learned.by_components.empty());
  EXPECT_EQ(learned.by_components.front().components, 6);
  double best = 0;
  for (const Learned::Components& score : learned.by_components) best = std::max(best, score.accuracy);
  for (const Learned::Components& score : learned.by_components)
    if (score.accuracy == best) {
      EXPECT_EQ(learned.kernel.kernel.result_dim(), score.components) << "the largest of the best";
      break;
    }
  for (const Learned::Components& score : learned.by_components) {
    LearnOptions given = learn_options(Classifier::knn);
    given.fit.components = score.components == 6 ? 0 : score.components;
    given.penalty = 0.01;
    EXPECT_EQ(choose_penalty(train, given.fit, {.penalty = 0.01, .folds = 3}).best.accuracy, score.accuracy);
  }
}

TEST(Learn, LooksForThetaAmongAllForOurCriteriaAndAmongValidOnesForThePapers) {
  // For every valid theta the kernel matrix of 30 channels is nearly the identity.
  const Dataset train = made_signals({.per_class = 12, .dim = 30, .samples = 34, .gain = 2.5});
  const auto theta = [&](Criterion criterion, ThetaRange range) {
    LearnOptions options{.fit = {.criterion = criterion}, .theta_range = range, .penalty = 0.1, .folds = 3};
    options.fit.max_iterations = 2;
    return learn(train, options).kernel.kernel.theta();
  };
  EXPECT_LT(theta(Criterion::centred, ThetaRange::automatic), 0.5);
  EXPECT_EQ(theta(Criterion::centred, ThetaRange::any), theta(Criterion::centred, ThetaRange::automatic));
  EXPECT_GE(theta(Criterion::centred, ThetaRange::valid), 0.5);
  for (const Criterion criterion : {Criterion::alignment, Criterion::separability})
    EXPECT_EQ(theta(criterion, ThetaRange::automatic), theta(criterion, ThetaRange::valid)) << name(criterion);
  LearnOptions given{.fit = {.criterion = Criterion::centred, .theta = 0.1, .max_iterations = 1}, .penalty = 0.1};
  EXPECT_SAYS(message_of([&] { learn(train, given); }), "theta 0.1 is not valid");
  given.theta_range = ThetaRange::any;
  EXPECT_EQ(learn(train, given).kernel.kernel.theta(), 0.1);
  // In cross-validation too.
  LearnOptions chosen{.fit = {.criterion = Criterion::centred, .max_iterations = 2}, .folds = 3};
  EXPECT_LT(learn(train, chosen).kernel.kernel.theta(), 0.5);
}

TEST(Learn, RecentresTheTrainingSet) {
  const Dataset train = learnable_classes();
  const Learned learned = learn(train, {.fit = {.adjustment = Adjustment::power, .recentre = true}, .penalty = 0.01});
  const SpdBatch recentred = recentre_groups(train.matrices(), nullptr);
  const LearnResult expected = fit_kernel(Dataset(recentred, train.labels()), {.penalty = 0.01});
  const double tolerance = 1e-8;  // the optimiser stops at a relative change of 1e-5, from starts equal to rounding
  EXPECT_TRUE(learned.kernel.kernel.adjustment().alpha.isApprox(expected.kernel.adjustment().alpha, tolerance));
  EXPECT_TRUE(kernel_matrix(learned.kernel.kernel, train.matrices())
                  .isApprox(kernel_matrix(expected.kernel, recentred), tolerance));
}

TEST(Learn, WarnsOfClassesInOneGroup) {
  const Dataset data = learnable_classes();
  std::vector<std::string> groups;
  for (Index i = 0; i < data.size(); ++i)
    groups.push_back(data.labels()[i] == 0 ? "one" : "group " + std::to_string(i % 4));
  const Dataset grouped(data.matrices(), data.labels(), Labels(groups));
  const Learned learned = learn(grouped, learn_options(Classifier::knn));
  ASSERT_EQ(learned.warnings.size(), 1u);
  EXPECT_SAYS(learned.warnings.front(), "1 of 3 classes lies in a single group");
}

TEST(Learn, TakesGivenFoldsWithABatchWhereNothingIsChosen) {
  const Dataset train = learnable_classes();
  LearnOptions options = learn_options(Classifier::knn);
  options.fit.batch = 50;
  options.given_folds = {{{0, 1, 20, 21, 40, 41}, {2, 22, 42}}, {{2, 3, 22, 23, 42, 43}, {0, 20, 40}}};
  EXPECT_SAYS(message_of([&] { learn(train, options); }), "given folds cannot be used");
  options.penalty = 0.01;
  EXPECT_TRUE(learn(train, options).fit.blocks);
}

TEST(Learn, WarnsOfABatchThatHoldsAllMatrices) {
  const Dataset train = learnable_classes();
  LearnOptions options = learn_options(Classifier::knn);
  options.choose_on = 30;
  for (const Index batch : {train.size(), train.size() + 1}) {
    options.fit.batch = batch;
    const Learned learned = learn(train, options);
    ASSERT_EQ(learned.warnings.size(), 1u);
    EXPECT_SAYS(learned.warnings.front(),
                "is not below the 60 matrices: learned from all pairs, with settings chosen on all matrices");
  }
  options.fit.batch = 50;
  EXPECT_TRUE(learn(train, options).warnings.empty());
}

TEST(Learn, WarnsOfBlocksThatWereLeftOut) {
  const Dataset data = wishart_classes({.per_class = 400, .dim = 3, .degrees = 10, .tau = 0.8});
  std::vector<double> values(data.matrices().values().begin(), data.matrices().values().end());
  const std::vector<double> units{1e-130, 1, 1e130};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < 3; ++k) values[r * 3 + k] *= units[r] * units[k];
  const Dataset train = data.with_matrices(SpdBatch(MatrixStack{data.size(), 3, values}));
  LearnOptions options = learn_options(Classifier::knn);
  options.fit.batch = 40;
  options.penalty = 0.01;
  int warned = 0;
  for (options.fit.batch_seed = 0; options.fit.batch_seed < 10; ++options.fit.batch_seed) {
    const Learned learned = learn(train, options);
    EXPECT_EQ(learned.warnings.size(), learned.fit.blocks->failed > 0 ? 1u : 0u);
    for (const std::string& warning : learned.warnings) EXPECT_SAYS(warning, "random blocks, which were left out");
    warned += learned.warnings.empty() ? 0 : 1;
  }
  EXPECT_GT(warned, 0) << "no data for this test";
}

TEST(Learn, RefusesClassifiersThatCannotScorePenalties) {
  EXPECT_EQ(message_of([] { learn(learnable_classes(), {.classifier = Classifier::mdm}); }),
            "penalties are scored by the classifiers knn and svm, not by mdm");
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

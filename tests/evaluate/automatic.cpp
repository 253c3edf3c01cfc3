#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/mean.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluate/candidate.hpp"
#include "evaluate/race.hpp"
#include "files/scratch.hpp"
#include "spd/spd.hpp"
#include "support/class_scores.hpp"
#include "support/made_classes.hpp"
#include "support/made_signals.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

const Method automatic_method = Method::parse("auto");

TEST(Automatic, TakesThetaFromASampleOfALargeTrainingSet) {
  constexpr Index enough = 4000;
  const Dataset train = wishart_classes({.classes = 2, .per_class = enough / 2 + 50, .dim = 2, .degrees = 8});
  const detail::Candidate candidate{.family = detail::Family::mean, .relative_theta = 2};
  const Model model = detail::fit_candidate(candidate, train, {.seed = 3});
  const Matrix squared =
      pairwise_squared_distances(Comparison{}, train.matrices().select(balanced_sample(train.labels(), enough, 3)));
  std::vector<double> sorted;
  for (Index i = 0; i < enough; ++i)
    for (Index j = i + 1; j < enough; ++j) sorted.push_back(squared(i, j));
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::get<MeanClassifier>(model).theta(), 2 / sorted[sorted.size() / 2]);
}

TEST(Automatic, FoldsScoreWhatIsTrained) {
  const Dataset data = made_signals({.per_class = 14, .classes = 3, .dim = 6, .gain = 1.6});
  const Split split = stratified_folds(data, 3, 5)[0];
  const Dataset train = data.select(split.train), test = data.select(split.test);
  for (const std::string name : {"auto", "LEK:mean", "PEK:mean", "DSK-KA-s:svm", "DSK-NN-s:knn"}) {
    const Method method = Method::parse(name);
    const SelectionOptions options{.neighbours = {1, 5}, .svm_cs = {1, 100}, .relative_thetas = {0.25, 4}};
    const std::vector<detail::Candidate> candidates = detail::candidates_of(method, data.dim(), options);
    const detail::CandidateOptions work = detail::candidate_options(method, data.dim(), options);
    detail::FoldWork fold(train, test, work);
    const std::vector<detail::Hits> hits = fold.hits(candidates);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const std::string candidate = detail::describe(candidates[k], Criterion::centred);
      const Model model = detail::fit_candidate(candidates[k], train, work);
      const std::vector<int> predicted = predict(model, test.matrices()).labels.codes();
      for (Index i = 0; i < test.size(); ++i)
        EXPECT_EQ(hits[k][static_cast<std::size_t>(i)], predicted[static_cast<std::size_t>(i)] == test.labels()[i])
            << candidate << ", matrix " << i;
      // Folds do not clip indefinite kernels, and stop early where logistic regression is hardly regularised.
      if (candidates[k].relative_theta < 1 && candidates[k].family == detail::Family::svm) continue;
      if (candidates[k].neighbours_or_c > 10 && candidates[k].family == detail::Family::logistic) continue;
      const Matrix found = fold.scores(candidates[k]), expected = scores_of(model, test.matrices());
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-3 * expected.cwiseAbs().maxCoeff()) << candidate;
    }
  }
}

TEST(Automatic, NoiseIsPredictedByChance) {
  // 50 draws of 2 classes that do not differ, half of each learned from and half predicted.
  double hits = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Dataset data = made_signals({.per_class = 12, .dim = 4, .gain = 1, .seed = 100 + seed});
    const Split split = stratified_folds(data, 2, seed)[0];
    const Trained trained = train(data.select(split.train), {.selection = {.seed = seed}});
    hits += accuracy(predict(trained, data.select(split.test))) * static_cast<double>(split.test.size());
    all += static_cast<double>(split.test.size());
  }
  EXPECT_NEAR(hits / all, 0.5, 3 * std::sqrt(0.25 / all));
}

TEST(Automatic, FindsWhatDiffersAmongManyChannels) {
  const Dataset data = made_signals({.per_class = 30, .classes = 3, .dim = 16, .samples = 30, .gain = 1.7});
  const Evaluation evaluation =
      evaluate(data, {.methods = Method::parse_list("auto,SK:knn,majority"), .protocol = {Protocol::Kind::halves, 3}});
  EXPECT_GT(evaluation.methods[0].accuracy.mean, evaluation.methods[1].accuracy.mean + 0.1);
  EXPECT_NEAR(evaluation.methods[2].accuracy.mean, 1.0 / 3, 0.05);
}

TEST(Automatic, AdjustsEigenvaluesWhereTheyTellClassesApart) {
  // All directions are equal, and the smallest eigenvalues are the noisiest.
  const Dataset data = wishart_classes({.classes = 3, .per_class = 60, .dim = 8, .degrees = 20, .tau = 0.5, .seed = 1});
  const Evaluation evaluation =
      evaluate(data, {.methods = Method::parse_list("auto,SK:svm"), .protocol = {Protocol::Kind::halves, 3}});
  EXPECT_GT(evaluation.methods[0].accuracy.mean, evaluation.methods[1].accuracy.mean + 0.05);
  const auto adjusted = std::count_if(evaluation.results.begin(), evaluation.results.end(), [](const SplitResult& one) {
    return one.method == "auto" && one.chosen.find("DSK-CA-a:") != std::string::npos;
  });
  EXPECT_GE(adjusted, 2);
}

TEST(Automatic, IsChosenByTheTrainingPartAlone) {
  const Dataset data = made_signals({.per_class = 20, .gain = 1.7});
  // The same training part; test labels permuted, every other test matrix spoiled.
  std::vector<int> parts;
  std::vector<double> values(data.matrices().values().begin(), data.matrices().values().end());
  std::vector<long long> labels;
  const auto size = static_cast<std::size_t>(data.dim() * data.dim());
  for (Index i = 0; i < data.size(); ++i) {
    const bool test = i % 3 == 0;
    parts.push_back(test ? 0 : -1);
    labels.push_back(test ? 1 - data.labels()[i] : data.labels()[i]);
    if (i % 6 == 0)
      for (std::size_t k = 0; k < size; ++k) values[static_cast<std::size_t>(i) * size + k] *= 1e6;
  }
  const Dataset spoiled(SpdBatch(values, data.size(), data.dim()), Labels(labels));
  const EvaluationOptions options{.methods = Method::parse_list("auto,DSK-CA-s:svm,TS:lr"),
                                  .protocol = {Protocol::Kind::given, 0, parts}};
  const Evaluation first = evaluate(data, options), second = evaluate(spoiled, options);
  for (std::size_t k = 0; k < first.results.size(); ++k) {
    EXPECT_EQ(first.results[k].chosen, second.results[k].chosen);
    EXPECT_EQ(first.results[k].validation_accuracy, second.results[k].validation_accuracy);
    // The same model: the other test matrices are taken for the same.
    const std::vector<int>&before = first.results[k].predicted, &after = second.results[k].predicted;
    for (std::size_t i = 1; i < before.size(); i += 2) EXPECT_EQ(before[i], after[i]) << first.results[k].method;
  }
  // What was learned is the same to the bit.
  ASSERT_TRUE(first.subspace && second.subspace);
  EXPECT_EQ(first.subspace->projection.w, second.subspace->projection.w);
  EXPECT_EQ(first.subspace->patterns, second.subspace->patterns);
}

TEST(Automatic, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = made_signals({.per_class = 25, .classes = 3, .dim = 7, .gain = 1.6});
  const auto with = [&](int threads) { return train(data, {.selection = {.pairs = {.threads = threads}}}); };
  const Trained one = with(1), two = with(2);
  ASSERT_EQ(one.chosen.candidates.size(), two.chosen.candidates.size());
  for (std::size_t k = 0; k < one.chosen.candidates.size(); ++k) {
    EXPECT_EQ(one.chosen.candidates[k].name, two.chosen.candidates[k].name);
    EXPECT_EQ(one.chosen.candidates[k].accuracy, two.chosen.candidates[k].accuracy);
  }
  EXPECT_EQ(predict(one, data.matrices()).scores, predict(two, data.matrices()).scores);
}

TEST(Automatic, DoesNotDependOnUnitsOrMixingWhereTheChosenDoesNot) {
  const Dataset data = made_signals({.per_class = 20, .dim = 6, .gain = 2});
  const Method method = Method::parse("DSK-CA-s:mean");
  const Split split = stratified_folds(data, 2, 1)[0];
  const auto predicted = [&](const Dataset& set) {
    const Trained trained = train(set.select(split.train), {.method = method});
    return predict(trained, set.select(split.test).matrices()).labels.codes();
  };
  EXPECT_EQ(predicted(times(data, 1e-12)), predicted(data));
}

class AutomaticFiles : public Scratch {};

TEST_F(AutomaticFiles, HoldWholeModels) {
  const Dataset data = made_signals({.per_class = 18, .classes = 3, .gain = 1.8});
  for (const std::string name : {"auto", "MDM-stein", "TS:svm", "LEK:mean", "DSK-CA-s:svm"}) {
    const Trained trained = train(data, {.method = Method::parse(name)});
    EXPECT_FALSE(trained.kernel) << name;
    save(trained, *this / "model.dsk");
    EXPECT_EQ(predict(load_model(*this / "model.dsk").model, data.matrices()).scores,
              predict(trained, data.matrices()).scores);
  }
}

TEST(Automatic, TellsWhatItChoseAndTheNextBest) {
  const Dataset data = made_signals({.per_class = 20});
  const Trained trained = train(data);
  ASSERT_GT(trained.chosen.candidates.size(), 20U);
  const CandidateScore& best = trained.chosen.candidates.front();
  EXPECT_EQ(best.accuracy, trained.chosen.validation_accuracy);
  const std::string text = summary(trained);
  ASSERT_TRUE(best.name.starts_with("average of "));
  EXPECT_SAYS(text, "chosen: " + best.name.substr(0, best.name.find(';')) + "\n  ");
  const auto average = detail::candidate_named(best.name, automatic_method, data.dim(), {});
  ASSERT_TRUE(average);
  for (const detail::Candidate& member : average->members)
    EXPECT_SAYS(text, detail::describe(member, Criterion::centred));
  for (std::size_t k = 1; k < 5; ++k) EXPECT_SAYS(text, trained.chosen.candidates[k].name);
}

TEST(Automatic, LeavesThoseFarBehind) {
  const Dataset data = made_signals({.per_class = 60, .classes = 3, .dim = 5, .gain = 2});
  detail::Candidate good{.family = detail::Family::mean, .relative_theta = 0.15}, bad = good;
  bad.relative_theta = 1e9;  // the unit matrix
  const std::vector<detail::ScoredCandidate> scored =
      detail::race(data, {bad, good}, {.rungs = {5}}, {.folds = 4, .repeats = 2});
  EXPECT_EQ(scored[0].candidate.relative_theta, 0.15);
  EXPECT_EQ(scored[0].folds, 8);
  EXPECT_LT(scored[1].folds, 8);
  EXPECT_LT(scored[1].accuracy, scored[0].accuracy);
}

TEST(Automatic, RecentresEachGroupByItsOwnMean) {
  const Dataset data = made_signals({.per_class = 48, .dim = 5, .samples = 60, .gain = 1.8, .groups = 6});
  const auto score = [&](Recentring recentre) {
    return evaluate(data, {.methods = {automatic_method},
                           .protocol = {Protocol::Kind::logo, 0},
                           .selection = {.recentre = recentre}})
        .methods[0]
        .accuracy.mean;
  };
  EXPECT_GT(score(Recentring::groups), score(Recentring::none) + 0.05);

  // New groups by theirs: the model recentres what it is given.
  std::vector<Index> known, fresh;
  for (Index i = 0; i < data.size(); ++i) (data.groups()[i] == 5 ? fresh : known).push_back(i);
  const Trained trained = train(data.select(known), {.selection = {.recentre = Recentring::groups}});
  const Dataset unseen = data.select(fresh);
  const Matrix mean_of_group = mean(unseen.matrices()).matrix;
  EXPECT_TRUE(recentres_groups(trained.model.model));
  const Trained plain = train(Dataset(recentre_groups(data.select(known).matrices(), &data.select(known).groups()),
                                      data.select(known).labels(), data.select(known).groups()));
  const SpdBatch by_hand = recentre_groups(unseen.matrices(), nullptr);
  EXPECT_EQ(predict(trained, unseen).labels.codes(), predict(plain, by_hand).labels.codes());
  EXPECT_LE((mean(by_hand).matrix - Matrix::Identity(5, 5)).cwiseAbs().maxCoeff(), 1e-8 * mean_of_group.norm());
  EXPECT_EQ(message_of([&] { train(made_signals({}), {.selection = {.recentre = Recentring::groups}}); }),
            "recentring by groups needs a data set with groups, such as subjects or sessions");
}

TEST(Automatic, TakesDegenerateTrainingSets) {
  const Dataset with_single = made_classes({.sizes = {7, 1}, .dim = 3});
  EXPECT_EQ(predict(train(with_single), with_single.matrices()).labels.size(), 8);
  const Dataset scalars = made_classes({.sizes = {6, 5}, .dim = 1});
  EXPECT_EQ(predict(train(scalars), scalars.matrices()).labels.size(), 11);
  const Dataset four = made_classes({.sizes = {2, 2}, .dim = 4});
  EXPECT_EQ(predict(train(four), four.matrices()).labels.size(), 4);
  const Dataset equal(with_single.matrices().select(std::vector<Index>{0, 0, 0, 0, 0, 0}),
                      Labels(std::vector<long long>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(predict(train(equal), equal.matrices()).labels.size(), 6);
  const Dataset groups_of_one(scalars.matrices(), scalars.labels(),
                              Labels(std::vector<long long>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(predict(train(groups_of_one), scalars.matrices()).labels.size(), 11);
  const Dataset one_class(scalars.matrices(), Labels(std::vector<long long>(11, 3)));
  EXPECT_SAYS(message_of([&] { train(one_class); }), "two classes");
}

TEST(Automatic, RefusesOptionsThatAreWrongForEveryFold) {
  const Dataset data = made_signals({.per_class = 8, .dim = 4});
  const Split split = stratified_folds(data, 2, 1)[0];
  const auto hits_of = [&](const detail::Candidate& candidate, const detail::CandidateOptions& options) {
    return detail::FoldWork(data.select(split.train), data.select(split.test), options).hits(std::span(&candidate, 1));
  };
  const detail::CandidateOptions three_classes{.svm = {.class_weights = {1, 2, 3}}};
  EXPECT_SAYS(
      message_of([&] { hits_of({.family = detail::Family::tangent_svm, .neighbours_or_c = 1}, three_classes); }),
      "3 class weights do not match 2 classes");
  EXPECT_SAYS(message_of([&] { hits_of({.family = detail::Family::logistic, .neighbours_or_c = -1}, {}); }),
              "C -1 must be finite and above 0");
  EXPECT_SAYS(message_of([&] { hits_of({.family = detail::Family::mdm, .metric = Metric::thompson}, {}); }),
              "the metric thompson has no mean");
}

TEST(Automatic, CountsACriterionThatAFoldLeavesUndefinedAsNoHit) {
  // One matrix of each class to learn from: the neighbour criterion compares those of a class.
  const Dataset data = made_signals({.per_class = 4, .classes = 2, .dim = 3});
  const detail::Candidate candidate{.family = detail::Family::mean, .components = 2, .relative_theta = 1};
  const detail::CandidateOptions options{.subspace = {.criterion = Criterion::neighbour}};
  const std::vector<Index> known{0, 1}, unknown{2, 3, 4, 5, 6, 7};
  const std::vector<detail::Hits> hits =
      detail::FoldWork(data.select(known), data.select(unknown), options).hits(std::span(&candidate, 1));
  EXPECT_EQ(hits, std::vector<detail::Hits>{detail::Hits(6, false)});
}

TEST(Automatic, TriesBothRangesOfTheta) {
  // 30 channels: for every valid theta the kernel matrix is nearly the identity.
  const Dataset data = made_signals({.per_class = 25, .dim = 30, .samples = 34, .gain = 2.5});
  const Method svm = Method::parse("SK:svm");
  const auto trained = [&](ThetaRange range) {
    return train(data, {.method = svm, .selection = {.theta_range = range}});
  };
  const Trained automatic = trained(ThetaRange::automatic), valid = trained(ThetaRange::valid);
  EXPECT_GE(automatic.chosen.validation_accuracy, valid.chosen.validation_accuracy);
  EXPECT_LT(automatic.chosen.theta, 0.5);
  EXPECT_TRUE(automatic.warnings.empty());
  ASSERT_EQ(valid.warnings.size(), 1U);
  EXPECT_SAYS(valid.warnings[0], "the kernel matrix is nearly the identity");
  EXPECT_SAYS(valid.warnings[0], "allow any theta, or project to a subspace");
}

TEST(Automatic, ChoosesComponentsWhetherOrNotAskedTo) {
  const auto names = [](const std::string& project) {
    std::vector<std::string> result;
    for (const detail::Candidate& one :
         detail::candidates_of(automatic_method, 8, {.project = Projecting::parse(project)}))
      result.push_back(detail::describe(one, Criterion::centred));
    return result;
  };
  EXPECT_EQ(names("auto"), names("none"));
  EXPECT_LT(names("start").size(), names("auto").size());
  EXPECT_LT(names("3").size(), names("start").size());
}

TEST(SubspaceLadder, GoesDownFromAllToAnEighth) {
  EXPECT_EQ(detail::subspace_ladder(24), (std::vector<Index>{24, 12, 8, 6, 4, 3}));
  EXPECT_EQ(detail::subspace_ladder(5), (std::vector<Index>{5, 2, 1}));
  EXPECT_EQ(detail::subspace_ladder(1), (std::vector<Index>{1}));
  EXPECT_EQ(detail::subspace_ladder(200), (std::vector<Index>{200, 32, 21, 16, 10, 8}));
}

}  // namespace
}  // namespace dsk::test

#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "classify/classify.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "learn/learn.hpp"
#include "spd/spd.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

constexpr double no_adjustment = std::numeric_limits<double>::infinity();

/// Two classes that differ in the smallest of four eigenvalues only; the others vary far more within each class.
Dataset told_apart_by_the_smallest(Index per_class, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  constexpr Index dim = 4;
  const Index count = 2 * per_class;
  MatrixStack stack{count, dim, std::vector<double>(static_cast<std::size_t>(count * dim * dim))};
  std::vector<long long> labels;
  for (Index i = 0; i < count; ++i) {
    labels.push_back(i % 2);
    const auto set = [&](Index z, double log_eigenvalue) {
      stack.values[static_cast<std::size_t>((i * dim + z) * dim + z)] = std::exp(log_eigenvalue);
    };
    for (const Index z : {0, 1, 2}) set(z, 6 - 2 * static_cast<double>(z) + normal(random));
    set(3, (i % 2 == 0 ? -1.5 : -2.5) + 0.25 * normal(random));
  }
  return Dataset(SpdBatch(std::move(stack)), Labels(labels));
}

/// The class of most of the k nearest, found by sorting; of tied classes the one met first.
int nearest_class(const Eigen::RowVectorXd& distances, const std::vector<int>& classes, Index k) {
  std::vector<std::pair<double, std::size_t>> order;
  for (Index j = 0; j < distances.size(); ++j) order.emplace_back(distances[j], static_cast<std::size_t>(j));
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), static_cast<std::size_t>(k)));
  std::vector<int> votes(1 + static_cast<std::size_t>(*std::max_element(classes.begin(), classes.end())));
  for (const auto& [distance, j] : order) ++votes[static_cast<std::size_t>(classes[j])];
  const int most = *std::max_element(votes.begin(), votes.end());
  for (const auto& [distance, j] : order)
    if (votes[static_cast<std::size_t>(classes[j])] == most) return classes[j];
  return -1;
}

Index right_by_knn(const LearnedKernel& kernel, const Dataset& train, const Dataset& test, Index k) {
  const Matrix distances = pairwise_divergences(kernel, test.matrices(), train.matrices());
  Index right = 0;
  for (Index i = 0; i < test.size(); ++i)
    right += nearest_class(distances.row(i), train.labels().codes(), k) == test.labels()[i] ? 1 : 0;
  return right;
}

Index right_by_svm(const LearnedKernel& kernel, const Dataset& train, const Dataset& test, double c) {
  const PairwiseSvm svm(kernel_matrix(kernel, train.matrices()), train.labels().codes(), {.c = c});
  const auto found = svm.predict(kernel_matrix(kernel, test.matrices(), train.matrices()));
  Index right = 0;
  for (Index i = 0; i < test.size(); ++i) right += found[static_cast<std::size_t>(i)] == test.labels()[i] ? 1 : 0;
  return right;
}

/// Cross-validation by hand, one setting after the other: what is learned sees the training part alone.
std::vector<PenaltyChoice::Score> scores_by_hand(const Dataset& train, const FitOptions& options,
                                                 const PenaltySearch& search) {
  const auto sampled = [&](const Dataset& part) {
    return search.learn_on > 0 ? part.select(balanced_sample(part.labels(), search.learn_on, search.seed)) : part;
  };
  const double unit = std::abs(best_plain_kernel(sampled(train), options).value);
  const bool knn = search.classifier == Classifier::knn;
  std::vector<double> settings(search.neighbours.begin(), search.neighbours.end());
  if (!knn) settings = search.svm_cs;
  std::vector<PenaltyChoice::Score> scores;
  for (const double relative : search.relative_penalties) {
    PenaltyChoice::Score score{std::isinf(relative) ? relative : relative * unit, -1, 0};
    for (const double setting : settings) {
      Index right = 0, scored = 0;
      for (const Split& split : stratified_folds(train.labels(), search.folds, search.seed)) {
        const Dataset part = train.select(split.train), held_out = train.select(split.test);
        FitOptions with = options;
        with.penalty = score.penalty;
        with.tolerance = search.tolerance;
        const LearnedKernel kernel = fit_kernel(sampled(part), with).kernel;
        right += knn ? right_by_knn(kernel, part, held_out, static_cast<Index>(setting))
                     : right_by_svm(kernel, part, held_out, setting);
        scored += held_out.size();
      }
      const double accuracy = static_cast<double>(right) / static_cast<double>(scored);
      if (accuracy > score.accuracy) score.accuracy = accuracy, score.neighbours_or_c = setting;
    }
    scores.push_back(score);
  }
  return scores;
}

void expect_equal(const std::vector<PenaltyChoice::Score>& found, const std::vector<PenaltyChoice::Score>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    EXPECT_EQ(found[p].penalty, expected[p].penalty) << p;
    EXPECT_EQ(found[p].accuracy, expected[p].accuracy) << p;
    EXPECT_EQ(found[p].neighbours_or_c, expected[p].neighbours_or_c) << p;
  }
}

TEST(ChoosePenalty, TakesAnAdjustmentThatHelps) {
  const Dataset train = told_apart_by_the_smallest(40, 1), test = told_apart_by_the_smallest(100, 2);
  const PenaltyChoice choice = choose_penalty(train, {});
  EXPECT_TRUE(std::isfinite(choice.best.penalty));
  EXPECT_GT(choice.best.accuracy, choice.scores.back().accuracy);
  EXPECT_EQ(choice.folds, 5);

  const LearnedKernel plain = fit_kernel(train, {.penalty = no_adjustment}).kernel;
  const LearnedKernel learned = fit_kernel(train, {.penalty = choice.best.penalty}).kernel;
  const auto k = static_cast<Index>(choice.best.neighbours_or_c);
  EXPECT_GT(right_by_knn(learned, train, test, k), right_by_knn(plain, train, test, k) + 20);
}

TEST(ChoosePenalty, LeavesAloneWhatIsSeparatedAlready) {
  const Dataset train = wishart_classes({.classes = 3, .per_class = 12, .dim = 3, .tau = 5});
  const PenaltyChoice choice = choose_penalty(train, {});
  for (const PenaltyChoice::Score& score : choice.scores) EXPECT_EQ(score.accuracy, 1) << score.penalty;
  EXPECT_EQ(choice.best.penalty, no_adjustment);
}

TEST(ChoosePenalty, LeavesAloneWhereTheOrderOfNeighboursCannotChange) {
  // Of 1 x 1 matrices a power stretches all distances alike.
  const Dataset train = wishart_classes({.classes = 2, .per_class = 30, .dim = 1, .degrees = 5, .tau = 1});
  const PenaltyChoice choice = choose_penalty(train, {});
  EXPECT_LT(choice.best.accuracy, 1);
  for (const PenaltyChoice::Score& score : choice.scores)
    EXPECT_EQ(score.accuracy, choice.best.accuracy) << score.penalty;
  EXPECT_EQ(choice.best.penalty, no_adjustment);
}

TEST(ChoosePenalty, ScoresAreThoseOfCrossValidationByHand) {
  const Dataset train = told_apart_by_the_smallest(15, 3);
  for (const Criterion criterion : {Criterion::alignment, Criterion::separability, Criterion::centred}) {
    const FitOptions options{.criterion = criterion, .adjustment = Adjustment::affine};
    const PenaltySearch search{
        .relative_penalties = {0, 0.01, 1, no_adjustment}, .neighbours = {1, 3, 4}, .folds = 3, .seed = 8};
    expect_equal(choose_penalty(train, options, search).scores, scores_by_hand(train, options, search));
  }
}

TEST(ChoosePenalty, ScoresOfMarginCriteriaAreThoseByHand) {
  const Dataset train = told_apart_by_the_smallest(8, 4);
  const FitOptions options{.criterion = Criterion::radius_margin, .theta = 2, .c = 10, .max_iterations = 10};
  const PenaltySearch search{.relative_penalties = {0.1, no_adjustment}, .neighbours = {1, 3}, .folds = 2};
  expect_equal(choose_penalty(train, options, search).scores, scores_by_hand(train, options, search));
}

TEST(ChoosePenalty, ScoresOfTheSvmAreThoseByHand) {
  const Dataset train = told_apart_by_the_smallest(15, 5);
  const PenaltySearch search{.relative_penalties = {0.01, 1, no_adjustment},
                             .classifier = Classifier::svm,
                             .svm_cs = {0.5, 20},
                             .folds = 3,
                             .seed = 2};
  expect_equal(choose_penalty(train, {}, search).scores, scores_by_hand(train, {}, search));
}

TEST(ChoosePenalty, LearnsFromASampleOfTheFoldAndScoresByAllOfIt) {
  const Dataset train = told_apart_by_the_smallest(20, 9);
  PenaltySearch search{.relative_penalties = {0.01, no_adjustment}, .neighbours = {1, 3}, .folds = 3, .seed = 4};
  const auto from_all = choose_penalty(train, {}, search).scores;
  search.learn_on = 6;
  const auto from_six = choose_penalty(train, {}, search).scores;
  expect_equal(from_six, scores_by_hand(train, {}, search));
  EXPECT_NE(from_six.front().penalty, from_all.front().penalty);
}

TEST(ChoosePenalty, TriesOtherThetasForTheSvm) {
  const Dataset train = told_apart_by_the_smallest(15, 5);
  PenaltySearch search{.relative_penalties = {no_adjustment}, .classifier = Classifier::svm, .svm_cs = {3}, .folds = 3};
  const FitOptions options{.theta = 40};
  const PenaltyChoice::Score alone = choose_penalty(train, options, search).best;
  EXPECT_EQ(alone.relative_theta, 0);
  search.relative_thetas = {1};
  const PenaltyChoice::Score better = choose_penalty(train, options, search).best;
  Index right = 0;
  for (const Split& split : stratified_folds(train.labels(), search.folds, search.seed)) {
    const Dataset part = train.select(split.train), held_out = train.select(split.test);
    const Matrix distances = pairwise_divergences(LearnedKernel::plain(4, 1), part.matrices());
    std::vector<double> above;
    for (Index i = 0; i < distances.rows(); ++i)
      for (Index j = i + 1; j < distances.cols(); ++j) above.push_back(distances(i, j));
    std::sort(above.begin(), above.end());
    // The nearest for which the kernel is valid for matrices of size 4: half integers up to 3/2, then all.
    double theta = 1 / above[above.size() / 2];
    if (theta < 1.5) theta = std::max(0.5, std::round(2 * theta) / 2);
    right += right_by_svm(LearnedKernel::plain(4, theta), part, held_out, 3);
  }
  EXPECT_EQ(better.relative_theta, 1);
  EXPECT_EQ(better.accuracy, static_cast<double>(right) / static_cast<double>(train.size()));
  EXPECT_GT(better.accuracy, alone.accuracy);
}

TEST(ChoosePenalty, SameForAnyNumberOfThreads) {
  const Dataset train = told_apart_by_the_smallest(100, 6);
  for (const Classifier classifier : {Classifier::knn, Classifier::svm}) {
    const PenaltySearch search{.relative_penalties = {0.01, 1, no_adjustment}, .classifier = classifier, .folds = 2};
    FitOptions one, two;
    one.pairs.threads = 1;
    two.pairs.threads = 2;
    expect_equal(choose_penalty(train, one, search).scores, choose_penalty(train, two, search).scores);
  }
}

TEST(ChoosePenalty, GridsInAnyOrderGiveAscendingScores) {
  const Dataset train = told_apart_by_the_smallest(8, 7);
  const PenaltySearch mixed{.relative_penalties = {no_adjustment, 0.1, 1}, .folds = 2};
  const PenaltySearch ascending{.relative_penalties = {0.1, 1, no_adjustment}, .folds = 2};
  expect_equal(choose_penalty(train, {}, mixed).scores, choose_penalty(train, {}, ascending).scores);
}

TEST(ChoosePenalty, TellsOfEveryKernelAndStopsWhenAsked) {
  const Dataset train = told_apart_by_the_smallest(8, 8);
  PenaltySearch search{.relative_penalties = {0.1, no_adjustment}, .folds = 3};
  int calls = 0;
  search.on_progress = [&](int done, int total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 6);
    return true;
  };
  choose_penalty(train, {}, search);
  EXPECT_EQ(calls, 6);
  calls = 0;
  search.on_progress = [&](int, int) { return ++calls < 4; };
  EXPECT_THROW(choose_penalty(train, {}, search), Cancelled);
  EXPECT_EQ(calls, 4);
}

/// Folds that have not begun do not begin, and those that have end with the penalty that they are at. What was thrown
/// arrives as it is.
TEST(ChoosePenalty, StopsAllFoldsWhenOneFails) {
  const Dataset train = told_apart_by_the_smallest(20, 8);
  PenaltySearch search{.relative_penalties = {0.01, 0.1, 1, no_adjustment}, .folds = 5};
  for (const int threads : {1, 2, 4}) {
    FitOptions options;
    options.pairs.threads = threads;
    int calls = 0;
    search.on_progress = [&](int, int) -> bool { throw std::runtime_error(fmt::format("call {}", ++calls)); };
    std::string said;
    try {
      choose_penalty(train, options, search);
    } catch (const std::runtime_error& error) {
      said = error.what();
    }
    // Each thread may be about to finish a penalty when the first fails.
    EXPECT_GE(calls, 1);
    EXPECT_LE(calls, threads);
    EXPECT_TRUE(said.starts_with("call ")) << said;
    if (threads == 1) {
      EXPECT_EQ(said, "call 1");
    }
  }
}

TEST(ChoosePenalty, StopsWhenLearningIsStopped) {
  FitOptions options;
  options.on_iteration = [](const Fit::Iteration&) { return false; };
  EXPECT_THROW(choose_penalty(told_apart_by_the_smallest(8, 9), options), Cancelled);
}

TEST(ChoosePenalty, ClassesOfFewMembers) {
  const Dataset all = told_apart_by_the_smallest(6, 10);
  std::vector<Index> rest;
  for (Index i = 0; i < all.size(); ++i)
    if (all.labels()[i] == 0 || i < 2) rest.push_back(i);
  const PenaltyChoice choice = choose_penalty(all.select(rest), {}, {.folds = 50});
  EXPECT_EQ(choice.folds, 6);
  EXPECT_EQ(choice.best.penalty, no_adjustment) << "all that is scored is of one class, and right";
}

TEST(ChoosePenalty, SaysThatAPartIsTooSmallForTheCriterion) {
  const Dataset two_each = told_apart_by_the_smallest(2, 11);
  for (const Criterion criterion : {Criterion::separability, Criterion::neighbour})
    EXPECT_EQ(message_of([&] {
                choose_penalty(two_each, {.criterion = criterion});
              }).find("cross-validation, learning from 2 of 4 matrices: "),
              0u);
  EXPECT_EQ(choose_penalty(two_each, {}).folds, 2);
}

TEST(ChoosePenalty, RefusesBadGrids) {
  const Dataset train = told_apart_by_the_smallest(4, 12);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto says = [&](const PenaltySearch& search) { return message_of([&] { choose_penalty(train, {}, search); }); };
  EXPECT_EQ(says({.relative_penalties = {}}), "the grid of penalties is empty");
  EXPECT_EQ(says({.relative_penalties = {1, -1}}), "penalty -1 must be 0 or more");
  EXPECT_EQ(says({.relative_penalties = {nan}}), "penalty nan must be 0 or more");
  EXPECT_EQ(says({.neighbours = {}}), "the grid of the classifier's settings is empty");
  EXPECT_EQ(says({.neighbours = {1, 0}}), "neighbours 0 must be 1 or more");
  EXPECT_EQ(says({.classifier = Classifier::svm, .svm_cs = {}}), "the grid of the classifier's settings is empty");
  for (const double c : {0.0, -1.0, no_adjustment, nan})
    EXPECT_SAYS(says({.classifier = Classifier::svm, .svm_cs = {c}}), "must be finite and above 0");
  EXPECT_EQ(says({.folds = 1}), "cross-validation needs at least 2 folds, not 1");
  EXPECT_SAYS(message_of([&] { choose_penalty(train, {.theta = -1}); }), "theta -1");
  EXPECT_EQ(says({.penalty = -2}), "penalty -2 must be 0 or more");
  EXPECT_SAYS(says({.classifier = Classifier::svm, .svm = {.class_weights = {1, 2, 3}}}),
              "3 class weights do not match 2 classes");
  EXPECT_NE(message_of([&] { choose_penalty(Dataset(train.matrices()), {}); }).find("has no labels"),
            std::string::npos);
}

TEST(Classifiers, AreReadByName) {
  for (const Classifier classifier : {Classifier::knn, Classifier::svm})
    EXPECT_EQ(parse_classifier(name(classifier)), classifier);
  for (const std::string text : {"", "KNN", "tree"})
    EXPECT_EQ(message_of([&] { parse_classifier(text); }),
              "unknown classifier '" + text + "'; use one of knn, svm, mean, mdm, logistic (lr), tangent-svm");
}

}  // namespace
}  // namespace dsk::test

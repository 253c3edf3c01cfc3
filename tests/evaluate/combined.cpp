#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/matrices.hpp>
#include <dsk/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate/base_kernels.hpp"
#include "evaluate/choose.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Dataset overlapping(std::uint64_t seed = 0, Index per_class = 24, Index dim = 6) {
  return wishart_classes({.classes = 3, .per_class = per_class, .dim = dim, .degrees = 14, .tau = 0.6, .seed = seed});
}

SelectionOptions quick() {
  SelectionOptions options;
  options.folds = 3;
  return options;
}

std::map<std::string, double> weights_of(const ChosenMethod& chosen) {
  std::map<std::string, double> weights;
  for (const CombinedKernel::Share& one : chosen.combined->shares()) weights[one.name] = one.weight;
  return weights;
}

TEST(Combined, ChoosesBetweenAlignedWeightsAndTheAverage) {
  const Dataset train = overlapping();
  const ChosenMethod chosen = choose_settings(train, Method::parse("MK:svm"), quick());
  ASSERT_EQ(chosen.candidates.size(), 8u);
  EXPECT_EQ(chosen.candidates.front().accuracy, chosen.validation_accuracy);
  for (const CandidateScore& one : chosen.candidates) EXPECT_LE(one.accuracy, chosen.validation_accuracy);
  double sum = 0;
  for (const auto& [name, weight] : weights_of(chosen)) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  // Both ways were scored on the same folds as alone.
  double best = 0;
  for (const std::string name : {"MK-aligned:svm", "MK-average:svm"})
    best = std::max(best, choose_settings(train, Method::parse(name), quick()).validation_accuracy);
  EXPECT_EQ(chosen.validation_accuracy, best);
}

TEST(Combined, TheAverageWeighsAllKernelsAlike) {
  const auto weights = weights_of(choose_settings(overlapping(), Method::parse("MK-average:svm"), quick()));
  EXPECT_EQ(weights.size(), 39u);
  for (const auto& [name, weight] : weights) EXPECT_DOUBLE_EQ(weight, 1.0 / 39) << name;
  for (const std::string name : {"SK, theta 1 / median", "LEK, 3 components, theta 0.25 / median",
                                 "CHK, 1 component, theta 4 / median", "DSK-CA-a, theta 1 / median"})
    EXPECT_TRUE(weights.contains(name)) << name;
}

TEST(Combined, TheSameBitsForAnyNumberOfThreads) {
  SelectionOptions options = quick();
  options.pairs.threads = 1;
  const ChosenMethod one = choose_settings(overlapping(), Method::parse("MK-aligned:svm"), options);
  options.pairs.threads = 2;
  const ChosenMethod two = choose_settings(overlapping(), Method::parse("MK-aligned:svm"), options);
  EXPECT_EQ(weights_of(one), weights_of(two));
  EXPECT_EQ(one.hits, two.hits);
}

TEST(Combined, UnitsDoNotMatter) {
  const Dataset train = overlapping();
  const Dataset other = times(train, 1e-11);
  const ChosenMethod before = choose_settings(train, Method::parse("MK-aligned:svm"), quick());
  const ChosenMethod after = choose_settings(other, Method::parse("MK-aligned:svm"), quick());
  const auto expected = weights_of(before), found = weights_of(after);
  // A subspace is searched for until the criterion settles, which ends within rounding of the same place.
  for (const auto& [name, weight] : expected)
    EXPECT_NEAR(weight, found.contains(name) ? found.at(name) : 0, 1e-5) << name;
  EXPECT_NEAR(before.validation_accuracy, after.validation_accuracy, 1e-12);
}

/// The average needs no folds; those that aligned weights and C are chosen by follow from the seed and the order.
TEST(Combined, TheAverageDoesNotDependOnTheOrderOfMatrices) {
  const Dataset train = overlapping(), other = reordered(train, 3);
  const auto kernel_of = [&](const Dataset& data) {
    return kernel_matrix(*choose_settings(data, Method::parse("MK-average:svm"), quick()).combined, train.matrices());
  };
  // A subspace is searched for until the criterion settles, which ends within rounding of the same place.
  EXPECT_LE((kernel_of(train) - kernel_of(other)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Combined, PredictionsDependLittleOnTheOrderOfMatrices) {
  const Dataset train = overlapping(0, 40), test = overlapping(1, 100);
  const auto predicted = [&](const Dataset& data) {
    return predict(dsk::train(data, {.method = Method::parse("MK:svm"), .selection = quick()}), test.matrices())
        .labels.codes();
  };
  const std::vector<int> expected = predicted(train);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<int> found = predicted(reordered(train, seed));
    Index same = 0;
    for (std::size_t i = 0; i < found.size(); ++i) same += found[i] == expected[i] ? 1 : 0;
    EXPECT_GE(same, 270) << "of 300, order " << seed;
  }
}

/// Other matrices and other classes in the test part.
TEST(Combined, TheTestPartHasNoPartInTheWeights) {
  const Dataset data = overlapping(), poison = overlapping(9);
  std::vector<int> parts(static_cast<std::size_t>(data.size()), -1);
  const std::span<const double> values = data.matrices().values();
  MatrixStack stack{data.size(), data.dim(), {values.begin(), values.end()}};
  std::vector<int> codes = data.labels().codes();
  const auto entries = static_cast<std::ptrdiff_t>(data.dim() * data.dim());
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    parts[i] = 0;
    codes[i] = (codes[i] + 1) % 3;
    const auto at = static_cast<std::ptrdiff_t>(i) * entries;
    std::copy_n(poison.matrices().values().begin() + at, entries, stack.values.begin() + at);
    for (std::ptrdiff_t k = 0; k < entries; ++k) stack.values[static_cast<std::size_t>(at + k)] *= 1000;
  }
  const Dataset poisoned(SpdBatch(std::move(stack)), Labels(data.labels().names(), codes, data.labels().integral()));
  EvaluationOptions options{.methods = {"MK:svm", "MK-aligned:svm"}, .selection = quick(), .keep_kernel = false};
  options.protocol = {.kind = Protocol::Kind::given, .count = 1, .parts = parts};
  const Evaluation clean = evaluate(data, options), other = evaluate(poisoned, options);
  for (std::size_t r = 0; r < clean.results.size(); ++r) {
    ASSERT_FALSE(clean.results[r].kernels.empty());
    ASSERT_EQ(clean.results[r].kernels.size(), other.results[r].kernels.size());
    EXPECT_EQ(clean.results[r].chosen, other.results[r].chosen);
    for (std::size_t k = 0; k < clean.results[r].kernels.size(); ++k) {
      EXPECT_EQ(clean.results[r].kernels[k].name, other.results[r].kernels[k].name);
      EXPECT_EQ(clean.results[r].kernels[k].weight, other.results[r].kernels[k].weight);
    }
  }
}

TEST(Combined, TrainsAModelThatPredicts) {
  const Dataset train_set = overlapping(), test = overlapping(1);
  TrainOptions options{.method = Method::parse("MK:svm"), .selection = quick(), .probabilities = true};
  const Trained trained = train(train_set, options);
  EXPECT_GT(accuracy(predict(trained, test)), 0.5);
  const SvmClassifier& svm = std::get<SvmClassifier>(trained.model.model);
  ASSERT_NE(svm.combined(), nullptr);
  EXPECT_TRUE(svm.has_probabilities());
  EXPECT_SAYS(summary(trained), "chosen: MK-");
  EXPECT_SAYS(summary(trained), "weights of the kernels:");
  EXPECT_EQ(message_of([&] { comparison(trained.model.model); }),
            "a combined kernel compares matrices in several ways");
  Predictor predictor(trained.model.model);
  const std::vector<int> expected = predict(trained, test.matrices()).labels.codes();
  for (Index i = 0; i < test.size(); ++i)
    EXPECT_EQ(predictor(test.matrices()[i]), expected[static_cast<std::size_t>(i)]);
}

TEST(Combined, ValidThetasGiveValidKernels) {
  SelectionOptions options = quick();
  options.theta_range = ThetaRange::valid;
  const ChosenMethod chosen = choose_settings(overlapping(), Method::parse("MK:svm"), options);
  EXPECT_TRUE(chosen.combined->is_valid(6));
}

TEST(Combined, TakesSmallMatrices) {
  for (const Index dim : {1, 2, 3}) {
    const Dataset train = wishart_classes({.per_class = 12, .dim = dim, .degrees = 9, .tau = 1, .seed = 3});
    EXPECT_GT(choose_settings(train, Method::parse("MK:svm"), quick()).validation_accuracy, 0.3) << dim;
  }
}

TEST(Combined, AProjectionToAllComponentsLeavesTheMatricesWhole) {
  SelectionOptions options;
  options.project = Projecting::parse("6");
  options.recentre = Recentring::all;
  for (const detail::Candidate& view : detail::combined_views(6, options)) {
    EXPECT_EQ(view.components, 0);
    EXPECT_TRUE(view.recentred);
  }
  for (const detail::Candidate& view : detail::combined_views(7, options)) {
    EXPECT_EQ(view.components, 6);
    EXPECT_FALSE(view.recentred);
  }
}

TEST(Combined, ReportsHowManyMatricesSettingsAreChosenOn) {
  const Dataset data = wishart_classes({.per_class = 2100, .dim = 1, .degrees = 9, .tau = 1, .seed = 3});
  EXPECT_EQ(data.size(), 4200);
  EXPECT_EQ(detail::to_choose_on(data, {}).size(), 4000);
  EXPECT_EQ(detail::to_choose_on(overlapping(), {}).size(), 72);
  const SelectionOptions given{.given_folds = stratified_folds(data, 2, 0)};
  EXPECT_EQ(detail::to_choose_on(data, given).size(), 4200);
}

/// More new matrices than are compared at a time.
TEST(Combined, AMatrixHasTheSameValuesAmongManyOthers) {
  const Dataset train = overlapping(0, 22, 2);
  const CombinedKernel kernel({{{.metric = Metric::stein}, {{0.8, 0.5}}},
                               {{.metric = Metric::euclidean}, {{0.3, 0}}},
                               {{.metric = Metric::logeuclidean}, {{0.3, 0.5}}}});
  const SvmClassifier machine = train_svm(kernel, train, {.allow_indefinite = true});
  constexpr Index many = 80'000, entries = Index{1} << 22;
  ASSERT_GT(many * machine.support().size(), entries);
  const SpdBatch x = random_spd({.count = many, .dim = 2, .condition = 20, .seed = 1});
  const Matrix all = decision_values(machine, x);
  const std::vector<Index> some{0, many / 2, many - 2, many - 1};
  const Matrix alone = decision_values(machine, x.select(some));
  EXPECT_LE((Matrix(all(some, Eigen::all)) - alone).cwiseAbs().maxCoeff(), tolerance(machine.support().size(), 1));
}

TEST(Combined, RefusesAGivenKernelAndSettingsOfItsOwn) {
  TrainOptions options{.method = Method::parse("MK:svm"), .selection = quick()};
  const auto says = [](const TrainOptions& with) { return message_of([&] { train(overlapping(), with); }); };
  TrainOptions other = options;
  other.kernel = LearnedKernel::plain(6, 1);
  EXPECT_EQ(says(other), "a given kernel cannot be combined with others");
  other = options;
  other.selection.theta = 1;
  EXPECT_EQ(says(other), "theta and zeta of combined kernels are chosen and cannot be given");
  other = options;
  other.selection.zetas = {0.5};
  EXPECT_EQ(says(other), "theta and zeta of combined kernels are chosen and cannot be given");
  const std::string_view wanted = "alpha0 and scale are for a single learned kernel, not for combined ones";
  other = options;
  other.selection.alpha0 = {0.5};
  EXPECT_EQ(says(other), wanted);
  other = options;
  other.selection.scale = Scale::parse("unit");
  EXPECT_EQ(says(other), wanted);
}

TEST(Combined, AnEvaluationRefusesSettingsThatNoneOfItsMethodsHas) {
  const Dataset data = overlapping(0, 10, 3);
  EvaluationOptions options{.methods = {"MK-average:svm", "majority"}, .selection = quick(), .keep_kernel = false};
  options.protocol = random_halves(1);
  const auto says = [&](const auto& change) {
    EvaluationOptions changed = options;
    change(changed);
    return message_of([&] { evaluate(data, changed); });
  };
  const std::string_view wanted = "alpha0 and scale are for a single learned kernel, not for combined ones";
  EXPECT_EQ(says([](EvaluationOptions& with) { with.selection.alpha0 = {0.5}; }), wanted);
  EXPECT_EQ(says([](EvaluationOptions& with) { with.selection.scale = Scale::parse("unit"); }), wanted);
  EXPECT_EQ(says([](EvaluationOptions& with) { with.selection.theta = 1; }),
            "theta and zeta of combined kernels are chosen and cannot be given");
  // A learned kernel beside it has them.
  options.methods = {"MK-average:svm", "DSK-CA-a:svm"};
  options.selection.alpha0 = {0.5};
  EXPECT_NO_THROW(evaluate(data, options));
}

TEST(Combined, RefusesOtherClassifiersAndLadders) {
  EXPECT_EQ(message_of([] { Method::parse("MK:knn"); }), "MK is for an SVM; use MK:svm");
  EXPECT_EQ(Method::parse("MK").full_name(), "MK:svm");
  SelectionOptions options = quick();
  options.project = Projecting::parse("ladder");
  EXPECT_EQ(message_of([&] { choose_settings(overlapping(), Method::parse("MK:svm"), options); }),
            "a ladder of subspaces is for class means; combined kernels have subspaces of their own");
}

TEST(Combined, ResultsFilesKeepTheWeights) {
  const Dataset data = overlapping(0, 10, 3);
  EvaluationOptions options{.methods = {"MK-aligned:svm"}, .selection = quick(), .keep_kernel = false};
  options.protocol = random_halves(2);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "combined_results.json";
  std::filesystem::remove(file);
  const Evaluation evaluation = evaluate(data, options);
  save(evaluation, file);
  const Evaluation loaded = load_evaluation(file, data);
  ASSERT_EQ(loaded.results.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    ASSERT_EQ(loaded.results[r].kernels.size(), evaluation.results[r].kernels.size());
    for (std::size_t k = 0; k < loaded.results[r].kernels.size(); ++k)
      EXPECT_EQ(loaded.results[r].kernels[k].weight, evaluation.results[r].kernels[k].weight);
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace dsk::test

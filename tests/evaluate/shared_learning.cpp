#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "evaluate/choose.hpp"
#include "evaluate/shared_learning.hpp"

namespace dsk::test {
namespace {

Dataset classes(std::uint64_t seed = 0) {
  return wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 12, .tau = 0.5, .seed = seed});
}

TEST(SharedLearning, AreComputedOnceForEachTrainingSet) {
  const Dataset data = classes(), other = classes(1);
  detail::SharedLearning shared;
  std::atomic<int> computed = 0;
  const auto compute = [&] {
    ++computed;
    return Matrix(Matrix::Identity(3, 2));
  };
  const detail::SharedLearning::SubspaceKey key{detail::digest_of(data), Criterion::centred, Metric::stein, 2};
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 8; ++k)
      threads.emplace_back([&] { EXPECT_EQ(shared.subspace(key, compute), Matrix(Matrix::Identity(3, 2))); });
  }
  EXPECT_EQ(computed, 1);
  shared.subspace({detail::digest_of(other), Criterion::centred, Metric::stein, 2}, compute);
  shared.subspace({detail::digest_of(data), Criterion::neighbour, Metric::stein, 2}, compute);
  shared.subspace({detail::digest_of(data), Criterion::centred, Metric::stein, 1}, compute);
  const auto compute_mean = [&] { return Mean{compute()}; };
  shared.mean(detail::digest_of(data), compute_mean);
  EXPECT_EQ(computed, 5);
  const auto failing = []() -> Mean { throw NumericalFailure("no"); };
  EXPECT_THROW(shared.mean(detail::digest_of(other), failing), NumericalFailure);
  shared.mean(detail::digest_of(other), compute_mean);
  EXPECT_EQ(computed, 6) << "nothing is kept of a failure";
}

TEST(SharedLearning, DigestsTellTrainingSetsApart) {
  const Dataset data = classes();
  std::vector<detail::Digest> digests{detail::digest_of(data)};
  const std::span<const double> values = data.matrices().values();
  const auto with = [&](const std::vector<double>& changed) {
    return data.with_matrices(SpdBatch(changed, data.size(), data.dim()));
  };
  EXPECT_EQ(detail::digest_of(with({values.begin(), values.end()})), digests.front());
  // Changes that cancel in a sum or an exclusive or: both mirror images of an entry, and two equal ones.
  for (Index i = 0; i < data.size(); ++i) {
    std::vector<double> changed(values.begin(), values.end());
    const auto entry = static_cast<std::size_t>(9 * i);
    changed[entry + 1] *= -1;
    changed[entry + 3] *= -1;
    changed[entry + 2] *= -1;
    changed[entry + 6] *= -1;
    digests.push_back(detail::digest_of(with(changed)));
  }
  std::vector<Index> order(static_cast<std::size_t>(data.size()));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k ^ 1);
  digests.push_back(detail::digest_of(data.select(order)));
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
}

TEST(SharedLearning, KeysTellOptionsApart) {
  const Dataset data = classes(), other = classes(1);
  const FitOptions options{.penalty = 0.1};
  std::vector<FitOptions> all(18, options);
  all[1].penalty = 0.2;
  all[2].criterion = Criterion::separability;
  all[3].adjustment = Adjustment::coefficient;
  all[4].theta = 2.5;
  all[5].alpha0 = {0.5};
  all[6].scale = {Scale::Kind::unit, 1};
  all[7].tolerance = 1e-2;
  all[8].metric = Metric::logeuclidean;
  all[9].c = 2.5;
  all[10].zeta = 2.5;
  all[11].allow_indefinite = true;
  all[12].components = 2;
  all[13].subspace_iterations = 3;
  all[14].recentre = true;
  all[15].max_iterations = 3;
  all[16].batch = 5;
  all[17].batch_seed = 5;
  std::vector<detail::SharedLearning::KernelKey> keys{detail::SharedLearning::key_of(other, options)};
  for (const FitOptions& one : all) keys.push_back(detail::SharedLearning::key_of(data, one));
  EXPECT_EQ(detail::SharedLearning::key_of(data, FitOptions{.penalty = 0.1, .pairs = {.threads = 2}}), keys[1])
      << "where pairs are computed does not matter";
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(SharedLearning, DigestsTellGroupsApart) {
  const Dataset data = classes();
  std::vector<std::string> names(static_cast<std::size_t>(data.size()), "one");
  names.back() = "two";
  const Dataset grouped(data.matrices(), data.labels(), Labels(names));
  names.front() = "two";
  EXPECT_NE(detail::digest_of(grouped), detail::digest_of(data));
  EXPECT_NE(detail::digest_of(grouped), detail::digest_of(Dataset(data.matrices(), data.labels(), Labels(names))));
}

TEST(SharedLearning, PlainSettingsAreChosenOnceForTheSameOptions) {
  const Dataset data = classes();
  const Method plain = Method::parse("SK:svm");
  const SelectionOptions options;
  std::vector<SelectionOptions> all(13, options);
  all[1].folds = 3;
  all[2].seed = 7;
  all[3].neighbours = {2};
  all[4].svm_cs = {2};
  all[5].relative_thetas = {2};
  all[6].zetas = {0.3};
  all[7].theta = 2.5;
  all[8].theta_range = ThetaRange::any;
  all[9].svm.margin = SoftMargin::squared;
  all[10].svm.balanced = true;
  all[11].svm.class_weights = {1, 2, 3};
  // Folds that were given have no name: those settings are chosen each time.
  all[12].given_folds = {{{0, 10, 20}, {1, 11, 21}}};
  detail::SharedLearning shared;
  int chosen = 0;
  const auto choose = [&] {
    ChosenMethod one;
    one.theta = ++chosen;
    return one;
  };
  for (const SelectionOptions& one : all) shared.plain_settings(data, plain, one, choose);
  EXPECT_EQ(chosen, 13);
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_EQ(shared.plain_settings(data, plain, all[k], choose).theta, static_cast<double>(k + 1));
  EXPECT_EQ(chosen, 13);
  shared.plain_settings(data, Method::parse("SK:knn"), options, choose);
  shared.plain_settings(data, Method::parse("LEK:svm"), options, choose);
  shared.plain_settings(classes(1), plain, options, choose);
  shared.plain_settings(data, plain, all[12], choose);
  EXPECT_EQ(chosen, 17);
  SelectionOptions of_learning = options;
  of_learning.learn_on = 5;
  of_learning.relative_penalties = {0.1};
  shared.plain_settings(data, plain, of_learning, choose);
  EXPECT_EQ(chosen, 17) << "what concerns learned kernels alone makes no difference";
}

TEST(SharedLearning, WhatIsSharedIsWhatEachMethodLearns) {
  const Dataset data = classes();
  SelectionOptions options;
  options.folds = 3;
  detail::SharedLearning shared;
  for (const char* const name :
       {"SK:svm", "DSK-KA-p:knn", "DSK-KA-p:svm", "DSK-KA-p-printed:knn", "DSK-KA-c:knn", "DSK-RM-p-printed:svm",
        "DSK-RM-c-printed:svm", "DSK-RM-p:svm", "DSK-RM-c:svm", "DSK-CA-a:svm", "DSK-auto:knn", "DSK-auto:svm",
        "LEK:svm", "DLEK-CA-a:svm", "DPEK-CA-a:svm"}) {
    const Method method = Method::parse(name);
    const ChosenMethod alone = choose_settings(data, method, options),
                       together = detail::choose(data, method, options, &shared);
    EXPECT_EQ(together.method.full_name(), alone.method.full_name());
    EXPECT_EQ(together.penalty, alone.penalty) << name;
    EXPECT_EQ(together.theta, alone.theta) << name;
    EXPECT_EQ(together.neighbours_or_c, alone.neighbours_or_c) << name;
    EXPECT_EQ(together.hits, alone.hits) << name;
    ASSERT_EQ(together.comparison.learned.has_value(), alone.comparison.learned.has_value()) << name;
    if (!alone.comparison.learned) continue;
    EXPECT_EQ(together.comparison.learned->adjustment().alpha, alone.comparison.learned->adjustment().alpha) << name;
    EXPECT_EQ(together.comparison.learned->theta(), alone.comparison.learned->theta()) << name;
  }
}

/// In any order, on several threads.
TEST(SharedLearning, LeavesTheResultsOfAnEvaluationAsTheyAre) {
  const Dataset data = classes();
  EvaluationOptions options;
  options.protocol = {.kind = Protocol::Kind::halves, .count = 2};
  options.selection.folds = 3;
  options.keep_kernel = false;
  options.methods = Method::parse_list("DSK-RM-p:svm,SK:svm,DSK-KA-p:svm,DSK-RM-p-printed:svm,SK:knn,DSK-KA-p:knn");
  options.threads = 3;
  const Evaluation together = evaluate(data, options);
  for (const Method& method : options.methods) {
    EvaluationOptions alone = options;
    alone.methods = {method};
    alone.threads = 1;
    for (const SplitResult& expected : evaluate(data, alone).results) {
      const auto found = std::find_if(together.results.begin(), together.results.end(), [&](const SplitResult& one) {
        return one.method == expected.method && one.split == expected.split;
      });
      ASSERT_NE(found, together.results.end());
      EXPECT_EQ(found->predicted, expected.predicted) << expected.method;
      EXPECT_EQ(found->penalty, expected.penalty) << expected.method;
      EXPECT_EQ(found->theta, expected.theta) << expected.method;
    }
  }
}

}  // namespace
}  // namespace dsk::test

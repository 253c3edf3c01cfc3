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

TEST(SharedLearning, KernelsOfFoldsAreThoseThatEachMethodLearns) {
  const Dataset data = classes();
  SelectionOptions options;
  options.folds = 3;
  detail::SharedLearning shared;
  for (const char* const name : {"DSK-KA-p:knn", "DSK-KA-p:svm", "DSK-KA-p-printed:knn"}) {
    const Method method = Method::parse(name);
    const ChosenMethod alone = choose_settings(data, method, options),
                       together = detail::choose(data, method, options, &shared);
    EXPECT_EQ(together.penalty, alone.penalty) << name;
    EXPECT_EQ(together.validation_accuracy, alone.validation_accuracy) << name;
    EXPECT_EQ(together.comparison.learned->adjustment().alpha, alone.comparison.learned->adjustment().alpha) << name;
  }
}

}  // namespace
}  // namespace dsk::test

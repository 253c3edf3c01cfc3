#include <dsk/evaluate.hpp>
#include <dsk/train.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "evaluate/candidate.hpp"
#include "learn/learn.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

/// Covariances of noise of which two channels tell two classes apart. The others have another power in each matrix,
/// which hides the difference while they take part.
Dataset made_channels(Index per_class, Index dim, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  constexpr Index samples = 60;
  std::vector<double> values;
  std::vector<long long> labels;
  for (Index i = 0; i < 2 * per_class; ++i) {
    labels.push_back(i % 2);
    Matrix signal = Matrix::NullaryExpr(samples, dim, [&] { return normal(random); });
    signal.col(i % 2) *= 1.8;
    for (Index c = 2; c < dim; ++c) signal.col(c) *= std::exp(normal(random));
    const Matrix x = signal.transpose() * signal / static_cast<double>(samples);
    values.insert(values.end(), x.data(), x.data() + x.size());
  }
  return Dataset(SpdBatch(values, 2 * per_class, dim), Labels(labels));
}

TEST(LearnSubspace, OfAGivenSizeIsTheLearners) {
  const Dataset data = made_classes({.sizes = {9, 8}, .dim = 4, .seed = 1});
  const SubspaceOptions options{.criterion = Criterion::alignment, .max_iterations = 5};
  const Subspace found = learn_subspace(data, {.subspace = options, .components = 2});
  const Subspace wanted = SubspaceLearner(data, options).learn(2);
  EXPECT_EQ(found.projection.w, wanted.projection.w);
  EXPECT_EQ(found.theta, wanted.theta);
}

TEST(LearnSubspace, ChoosesFewComponentsWhereFewDiffer) {
  const Dataset data = made_channels(15, 12, 3);
  const Index chosen = learn_subspace(data).projection.result_dim();
  EXPECT_LT(chosen, data.dim());
  const std::vector<Index> sizes = detail::subspace_ladder(data.dim());
  EXPECT_NE(std::find(sizes.begin(), sizes.end(), chosen), sizes.end()) << chosen;
  EXPECT_EQ(learn_subspace(data, {.subspace = {.max_iterations = 0}}).fit.iterations, 0);
  EXPECT_EQ(learn_subspace(made_classes({.sizes = {5, 5}, .dim = 1})).projection.result_dim(), 1);
}

TEST(LearnSubspace, IsChosenOnTheGivenFolds) {
  const Dataset data = made_channels(8, 4, 5);
  std::vector<int> totals;
  const auto count = [&](int, int total) {
    totals.push_back(total);
    return true;
  };
  const std::vector<Split> folds = stratified_folds(data, 4, 9);
  learn_subspace(data, {.given_folds = {folds[0], folds[1]}, .on_fold = count});
  EXPECT_EQ(totals, (std::vector<int>{2, 2}));
  EXPECT_SAYS(message_of([&] { learn_subspace(data, {.given_folds = {{{0, 1, 2, 3}, {99}}}}); }), "index 99");
  EXPECT_THROW(learn_subspace(data, {.on_fold = [](int, int) { return false; }}), Cancelled);
}

TEST(LearnSubspace, RefusesWhatCannotLearnOne) {
  const Dataset data = made_classes({.sizes = {9, 8}, .dim = 4});
  EXPECT_SAYS(message_of([&] { learn_subspace(data, {.subspace = {.criterion = Criterion::radius_margin}}); }),
              "subspace");
  EXPECT_NE(message_of([&] { learn_subspace(data, {.components = 9}); }), "");
}

}  // namespace
}  // namespace dsk::test

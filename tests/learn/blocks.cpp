#include "learn/blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "learn/learn.hpp"
#include "support/learn_cases.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

constexpr Criterion in_blocks[] = {Criterion::alignment, Criterion::separability, Criterion::centred,
                                   Criterion::neighbour};

TEST(RandomBlocks, HoldEveryMatrixOnceAndClassesInProportion) {
  const Dataset data = made_classes({.sizes = {60, 30, 10}});
  detail::RandomBlocks blocks(data.labels(), 20, 7);
  blocks.draw(5);
  std::set<Index> seen;
  for (Index b = 0; b < 5; ++b) {
    ASSERT_EQ(std::ssize(blocks[b]), 20);
    seen.insert(blocks[b].begin(), blocks[b].end());
    for (const Index half : {0, 10}) {
      std::vector<Index> counts(3, 0);
      for (const Index i : blocks[b].subspan(static_cast<std::size_t>(half), 10))
        ++counts[static_cast<std::size_t>(data.labels()[i])];
      EXPECT_NEAR(static_cast<double>(counts[0]), 6, 1);
      EXPECT_NEAR(static_cast<double>(counts[1]), 3, 1);
      EXPECT_NEAR(static_cast<double>(counts[2]), 1, 1);
    }
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(RandomBlocks, FollowFromTheSeed) {
  const Dataset data = made_classes({.sizes = {40, 30}});
  const auto drawn = [&](std::uint64_t seed, const Labels& labels) {
    detail::RandomBlocks blocks(labels, 30, seed);
    blocks.draw(7);
    std::vector<Index> all;
    for (Index b = 0; b < 7; ++b) all.insert(all.end(), blocks[b].begin(), blocks[b].end());
    return all;
  };
  const std::vector<Index> first = drawn(1, data.labels());
  EXPECT_EQ(drawn(1, data.labels()), first);
  EXPECT_NE(drawn(2, data.labels()), first);
  EXPECT_EQ(std::set(first.begin(), first.begin() + 60).size(), 60u);
  std::vector<std::string> renamed;
  for (const int code : data.labels().codes()) renamed.emplace_back(code == 0 ? "z" : "a");
  EXPECT_EQ(drawn(1, Labels(renamed)), first) << "names of classes must not matter";
}

detail::SearchMaker unadjusted(Index dim) {
  return [dim](const SpdBatch& x) {
    auto search = std::make_unique<detail::EigenvalueSearch>(x, 1);
    search->set_first(EigenvalueAdjustment::none(dim));
    return search;
  };
}

/// What the block estimates: J less the extrapolation factor times the mean J of the halves less J, from dense kernel
/// matrices in long double.
TEST(BlockLearner, EstimatesAsTheOracleDoes) {
  const Dataset data = made_classes({.sizes = {50, 40}, .dim = 3});
  const std::vector<double> thetas{1, 5}, cs{0};
  const Index size = 30, blocks = 9;
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    detail::BlockLearner learner(
        {.criterion = detail::row_of(criterion), .train = data, .size = size, .seed = 3, .pairs = {.threads = 1}});
    const Matrix found = learner.values(unadjusted(3), thetas, cs);
    detail::RandomBlocks drawn(data.labels(), size, 3);
    drawn.draw(blocks);
    for (std::size_t t = 0; t < thetas.size(); ++t) {
      const auto value_of = [&](std::span<const Index> indices) {
        const OracleSet set(data.select(indices));
        return set.criteria(criterion, set.kernel(OracleAdjustment::of(EigenvalueAdjustment::none(3)), thetas[t]), 0)
            .value;
      };
      Real sum = 0;
      for (Index b = 0; b < blocks; ++b) {
        const Real halves = (value_of(drawn[b].first(15)) + value_of(drawn[b].last(15))) / 2,
                   whole = value_of(drawn[b]);
        sum += whole - (1 - Real{30} / 90) * (halves - whole);
      }
      const auto expected = static_cast<double>(sum / blocks);
      const KernelRounding rounding{.dim = 3, .condition = 1e4, .theta = thetas[t]};
      EXPECT_NEAR(found(static_cast<Index>(t), 0), expected, rounding.tolerance(std::abs(expected)));
    }
  }
}

TEST(BlockLearner, WithAllMatricesInOneBlockHasTheValueOfAllPairs) {
  const Dataset data = made_classes({.sizes = {30, 25, 20}, .dim = 4});
  const std::vector<double> thetas{0.5, 3, 20}, cs{0};
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    detail::BlockLearner learner({.criterion = detail::row_of(criterion), .train = data, .size = data.size()});
    const Matrix found = learner.values(unadjusted(4), thetas, cs);
    const Matrix whole = CriterionFunction(criterion, data).plain_values(thetas, cs);
    for (Index t = 0; t < found.rows(); ++t)
      EXPECT_NEAR(found(t, 0), whole(t, 0), 1e-12 * std::max(1.0, std::abs(whole(t, 0))));
    EXPECT_EQ(fit_kernel(data, {.criterion = criterion, .batch = data.size()}).fit.history,
              fit_kernel(data, {.criterion = criterion}).fit.history);
  }
}

/// Overlapping classes whose variances differ from direction to direction.
Dataset many(Index per_class, Index classes) {
  return made_classes({.sizes = std::vector<Index>(static_cast<std::size_t>(classes), per_class), .dim = 4, .seed = 5});
}

FitOptions block_options(Criterion criterion, Index batch) {
  FitOptions options{.criterion = criterion, .adjustment = Adjustment::affine, .penalty = 0.01};
  options.batch = batch;
  return options;
}

/// The objective of all pairs.
double objective(const CriterionFunction& function, const LearnedKernel& kernel, double penalty) {
  const EigenvalueAdjustment& found = kernel.adjustment();
  return function(kernel).value - penalty * ((found.alpha.array() - 1).square().sum() + found.beta.squaredNorm());
}

TEST(LearningInBlocks, AgreesWithAllPairsWithinItsStandardError) {
  const Dataset data = many(400, 2);
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    const CriterionFunction function(criterion, data);
    FitOptions options = block_options(criterion, 0);
    const LearnResult whole = fit_kernel(data, options);
    const double best = objective(function, whole.kernel, options.penalty);
    options.batch = 150;
    const LearnResult found = fit_kernel(data, options);
    ASSERT_TRUE(found.fit.blocks);
    EXPECT_EQ(found.fit.blocks->size, 150);
    EXPECT_EQ(found.fit.stop, Fit::Stop::converged);
    const double error = found.fit.blocks->standard_error;
    EXPECT_LT(error, 0.04) << "says nothing";
    EXPECT_NEAR(found.fit.criterion, function(found.kernel).value, 2.5 * error);
    EXPECT_LT(best - objective(function, found.kernel, options.penalty), error);
  }
}

TEST(LearningInBlocks, StatesAnErrorThatCovers) {
  const Dataset data = many(300, 3);
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    FitOptions options = block_options(criterion, 150);
    options.penalty = std::numeric_limits<double>::infinity();
    options.theta = 1.5;
    const double whole =
        fit_kernel(data, {.criterion = criterion, .theta = 1.5, .penalty = options.penalty}).fit.criterion;
    int covered = 0;
    double squares = 0;
    constexpr int seeds = 20;
    for (options.batch_seed = 0; options.batch_seed < seeds; ++options.batch_seed) {
      const Fit fit = fit_kernel(data, options).fit;
      const double errors = (fit.criterion - whole) / fit.blocks->standard_error;
      covered += std::abs(errors) < 2 ? 1 : 0;
      squares += errors * errors;
    }
    EXPECT_GE(covered, 18);
    EXPECT_GT(squares / seeds, 0.05) << "errors are overstated";
  }
}

TEST(LearningInBlocks, HasTheSameBitsForAnyThreadsAndFollowsFromTheSeed) {
  const Dataset data = many(200, 2);
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    FitOptions options = block_options(criterion, 100);
    options.pairs.threads = 1;
    const LearnResult one = fit_kernel(data, options);
    options.pairs.threads = 3;
    const LearnResult three = fit_kernel(data, options);
    EXPECT_EQ(one.kernel.adjustment().alpha, three.kernel.adjustment().alpha);
    EXPECT_EQ(one.fit.history, three.fit.history);
    EXPECT_EQ(one.fit.criterion, three.fit.criterion);
    EXPECT_EQ(one.fit.blocks->standard_error, three.fit.blocks->standard_error);
    options.batch_seed = 1;
    EXPECT_NE(fit_kernel(data, options).fit.criterion, one.fit.criterion);
  }
}

TEST(LearningInBlocks, WorksForEveryAdjustmentMetricAndWeights) {
  const Dataset data = many(100, 2);
  std::vector<double> weights;
  for (Index i = 0; i < data.size(); ++i) weights.push_back(1 + static_cast<double>(i % 2));
  const Dataset weighted(data.matrices(), data.labels(), {}, weights);
  for (const Metric metric : {Metric::stein, Metric::logeuclidean, Metric::powereuclidean, Metric::cholesky})
    for (const Adjustment adjustment : all_adjustments()) {
      SCOPED_TRACE(testing::Message() << name(metric) << ", " << name(adjustment));
      FitOptions options{.metric = metric, .criterion = Criterion::centred, .adjustment = adjustment, .penalty = 0.01};
      options.scale = {Scale::Kind::unit, 1};
      options.alpha0 = {1.1};
      for (const Dataset& train : {data, weighted}) {
        options.batch = 0;
        const double whole = fit_kernel(train, options).fit.criterion;
        options.batch = 80;
        const Fit fit = fit_kernel(train, options).fit;
        EXPECT_GT(fit.history.back(), fit.history.front());
        EXPECT_NEAR(fit.criterion, whole, 4 * fit.blocks->standard_error);
      }
    }
}

/// The blocks follow from the seed and the number of matrices, and are the same ones in other units.
TEST(LearningInBlocks, UnitsDoNotMatterBeyondRounding) {
  const Dataset data = many(100, 2);
  for (const Metric metric : {Metric::stein, Metric::logeuclidean})
    for (const Criterion criterion : in_blocks)
      for (const double factor : {1e-11, 1e3}) {
        SCOPED_TRACE(testing::Message() << name(metric) << ", " << name(criterion) << ", times " << factor);
        FitOptions options = block_options(criterion, 80);
        options.metric = metric;
        options.max_iterations = 10;
        const Dataset other = times(data, factor);
        const LearnResult expected = fit_kernel(data, options), found = fit_kernel(other, options);
        EXPECT_NEAR(found.fit.criterion, expected.fit.criterion, 1e-7);
        EXPECT_NEAR(found.fit.blocks->standard_error, expected.fit.blocks->standard_error, 1e-7);
        EXPECT_LE((kernel_matrix(found.kernel, other.matrices()) - kernel_matrix(expected.kernel, data.matrices()))
                      .cwiseAbs()
                      .maxCoeff(),
                  1e-6);
      }
}

/// Another order has other matrices in its blocks.
TEST(LearningInBlocks, OrderMattersAsMuchAsTheStandardErrorSays) {
  const Dataset data = many(300, 2);
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    const FitOptions options = block_options(criterion, 150);
    const Fit expected = fit_kernel(data, options).fit;
    for (const std::uint64_t seed : {1U, 2U}) {
      const Fit found = fit_kernel(reordered(data, seed), options).fit;
      EXPECT_NE(found.criterion, expected.criterion);
      EXPECT_NEAR(found.criterion, expected.criterion,
                  3 * std::hypot(found.blocks->standard_error, expected.blocks->standard_error));
    }
  }
}

TEST(LearningInBlocks, ComesAfterRecentring) {
  const Dataset data = many(150, 2);
  FitOptions options = block_options(Criterion::centred, 0);
  options.recentre = true;
  const LearnResult whole = fit_kernel(data, options);
  options.batch = 100;
  const LearnResult found = fit_kernel(data, options);
  EXPECT_EQ(found.kernel.before().parameters(), whole.kernel.before().parameters());
  EXPECT_NEAR(found.fit.criterion, whole.fit.criterion, 3 * found.fit.blocks->standard_error);
}

TEST(LearningInBlocks, LearnsSubspaces) {
  const Dataset data = made_classes({.sizes = {120, 120}, .dim = 6, .seed = 2});
  for (const Criterion criterion : in_blocks) {
    SCOPED_TRACE(name(criterion));
    SubspaceOptions options{.criterion = criterion};
    const SubspaceLearner whole(data, options);
    options.batch = 90;
    const SubspaceLearner blocks(data, options);
    EXPECT_LT((blocks.start(3).w - whole.start(3).w).cwiseAbs().maxCoeff(), 1e-10);
    const Subspace expected = whole.learn(3), found = blocks.learn(3);
    EXPECT_NEAR(found.fit.criterion, expected.fit.criterion, 4 * found.fit.blocks->standard_error);
    EXPECT_GT(found.fit.history.back(), found.fit.history.front());
    FitOptions fitting = block_options(criterion, 90);
    fitting.components = 3;
    EXPECT_EQ(fit_kernel(data, fitting).kernel.result_dim(), 3);
  }
}

TEST(LearningInBlocks, StopsWhereAskedTo) {
  const Dataset data = many(100, 2);
  FitOptions options = block_options(Criterion::centred, 80);
  options.on_iteration = [](const Fit::Iteration& iteration) { return iteration.number < 2; };
  const Fit cancelled = fit_kernel(data, options).fit;
  EXPECT_EQ(cancelled.stop, Fit::Stop::cancelled);
  EXPECT_EQ(cancelled.iterations, 2);
  options.on_iteration = {};
  options.max_iterations = 0;
  const LearnResult none = fit_kernel(data, options);
  EXPECT_TRUE(none.kernel.adjustment().is_none());
  EXPECT_EQ(none.fit.stop, Fit::Stop::iteration_limit);
  EXPECT_EQ(none.fit.history.size(), 1u);
}

TEST(LearningInBlocks, RefusesWhatCannotBe) {
  const Dataset data = many(100, 2);
  const auto refusal = [&](const FitOptions& options) { return message_of([&] { fit_kernel(data, options); }); };
  EXPECT_THAT(refusal(block_options(Criterion::centred, -1)), HasSubstr("batch -1"));
  EXPECT_THAT(refusal(block_options(Criterion::centred, 1)), HasSubstr("use 24 or more"));
  EXPECT_THAT(refusal(block_options(Criterion::radius_margin, 50)), HasSubstr("radius-margin"));
  FitOptions on_device = block_options(Criterion::centred, 50);
  on_device.pairs.device = Device::cuda;
  EXPECT_THAT(refusal(on_device), HasSubstr("cannot be used for learning from random blocks"));
  EXPECT_FALSE(fit_kernel(data, block_options(Criterion::centred, 500)).fit.blocks);
}

}  // namespace
}  // namespace dsk::test

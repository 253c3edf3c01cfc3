#include <dsk/metric.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "machine/lapack.hpp"
#include "support/assorted_matrices.hpp"
#include "support/message.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

StackView unchecked(const MatrixStack& stack) {
  return {stack.values, stack.count, stack.dim, stack.dim};
}

MatrixStack matrices(const RandomSpd& options) {
  const SpdBatch batch = random_spd(options);
  return {options.count, options.dim, {batch.values().begin(), batch.values().end()}};
}

SpdBatch batch_of(const MatrixStack& stack, Metric metric) {
  return {stack.values, stack.count, stack.dim, 1, required_check(metric)};
}

std::vector<std::uint64_t> bits_of(const Matrix& values) {
  return bits({values.data(), static_cast<std::size_t>(values.size())});
}

/// What is computed, to the bit, or what is said instead.
struct Outcome {
  std::vector<std::uint64_t> values;
  std::string message;
  bool operator==(const Outcome&) const = default;
};

template <class Compute>
Outcome outcome_of(const Compute& compute) {
  Outcome outcome;
  outcome.message = message_of([&] { outcome.values = bits_of(compute()); });
  return outcome;
}

void expect_distances_of_batches(const MatrixStack& x, const MatrixStack& y) {
  for (const Metric metric : all_metrics())
    for (const bool squared : {false, true}) {
      SCOPED_TRACE(std::string(name(metric)) + " at " + std::to_string(x.dim));
      const DistanceOptions options{.metric = metric, .squared = squared, .pairs = {.threads = 1}};
      const SpdBatch rows = batch_of(x, metric), columns = batch_of(y, metric);
      const Outcome own = outcome_of([&] { return pairwise_distances(rows, options); });
      EXPECT_EQ(outcome_of([&] { return pairwise_distances(unchecked(x), options); }), own);
      EXPECT_EQ(outcome_of([&] { return pairwise_distances(unchecked(x), unchecked(y), options); }),
                outcome_of([&] { return pairwise_distances(rows, columns, options); }));
      DistanceOptions many = options;
      many.pairs.threads = 3;
      EXPECT_EQ(outcome_of([&] { return pairwise_distances(unchecked(x), many); }), own);
    }
}

// 45 is the first size whose rows are long, 32 the first of LAPACK's factors, 64 the last that is inverted in lanes.
TEST(ArrayDistances, DistancesAreThoseOfBatchesToTheBit) {
  for (const Index dim : {1, 2, 3, 8, 31, 32, 33, 44, 45, 46, 64, 65, 101})
    expect_distances_of_batches(matrices({.count = 5, .dim = dim, .condition = 1e6, .seed = 1}),
                                matrices({.count = 3, .dim = dim, .condition = 1e3, .seed = 2}));
}

/// From these sizes on, the factors of the checks serve for pairs. Matrices that the check is not sure of are left to
/// batches.
TEST(ArrayDistances, DistancesOfLargeMatricesAreThoseOfBatchesToTheBit) {
  const detail::lapack::Crossover from = detail::lapack::crossover();
  if (from.stein == 0) GTEST_SKIP() << "built without LAPACK";
  for (const Metric metric : {Metric::stein, Metric::airm, Metric::thompson, Metric::wasserstein})
    for (const Index beside : {-1, 0, 1})
      for (const double condition : {1e1, 1e6, 1e12}) {
        const Index dim = (metric == Metric::stein ? from.stein : from.spectrum) + beside;
        MatrixStack x = matrices({.count = 3, .dim = dim, .condition = condition, .scale = 1e-8, .seed = 1});
        const MatrixStack y = matrices({.count = 2, .dim = dim, .condition = 1e2, .scale = 1e8, .seed = 2});
        const auto entries = static_cast<std::size_t>(dim * dim);
        std::copy_n(x.values.begin(), entries, x.values.begin() + static_cast<std::ptrdiff_t>(2 * entries));
        const SpdBatch rows = batch_of(x, metric), columns = batch_of(y, metric);
        DistanceOptions options{.metric = metric, .pairs = {.threads = 1}};
        const Matrix expected = pairwise_distances(rows, options), across = pairwise_distances(rows, columns, options);
        for (const int threads : {1, 3}) {
          options.pairs.threads = threads;
          const Matrix found = pairwise_distances(unchecked(x), options);
          EXPECT_EQ(bits_of(found), bits_of(expected)) << name(metric) << " " << dim << " " << condition;
          EXPECT_EQ(found(0, 2), 0);
          EXPECT_EQ(bits_of(pairwise_distances(unchecked(x), unchecked(y), options)), bits_of(across));
        }
      }
}

TEST(ArrayDistances, SaysTheSameOfBadLargeMatrices) {
  const Index dim = std::max<Index>(2, detail::lapack::crossover().stein);
  const MatrixStack good = matrices({.count = 3, .dim = dim, .condition = 10, .seed = 1});
  const std::size_t second = static_cast<std::size_t>(dim * dim);
  std::vector<MatrixStack> faulty(5, good);
  faulty[0].values[second + 1] = std::numeric_limits<double>::quiet_NaN();
  faulty[1].values[second + 1] += 1;
  faulty[2].values[second] = -1;
  faulty[3].values[second] = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < static_cast<std::size_t>(dim); ++k)
    faulty[4].values[second + k] = faulty[4].values[second + k * static_cast<std::size_t>(dim)] = 0;
  for (const Metric metric : {Metric::stein, Metric::airm, Metric::thompson, Metric::wasserstein})
    for (const MatrixStack& bad : faulty) {
      const std::string expected = message_of([&] { batch_of(bad, metric); });
      EXPECT_SAYS(expected, "matrix 1");
      const DistanceOptions options{.metric = metric};
      EXPECT_EQ(message_of([&] { pairwise_distances(unchecked(bad), options); }), expected);
      EXPECT_EQ(message_of([&] { pairwise_distances(unchecked(good), unchecked(bad), options); }), expected);
    }
}

TEST(ArrayDistances, DistancesOfEuclideanMatricesAreTheSameOnEveryTarget) {
  for (const Index count : {1, 2, 16, 17}) {
    const MatrixStack x = matrices({.count = count, .dim = 48, .condition = 10, .seed = 8});
    on_every_target([&] {
      const DistanceOptions options{.metric = Metric::euclidean};
      EXPECT_EQ(bits_of(pairwise_distances(unchecked(x), options)),
                bits_of(pairwise_distances(batch_of(x, Metric::euclidean), options)));
    });
  }
}

TEST(ArrayDistances, DistancesOfIllConditionedMatricesInAnyUnits) {
  for (const double scale : {1e-300, 1e-150, 1e150, 1e300})
    expect_distances_of_batches(matrices({.count = 3, .dim = 46, .condition = 1e4, .scale = scale, .seed = 1}),
                                matrices({.count = 2, .dim = 46, .condition = 1e4, .scale = scale, .seed = 2}));
}

TEST(ArrayDistances, NearlySymmetricMatricesAreMadeSymmetric) {
  for (const Index dim : {3, 20, 46}) {
    MatrixStack x = matrices({.count = 4, .dim = dim, .condition = 10, .seed = 1});
    for (std::size_t k = 0; k < x.values.size(); k += 3) x.values[k] += 1e-12 * static_cast<double>(k % 7);
    expect_distances_of_batches(x, matrices({.count = 2, .dim = dim, .condition = 10, .seed = 2}));
  }
}

TEST(ArrayDistances, SaysTheSameOfBadMatrices) {
  for (const Index dim : {2, 46}) {
    const MatrixStack good = matrices({.count = 4, .dim = dim, .condition = 10, .seed = 1});
    const std::size_t third = static_cast<std::size_t>(2 * dim * dim);
    std::vector<MatrixStack> faulty(4, good);
    faulty[0].values[third + 1] = std::numeric_limits<double>::quiet_NaN();
    faulty[1].values[third + 1] += 1;
    faulty[2].values[third] = -1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(dim); ++k)
      faulty[3].values[third + k] = faulty[3].values[third + k * static_cast<std::size_t>(dim)] = 0;
    for (const Metric metric : all_metrics())
      for (const MatrixStack& bad : faulty) {
        const DistanceOptions options{.metric = metric};
        const std::string expected = message_of([&] { pairwise_distances(batch_of(bad, metric), options); });
        EXPECT_EQ(message_of([&] { pairwise_distances(unchecked(bad), options); }), expected);
        EXPECT_EQ(message_of([&] { pairwise_distances(unchecked(good), unchecked(bad), options); }), expected);
        EXPECT_EQ(message_of([&] { pairwise_distances(unchecked(bad), unchecked(good), options); }), expected);
        if (metric != Metric::euclidean) {
          EXPECT_SAYS(expected, "matrix 2");
        }
      }
  }
}

TEST(ArrayDistances, RefusesWrongShapes) {
  const MatrixStack x = matrices({.count = 2, .dim = 3}), y = matrices({.count = 2, .dim = 4});
  for (const Metric metric : {Metric::cholesky, Metric::euclidean, Metric::stein}) {
    const DistanceOptions options{.metric = metric};
    EXPECT_SAYS(message_of([&] { pairwise_distances(unchecked(x), unchecked(y), options); }), "4 x 4");
    EXPECT_SAYS(message_of([&] { pairwise_distances(StackView{x.values, 3, 3, 3}, options); }), "18 values");
    EXPECT_SAYS(message_of([&] { pairwise_distances(StackView{x.values, 1, 2, 9}, options); }), "2 x 9 are not square");
    EXPECT_SAYS(message_of([&] { pairwise_distances(StackView{}, options); }), "at least 1 matrix");
  }
}

}  // namespace
}  // namespace dsk::test

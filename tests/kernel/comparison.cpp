#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include "kernel/kernel.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

TEST(Comparison, IsTheMetricsSquaredDistance) {
  const SpdBatch x = random_spd({.count = 7, .dim = 4, .seed = 1}), y = random_spd({.count = 5, .dim = 4, .seed = 2});
  for (const Metric metric : {Metric::airm, Metric::cholesky, Metric::euclidean, Metric::logeuclidean,
                              Metric::powereuclidean, Metric::stein}) {
    const Comparison comparison{.metric = metric, .zeta = 0.3};
    const DistanceOptions options{.metric = metric, .squared = true, .zeta = 0.3};
    EXPECT_EQ(pairwise_squared_distances(comparison, x), pairwise_distances(x, options)) << name(metric);
    EXPECT_EQ(pairwise_squared_distances(comparison, x, y), pairwise_distances(x, y, options)) << name(metric);
    const ComparedBatch compared(comparison, x);
    EXPECT_EQ(compared.size(), 7);
    EXPECT_EQ(pairwise_squared_distances(compared.slice(2, 3), ComparedBatch(comparison, y)),
              pairwise_distances(x, y, options).middleRows(2, 3))
        << name(metric);
    EXPECT_NE(compared.matrices() == nullptr, compared.coordinates() == nullptr);
  }
}

TEST(Comparison, OfALearnedKernelIsTheDivergenceOfAdjustedMatrices) {
  const SpdBatch x = random_spd({.count = 7, .dim = 4, .seed = 1}), y = random_spd({.count = 5, .dim = 4, .seed = 2});
  const LearnedKernel kernel = some_kernel(4);
  EXPECT_EQ(pairwise_squared_distances(Comparison{.learned = kernel}, x), pairwise_divergences(kernel, x));
  EXPECT_EQ(pairwise_squared_distances(Comparison{.learned = kernel}, x, y), pairwise_divergences(kernel, x, y));
}

TEST(Comparison, RefusesWhatDoesNotFit) {
  const SpdBatch x = random_spd({.count = 3, .dim = 4}), y = random_spd({.count = 3, .dim = 3});
  const auto says = [](const Comparison& comparison, const SpdBatch& a, const SpdBatch& b) {
    return message_of([&] { pairwise_squared_distances(comparison, a, b); });
  };
  EXPECT_NE(says({}, x, y), "");
  EXPECT_NE(says({.learned = some_kernel(3)}, x, x), "");
  EXPECT_EQ(says({.metric = Metric::airm, .learned = some_kernel(4)}, x, x),
            "the learned kernel compares by stein, not by airm");
  const ComparedBatch stein({}, x), euclidean({.metric = Metric::euclidean}, x);
  EXPECT_NE(message_of([&] { pairwise_squared_distances(stein, euclidean); }), "");
  for (const auto& [first, count] : {std::pair(-1, 2), {0, 0}, {2, 2}, {0, 4}})
    EXPECT_NE(message_of([&, f = first, c = count] { stein.slice(f, c); }), "");
}

}  // namespace
}  // namespace dsk::test

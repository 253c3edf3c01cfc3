#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "support/learn_cases.hpp"
#include "support/made_signals.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// Half integers up to (d-1)/2 and 400 values above, as far as the kernel changes.
std::vector<double> fine_grid(Index dim) {
  std::vector<double> thetas;
  const double bound = static_cast<double>(dim - 1) / 2;
  for (double theta = 0.5; theta <= bound; theta += 0.5) thetas.push_back(theta);
  const double first = std::max(bound, 1e-3) * (1 + 1e-6), last = 1e5;
  for (int k = 0; k <= 400; ++k) thetas.push_back(first * std::pow(last / first, k / 400.0));
  return thetas;
}

TEST(BestPlainKernel, IsAsGoodAsAFineGridOfThetas) {
  for (const Index dim : {1, 2, 3, 5, 16, 43})
    for (const std::vector<Index>& sizes : {std::vector<Index>{12, 8}, {8, 6, 5, 4, 1}})
      for (const std::uint64_t seed : {0U, 1U}) {
        const Dataset data = made_classes({.sizes = sizes, .dim = dim, .seed = seed});
        for (const Criterion criterion : all_criteria()) {
          SCOPED_TRACE(testing::Message()
                       << name(criterion) << ", d = " << dim << ", " << sizes.size() << " classes, seed " << seed);
          const CriterionFunction function(criterion, data);
          const bool soft = has_soft_margin(criterion);
          const double c = soft ? 5 : 0;
          const PlainKernel found =
              best_plain_kernel(data, {.criterion = criterion, .c = soft ? std::optional(c) : std::nullopt});
          EXPECT_TRUE(is_valid_theta(Metric::stein, found.theta, dim)) << found.theta;
          EXPECT_NEAR(function.plain_values({&found.theta, 1}, {&c, 1})(0, 0), found.value,
                      tolerance(dim, 1e3, std::abs(found.value)));
          const Matrix values = function.plain_values(fine_grid(dim), {&c, 1});
          const double best = is_maximised(criterion) ? values.maxCoeff() : values.minCoeff();
          const double loss = is_maximised(criterion) ? best - found.value : found.value - best;
          EXPECT_LE(loss, 1e-3 * std::abs(best)) << "theta " << found.theta << " gives " << found.value;
        }
      }
}

TEST(BestPlainKernel, IsAsGoodAsAGridOfThetasAndCs) {
  const std::vector<double> cs{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
  for (const Index dim : {1, 3, 5, 16})
    // With several class pairs, a sum that is too large is not completed.
    for (const std::vector<Index>& sizes : {std::vector<Index>{10, 7}, {8, 6, 5, 4, 1}}) {
      const Dataset data = made_classes({.sizes = sizes, .dim = dim, .seed = static_cast<std::uint64_t>(dim % 3)});
      for (const Criterion criterion : {Criterion::radius_margin, Criterion::trace_margin}) {
        const PlainKernel found = best_plain_kernel(data, {.criterion = criterion});
        EXPECT_TRUE(is_valid_theta(Metric::stein, found.theta, dim));
        const CriterionFunction function(criterion, data);
        EXPECT_NEAR(function.plain_values({&found.theta, 1}, {&found.c, 1})(0, 0), found.value,
                    tolerance(dim, 1e3, std::abs(found.value)));
        const double best = function.plain_values(fine_grid(dim), cs).minCoeff();
        EXPECT_LE(found.value - best, 1e-3 * best) << name(criterion) << ", d = " << dim << ", theta " << found.theta
                                                   << ", C " << found.c << " gives " << found.value;
      }
    }
}

TEST(BestPlainKernel, KeepsWhatIsGiven) {
  const Dataset data = made_classes({.dim = 4});
  const PlainKernel found = best_plain_kernel(data, {.criterion = Criterion::trace_margin, .theta = 2.25, .c = 12});
  EXPECT_EQ(found.theta, 2.25);
  EXPECT_EQ(found.c, 12);
  EXPECT_EQ(best_plain_kernel(data, {.theta = 0.5}).theta, 0.5);
  EXPECT_EQ(best_plain_kernel(data).c, 0);
}

TEST(BestPlainKernel, SearchesAllThetasWhereAskedTo) {
  // For every valid theta the kernel matrix of 30 channels is nearly the identity.
  const Dataset data = made_signals({.per_class = 12, .dim = 30, .samples = 34, .gain = 2.5});
  for (const Criterion criterion : {Criterion::centred, Criterion::neighbour, Criterion::alignment}) {
    const PlainKernel valid = best_plain_kernel(data, {.criterion = criterion});
    const PlainKernel any = best_plain_kernel(data, {.criterion = criterion, .search_all_thetas = true});
    EXPECT_GE(valid.theta, 0.5);
    EXPECT_GE(any.value, valid.value) << name(criterion);
    const Matrix values = CriterionFunction(criterion, data).plain_values(fine_grid(1), std::vector<double>{0});
    EXPECT_GE(any.value, values.maxCoeff() - 0.011 * std::abs(values.maxCoeff())) << name(criterion);
    if (criterion == Criterion::centred) {
      EXPECT_LT(any.theta, 0.5);
    }
    EXPECT_EQ(any.theta<0.5, any.value> valid.value) << name(criterion);
  }
  // A valid theta that is nearly as good as any is kept.
  const Dataset small = made_classes({.sizes = {12, 8}, .dim = 3});
  const PlainKernel kept = best_plain_kernel(small, {.criterion = Criterion::centred, .search_all_thetas = true});
  EXPECT_EQ(kept.theta, best_plain_kernel(small, {.criterion = Criterion::centred}).theta);
  EXPECT_EQ(best_plain_kernel(data, {.theta = 1.5, .search_all_thetas = true}).theta, 1.5);
}

TEST(BestPlainKernel, FindsLargeThetas) {
  const Dataset wide = made_classes({.sizes = {10, 10}, .dim = 2});
  MatrixStack near{wide.size(), 2, {}};
  for (Index i = 0; i < wide.size(); ++i)
    for (Index r = 0; r < 2; ++r)
      for (Index c = 0; c < 2; ++c) near.values.push_back((r == c ? 1 : 0) + 1e-3 * wide.matrices()[i](r, c));
  const Dataset data(SpdBatch(std::move(near)), wide.labels());
  const PlainKernel found = best_plain_kernel(data);
  EXPECT_GT(found.theta, 1e3);
}

}  // namespace
}  // namespace dsk::test

#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spd/spd.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

TEST(RandomSpd, HasTheRequestedConditionAndScale) {
  for (const Index dim : {2, 5, 43})
    for (const double condition : {1.0, 10.0, 1e6}) {
      const Matrix values =
          eigen_decompose(random_spd({.count = 3, .dim = dim, .condition = condition, .scale = 5})).values;
      for (Index i = 0; i < 3; ++i) {
        EXPECT_NEAR(values(i, 0), 5, tolerance(dim, 1, 5));
        EXPECT_NEAR(values(i, 0) / values(i, dim - 1) / condition, 1, tolerance(dim, condition));
      }
    }
}

TEST(RandomSpd, DependsOnlyOnTheSeed) {
  const auto draw = [](std::uint64_t seed) { return random_spd({.count = 2, .dim = 4, .seed = seed}); };
  EXPECT_EQ(draw(1)[1], draw(1)[1]);
  EXPECT_NE(draw(1)[1], draw(2)[1]);
  EXPECT_NE(draw(1)[0], draw(1)[1]);
}

TEST(RandomSpd, RejectsInvalidOptions) {
  EXPECT_THAT(message_of([] { random_spd({.count = 0}); }), HasSubstr("count 0"));
  EXPECT_THAT(message_of([] { random_spd({.dim = 0}); }), HasSubstr("dim 0"));
  EXPECT_THAT(message_of([] { random_spd({.condition = 0.5}); }), HasSubstr("condition 0.5"));
  EXPECT_THAT(message_of([] { random_spd({.scale = -1}); }), HasSubstr("scale -1"));
}

TEST(WishartClasses, HaveTheExpectedMeans) {
  const WishartClasses options{.classes = 3, .per_class = 2000, .dim = 4, .degrees = 50, .tau = 0.5, .seed = 3};
  const Dataset data = wishart_classes(options);
  ASSERT_EQ(data.size(), 6000);
  for (Index c = 0; c < 3; ++c) {
    Matrix mean = Matrix::Zero(4, 4);
    for (Index i = 0; i < 2000; ++i) {
      EXPECT_EQ(data.labels()[c * 2000 + i], c);
      mean += data.matrices()[c * 2000 + i] / 2000;
    }
    const double variance = 1 + 0.5 * static_cast<double>(c);
    // Five standard errors of the diagonal, whose entries vary by variance sqrt(2 / degrees).
    const double error = 5 * variance * std::sqrt(2.0 / 50 / 2000);
    EXPECT_LT((mean - variance * Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), error) << c;
  }
}

TEST(WishartClasses, HaveTheExpectedVariances) {
  const Dataset data = wishart_classes({.classes = 1, .per_class = 20000, .dim = 3, .degrees = 3, .seed = 5});
  double diagonal = 0, outside = 0;
  for (Index i = 0; i < data.size(); ++i) {
    diagonal += std::pow(data.matrices()[i](2, 2) - 1, 2) / 20000;
    outside += std::pow(data.matrices()[i](2, 1), 2) / 20000;
  }
  EXPECT_NEAR(diagonal, 2.0 / 3, 0.06);
  EXPECT_NEAR(outside, 1.0 / 3, 0.03);
}

TEST(WishartClasses, DependOnlyOnTheSeed) {
  const auto draw = [](std::uint64_t seed) { return wishart_classes({.per_class = 3, .seed = seed}).matrices(); };
  EXPECT_EQ(draw(1)[4], draw(1)[4]);
  EXPECT_NE(draw(1)[4], draw(2)[4]);
}

TEST(WishartClasses, RejectInvalidOptions) {
  EXPECT_THAT(message_of([] { wishart_classes({.dim = 5, .degrees = 4}); }),
              HasSubstr("degrees 4 must be at least dim, 5"));
  EXPECT_THAT(message_of([] { wishart_classes({.classes = 0}); }), HasSubstr("classes 0"));
  EXPECT_THAT(message_of([] { wishart_classes({.classes = 3, .tau = -1}); }), HasSubstr("tau -1"));
}

}  // namespace
}  // namespace dsk::test

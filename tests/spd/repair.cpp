#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Covariance of fewer samples than channels, times `scale`.
MatrixStack rank_deficient(double scale) {
  const Eigen::MatrixXd data = Eigen::MatrixXd::Random(8, 5);
  Matrix x = data * data.transpose();
  x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
  x *= scale;
  return {1, 8, std::vector<double>(x.data(), x.data() + x.size())};
}

TEST(Repair, RepairsRankDeficiencyInAnyUnits) {
  for (const double scale : {1e-300, 1e-12, 1.0, 1e12, 1e150})
    for (const char* how : {"ridge", "shrink", "clip", "ridge:1e-3", "shrink:0.5", "clip:0.01"}) {
      const SpdBatch repaired = repair(rank_deficient(scale), Repair::parse(how));
      EXPECT_EQ(repaired[0], repaired[0].transpose()) << how;
    }
}

TEST(Repair, FollowsItsFormula) {
  const MatrixStack x{1, 2, {3, 1, 1, 1}};
  const SpdBatch ridge = repair(x, {Repair::Kind::ridge, 0.5, true});
  EXPECT_EQ(ridge[0](0, 0), 4);
  EXPECT_EQ(ridge[0](0, 1), 1);
  const SpdBatch shrink = repair(x, {Repair::Kind::shrink, 0.5, true});
  EXPECT_EQ(shrink[0](0, 0), 2.5);
  EXPECT_EQ(shrink[0](0, 1), 0.5);
  const SpdBatch clip = repair({1, 2, {4, 0, 0, 1}}, {Repair::Kind::clip, 0.5, true});
  EXPECT_NEAR(clip[0](0, 0), 4, tolerance(2, 1, 4));
  EXPECT_NEAR(clip[0](1, 1), 2, tolerance(2, 1, 4));
}

TEST(Repair, ClipDoesNotChangeGoodMatrices) {
  const SpdBatch x = random_spd({.count = 3, .dim = 5});
  const SpdBatch repaired = repair({3, 5, {x.values().begin(), x.values().end()}}, {Repair::Kind::clip, 1e-3});
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(repaired[i], x[i]);
}

TEST(Repair, ClipRepairsIndefiniteMatrices) {
  EXPECT_NO_THROW(repair({1, 2, {1, 2, 2, 1}}, {Repair::Kind::clip, 1e-6}));
}

TEST(Repair, NoneOnlyChecks) {
  EXPECT_NO_THROW(repair({1, 1, {2}}, {}));
  EXPECT_THAT(message_of([] { repair({1, 1, {0}}, {}); }), HasSubstr("all zeros"));
}

TEST(Repair, RejectsWhatCannotBeRepaired) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Repair ridge{Repair::Kind::ridge, 1e-6};
  EXPECT_THAT(message_of([&] { repair({2, 1, {1, nan}}, ridge); }), AllOf(HasSubstr("matrix 1"), HasSubstr("NaN")));
  EXPECT_THAT(message_of([&] { repair({1, 2, {1, 1, 0, 1}}, ridge); }), HasSubstr("not symmetric"));
  EXPECT_THAT(message_of([&] {
                repair({1, 2, {0, 0, 0, 0}}, ridge);
              }),
              AllOf(HasSubstr("after repair ridge:1e-06"), HasSubstr("all zeros")));
  EXPECT_THAT(message_of([&] { repair({1, 2, {1, 2, 2, 1}}, ridge); }), HasSubstr("indefinite"));
}

TEST(Repair, ParsesNamesAndAmounts) {
  EXPECT_EQ(Repair::parse("none").kind, Repair::Kind::none);
  EXPECT_EQ(Repair::parse("shrink").amount, 0.01);
  EXPECT_EQ(Repair::parse("ridge").amount, 1e-6);
  EXPECT_EQ(Repair::parse("clip").amount, 1e-10);
  EXPECT_EQ(Repair::parse("clip:1e-3").kind, Repair::Kind::clip);
  EXPECT_EQ(Repair::parse("clip:1e-3").amount, 1e-3);
  for (const char* bad : {"", "clop", "ridge:", "ridge:x", "ridge:1x", "none:1", "ridge:nan", "ridge:inf", "shrink:1.5",
                          "clip:0", "ridge:-1", "Ridge"})
    EXPECT_FALSE(message_of([&] { Repair::parse(bad); }).empty()) << bad;
  EXPECT_THAT(message_of([] { Repair::parse("clop"); }), HasSubstr("none, shrink, ridge or clip"));
  EXPECT_THAT(message_of([] { Repair::parse("shrink:1.5"); }), AllOf(HasSubstr("1.5"), HasSubstr("at most 1")));
}

TEST(Repair, ChangesOnlyWhatNeedsItUnlessAllIsAskedFor) {
  const MatrixStack two{2, 2, {4, 1, 1, 2, 1, 1, 1, 1}};
  for (const char* how : {"ridge:0.1", "shrink:0.1", "clip:0.1"}) {
    Repair::Summary needed, all;
    Repair every = Repair::parse(how);
    EXPECT_EQ(repair(two, every, 1, &needed)[0], two[0]) << how;
    EXPECT_EQ(needed.matrices, 2);
    EXPECT_EQ(needed.changed, 1);
    every.every_matrix = true;
    const SpdBatch changed = repair(two, every, 1, &all);
    const bool clip = every.kind == Repair::Kind::clip;
    EXPECT_EQ(changed[0] == two[0], clip) << how << ": eigenvalues above the limit are not clipped";
    EXPECT_EQ(all.changed, clip ? 1 : 2);
    const double change = (changed[1] - two[1]).norm() / two[1].norm();
    EXPECT_NEAR(needed.largest_change, change, 1e-15);
    EXPECT_GE(all.largest_change, change * (1 - 1e-15));
  }
}

TEST(Repair, MeasuresChangesInAnyUnits) {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    Repair::Summary summary;
    repair({1, 2, {scale, scale, scale, scale}}, Repair::parse("ridge:0.1"), 1, &summary);
    EXPECT_NEAR(summary.largest_change, 0.1 * std::sqrt(2) / 2, 1e-15) << scale;
  }
}

}  // namespace
}  // namespace dsk::test

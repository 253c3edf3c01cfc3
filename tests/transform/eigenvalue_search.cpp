#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/adjustment_cases.hpp"
#include "support/made_classes.hpp"
#include "support/tolerance.hpp"
#include "transform/transform.hpp"

namespace dsk::test {
namespace {

using detail::EigenvalueSearch;

EigenvalueSearch search_of(Index dim, const EigenvalueAdjustment& plain) {
  EigenvalueSearch search(made_classes({.dim = dim}).matrices(), 1);
  search.set_first(plain);
  return search;
}

/// A point near the start, every entry moved differently.
Eigen::VectorXd moved_point(const EigenvalueSearch& search) {
  Eigen::VectorXd point = search.start();
  for (Index k = 0; k < point.size(); ++k) point[k] += 0.3 * std::sin(1.0 + static_cast<double>(k));
  return point;
}

TEST(EigenvalueSearch, StartsWithoutAdjustment) {
  for (const Adjustment kind : all_adjustments()) {
    const EigenvalueSearch search = search_of(3, EigenvalueAdjustment::none(3, kind));
    const Eigen::VectorXd start = search.start();
    EXPECT_EQ(start.size(), kind == Adjustment::affine ? 6 : 3);
    EXPECT_TRUE(search.at(start).is_identity());
    Eigen::VectorXd unused = Eigen::VectorXd::Zero(start.size());
    EXPECT_EQ(search.penalty(start, 1, unused), 0);
  }
}

TEST(EigenvalueSearch, KeepsKindCentreAndScale) {
  for (const Adjustment kind : all_adjustments()) {
    const EigenvalueAdjustment plain = uneven_adjustment(3, kind, 7);
    const EigenvalueSearch search = search_of(3, plain);
    const EigenvalueAdjustment found = search.adjustment(moved_point(search));
    EXPECT_NO_THROW(found.check());
    EXPECT_EQ(found.kind, kind);
    EXPECT_EQ(found.centre, plain.centre);
    EXPECT_EQ(found.scale, 7);
  }
}

TEST(EigenvalueSearch, PenaltyIsTheSquaredDistanceFromNoAdjustment) {
  for (const Adjustment kind : all_adjustments()) {
    const EigenvalueSearch search = search_of(4, EigenvalueAdjustment::none(4, kind));
    const Eigen::VectorXd point = moved_point(search);
    const EigenvalueAdjustment here = search.adjustment(point);
    Eigen::VectorXd gradient = Eigen::VectorXd::Constant(point.size(), 5);
    const double expected = (here.alpha.array() - 1).square().sum() + here.beta.squaredNorm();
    EXPECT_NEAR(search.penalty(point, 3, gradient), expected, tolerance(4, 1));

    constexpr double step = 1e-3;  // a difference of five values is off by step^4 and by rounding over step
    for (Index k = 0; k < point.size(); ++k) {
      const auto at = [&](double by) {
        Eigen::VectorXd there = point, unused = Eigen::VectorXd::Zero(point.size());
        there[k] += by;
        return search.penalty(there, 0, unused);
      };
      const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      EXPECT_NEAR(gradient[k], 5 + 3 * slope, tolerance(4, 1 / step)) << name(kind) << ", entry " << k;
    }
  }
}

/// The forms u'Au of a search agree with pulling whole matrices dJ/dZ_i = -theta (A_i - r_i Z_i^-1) back.
TEST(EigenvalueSearch, PullsBackWhatTheTransformPullsBack) {
  const double theta = 0.7;
  for (const Adjustment kind : all_adjustments()) {
    const SpdBatch x = made_classes({.dim = 4, .seed = 5}).matrices();
    EigenvalueSearch search(x, 1);
    search.set_first(uneven_adjustment(4, kind, 2));
    const Eigen::VectorXd point = moved_point(search);
    PairSums forms = search.sweep({.threads = 1});
    search.apply(point, forms);
    Matrix weights = Matrix::Random(x.size(), x.size());
    weights = (weights + weights.transpose()).eval();
    weights.diagonal().setZero();
    const Eigen::VectorXd found = search.pull_back(forms.weighted_inverses(weights), theta);

    const Transform transform = search.at(point);
    const SpdBatch z = transform.apply(x);
    const WeightedInverses whole = PairSums(z).weighted_inverses(weights);
    MatrixStack by_result = whole.sums;
    for (Index i = 0; i < z.size(); ++i)
      Eigen::Map<Matrix>(by_result.values.data() + i * 16, 4, 4) =
          -theta * (whole.sums[i] - whole.weight_sums[i] * Matrix(Matrix(z[i]).inverse()));
    Eigen::VectorXd expected = transform.pull_back(x, by_result);
    if (kind == Adjustment::coefficient)
      expected.array() *= search.adjustment(point).alpha.array();  // by its logarithm
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance(4, 1e3, expected.cwiseAbs().maxCoeff()))
        << name(kind);
  }
}

}  // namespace
}  // namespace dsk::test

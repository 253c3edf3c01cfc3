#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spd/spd.hpp"
#include "support/message.hpp"
#include "support/oracle_eigen.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double zeta = 0.5;

Real square(Real value) {
  return value * value;
}

OracleMatrix log_diagonal_of(OracleMatrix lower) {
  for (long k = 0; k < lower.dim(); ++k) lower(k, k) = std::log(lower(k, k));
  return lower;
}

std::vector<Metric> symmetric_metrics() {
  std::vector<Metric> result;
  for (const Metric metric : all_metrics())
    if (is_symmetric(metric)) result.push_back(metric);
  return result;
}

bool is_kullback(Metric metric) {
  return metric == Metric::kullback || metric == Metric::kullback_right || metric == Metric::kullback_sym;
}

Real squared_oracle(Metric metric, const MatrixView& a, const MatrixView& b) {
  const OracleMatrix x = OracleMatrix::of(a), y = OracleMatrix::of(b);
  const auto log = [](Real value) { return std::log(value); };
  const auto power = [](Real value) { return std::pow(value, Real{zeta}) / zeta; };
  switch (metric) {
    case Metric::airm:
      return airm_squared(x, y);
    case Metric::cholesky:
      return squared_frobenius(cholesky(x), cholesky(y));
    case Metric::euclidean:
      return squared_frobenius(x, y);
    case Metric::harmonic:
      return squared_frobenius(inverse(x), inverse(y));
    case Metric::kullback:
      return square(kullback_oracle(x, y));
    case Metric::kullback_right:
      return square(kullback_oracle(y, x));
    case Metric::kullback_sym:
      return square(kullback_oracle(x, y) + kullback_oracle(y, x));
    case Metric::logcholesky:
      return squared_frobenius(log_diagonal_of(cholesky(x)), log_diagonal_of(cholesky(y)));
    case Metric::logeuclidean:
      return squared_frobenius(apply(x, log), apply(y, log));
    case Metric::powereuclidean:
      return squared_frobenius(apply(x, power), apply(y, power));
    case Metric::stein:
      return stein(x, y);
    case Metric::thompson:
      return square(thompson_oracle(x, y));
    case Metric::wasserstein:
      return wasserstein_squared(x, y);
  }
  return -1;
}

Matrix squared(Metric metric, const SpdBatch& x) {
  return pairwise_distances(x, {.metric = metric, .squared = true, .zeta = zeta});
}

TEST(PairwiseDistance, AgreesWithTheOracle) {
  for (const Index dim : {1, 2, 3, 4, 5, 7, 16, 43, 100})
    for (const double condition : {1.0, 1e2, 1e6, 1e12}) {
      const Index count = dim > 50 ? 2 : 3;
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 7});
      for (const Metric metric : all_metrics()) {
        const Matrix found = squared(metric, x);
        for (Index i = 0; i < count; ++i)
          for (Index j = 0; j < count; ++j) {
            if (i == j || (j > i && is_symmetric(metric))) continue;
            const auto expected = static_cast<double>(squared_oracle(metric, x[i], x[j]));
            EXPECT_NEAR(found(i, j), expected, tolerance(dim, condition, expected))
                << name(metric) << " dim " << dim << " condition " << condition;
          }
      }
    }
}

TEST(PairwiseDistance, IsTheRootOfTheSquaredDistance) {
  const SpdBatch x = random_spd({.count = 5, .dim = 4});
  for (const Metric metric : all_metrics()) {
    const Matrix distances = pairwise_distances(x, {.metric = metric}), roots = squared(metric, x).cwiseSqrt();
    EXPECT_TRUE(distances.isApprox(roots, 1e-15)) << name(metric);
  }
}

TEST(PairwiseDistance, IsSymmetricToTheBitWithZeroDiagonal) {
  for (const Index dim : {1, 2, 5, 17})
    for (const Metric metric : symmetric_metrics()) {
      const Matrix found =
          pairwise_distances(random_spd({.count = 21, .dim = dim, .condition = 1e4}), {.metric = metric});
      EXPECT_EQ(found, found.transpose()) << name(metric);
      EXPECT_TRUE(found.diagonal().isZero(0)) << name(metric);
      EXPECT_GE(found.minCoeff(), 0) << name(metric);
    }
}

TEST(PairwiseDistance, IsZeroForDuplicates) {
  const SpdBatch few = random_spd({.count = 3, .dim = 6, .condition = 1e10});
  const SpdBatch x = few.select(std::vector<Index>{0, 1, 2, 1});
  for (const Metric metric : all_metrics()) {
    EXPECT_EQ(pairwise_distances(x, {.metric = metric})(1, 3), 0) << name(metric);
    EXPECT_EQ(pairwise_distances(x, few, {.metric = metric})(3, 1), 0) << name(metric);
  }
}

TEST(PairwiseDistance, ObeysTheTriangleInequality) {
  const SpdBatch x = random_spd({.count = 12, .dim = 5, .condition = 100});
  for (const Metric metric : all_metrics()) {
    if (is_kullback(metric)) continue;
    const Matrix found = pairwise_distances(x, {.metric = metric});
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 12; ++j)
        for (Index k = 0; k < 12; ++k)
          EXPECT_LE(found(i, j), found(i, k) + found(k, j) + tolerance(5, 100)) << name(metric);
  }
}

TEST(PairwiseDistance, AcrossBatchesAgreesWithinOne) {
  for (const Index dim : {1, 3, 16}) {
    const SpdBatch x = random_spd({.count = 11, .dim = dim, .condition = 1e3});
    const SpdBatch y = x.select(std::vector<Index>{4, 0, 9});
    for (const Metric metric : all_metrics()) {
      const Matrix whole = squared(metric, x);
      const Matrix cross = pairwise_distances(x, y, {.metric = metric, .squared = true, .zeta = zeta});
      ASSERT_EQ(cross.rows(), 11);
      ASSERT_EQ(cross.cols(), 3);
      for (Index i = 0; i < 11; ++i)
        for (const auto& [j, k] : {std::pair<Index, Index>{0, 4}, {1, 0}, {2, 9}})
          EXPECT_NEAR(cross(i, j), whole(i, k), tolerance(dim, 1e3, whole(i, k))) << name(metric);
    }
  }
}

TEST(PairwiseDistance, OfKullbackGoesOneWay) {
  for (const Index dim : {1, 4, 17}) {
    const SpdBatch x = random_spd({.count = 6, .dim = dim, .condition = 1e3}), y = random_spd({.count = 4, .dim = dim});
    const Matrix there = pairwise_distances(x, {.metric = Metric::kullback});
    EXPECT_EQ(there.transpose(), pairwise_distances(x, {.metric = Metric::kullback_right}));
    EXPECT_EQ(there + there.transpose(), pairwise_distances(x, {.metric = Metric::kullback_sym}));
    EXPECT_TRUE(there.diagonal().isZero(0));
    EXPECT_GE(there.minCoeff(), 0);
    EXPECT_EQ(there, pairwise_distances(x, x, {.metric = Metric::kullback}));
    const Matrix across = pairwise_distances(x, y, {.metric = Metric::kullback});
    EXPECT_EQ(across.transpose(), pairwise_distances(y, x, {.metric = Metric::kullback_right}));
    EXPECT_EQ(across + pairwise_distances(y, x, {.metric = Metric::kullback}).transpose(),
              pairwise_distances(x, y, {.metric = Metric::kullback_sym}));
  }
}

TEST(PairwiseDistance, IsInvariantUnderInversionWhereItShouldBe) {
  const SpdBatch x = random_spd({.count = 4, .dim = 6, .condition = 1e3});
  const EigenBatch eigen = eigen_decompose(x);
  const SpdBatch inverses(recompose(eigen.values.cwiseInverse(), eigen.vectors));
  for (const Metric metric :
       {Metric::airm, Metric::kullback_sym, Metric::logeuclidean, Metric::stein, Metric::thompson}) {
    const Matrix before = pairwise_distances(x, {.metric = metric});
    EXPECT_LT((before - pairwise_distances(inverses, {.metric = metric})).cwiseAbs().maxCoeff(),
              tolerance(6, 1e3, before.maxCoeff()))
        << name(metric);
  }
  EXPECT_LT((pairwise_distances(x, {.metric = Metric::kullback}) -
             pairwise_distances(inverses, {.metric = Metric::kullback_right}))
                .cwiseAbs()
                .maxCoeff(),
            tolerance(6, 1e3, 1e3));
}

TEST(PairwiseDistance, OfCongruencesIsInvariant) {
  for (const double condition : {1e1, 1e4}) {
    const SpdBatch x = random_spd({.count = 4, .dim = 7, .condition = condition});
    const Matrix mix = Matrix::Random(7, 7) + 3 * Matrix::Identity(7, 7);
    MatrixStack mixed{4, 7, {}};
    for (Index i = 0; i < 4; ++i) {
      const Matrix y = mix * x[i] * mix.transpose();
      mixed.values.insert(mixed.values.end(), y.data(), y.data() + y.size());
    }
    const SpdBatch y(std::move(mixed));
    for (const Metric metric : {Metric::airm, Metric::kullback, Metric::kullback_sym, Metric::stein, Metric::thompson})
      EXPECT_LT((squared(metric, x) - squared(metric, y)).cwiseAbs().maxCoeff(), tolerance(7, condition, 1e4))
          << name(metric);
  }
}

TEST(PairwiseDistance, WorksInAnyUnits) {
  const SpdBatch x = random_spd({.count = 4, .dim = 6, .condition = 100});
  for (const Metric metric : all_metrics()) {
    const Matrix expected = pairwise_distances(x, {.metric = metric});
    for (const double scale : {0x1p-990, 0x1p-40, 0x1p40, 0x1p498}) {
      MatrixStack scaled{4, 6, {x.values().begin(), x.values().end()}};
      for (double& value : scaled.values) value *= scale;
      Matrix found = pairwise_distances(SpdBatch(std::move(scaled)), {.metric = metric});
      if (metric == Metric::euclidean) found /= scale;
      if (metric == Metric::harmonic) found *= scale;
      if (metric == Metric::cholesky || metric == Metric::powereuclidean || metric == Metric::wasserstein)
        found /= std::sqrt(scale);
      const double magnitude = std::max(metric == Metric::logeuclidean ? 1000 : 1.0, expected.maxCoeff());
      if (metric == Metric::logcholesky) continue;  // the part below the diagonal grows, the diagonal's does not
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance(6, 100, magnitude)) << name(metric) << scale;
    }
  }
}

TEST(PairwiseDistance, OfAirmComparesUnitsFarApart) {
  const SpdBatch x(std::vector<double>{1e-300, 0, 0, 1e-300, 1e150, 0, 0, 1e150}, 2, 2);
  EXPECT_NEAR(pairwise_distances(x, {.metric = Metric::airm})(0, 1), 450 * std::log(10.0) * std::sqrt(2.0), 1e-9);
  const SpdBatch graded(std::vector<double>{1e-200, 1e-101, 1e-101, 1, 3e-200, 0, 0, 2}, 2, 2);
  const auto expected = static_cast<double>(airm_squared(OracleMatrix::of(graded[0]), OracleMatrix::of(graded[1])));
  EXPECT_NEAR(squared(Metric::airm, graded)(0, 1), expected, tolerance(2, 10, expected));
}

TEST(PairwiseDistance, OfAirmHandlesBlocksAndRepeatedEigenvalues) {
  MatrixStack stack{4, 6, std::vector<double>(4 * 36)};
  const auto entry = [&](Index i, Index r, Index c) -> double& {
    return stack.values[static_cast<std::size_t>(i * 36 + r * 6 + c)];
  };
  for (Index k = 0; k < 6; ++k) {
    entry(0, k, k) = 1;
    entry(1, k, k) = 4;
    entry(2, k, k) = static_cast<double>(k + 1);
    entry(3, k, k) = k < 3 ? 0.01 : 3;
  }
  // The blocks' eigenvalues are out of order and close together in one of them.
  entry(3, 4, 5) = entry(3, 5, 4) = 0.001;
  entry(3, 0, 1) = entry(3, 1, 0) = 0.005;
  const SpdBatch x(std::move(stack));
  const Matrix found = squared(Metric::airm, x);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < i; ++j) {
      const auto expected = static_cast<double>(squared_oracle(Metric::airm, x[i], x[j]));
      EXPECT_NEAR(found(i, j), expected, tolerance(6, 10, expected)) << i << " " << j;
    }
}

TEST(PairwiseDistance, DoesNotDependOnThreads) {
  for (const Index dim : {5, 20}) {
    const SpdBatch x = random_spd({.count = 150, .dim = dim, .condition = 1e3});
    for (const Metric metric : all_metrics()) {
      const Matrix one = pairwise_distances(x, {.metric = metric, .pairs = {.threads = 1}});
      for (const int threads : {2, 7})
        EXPECT_EQ(one, pairwise_distances(x, {.metric = metric, .pairs = {.threads = threads}})) << name(metric);
    }
  }
}

TEST(PairwiseDistance, RefusesBadInput) {
  const SpdBatch x = random_spd({.dim = 3}), y = random_spd({.dim = 4});
  EXPECT_THAT(message_of([&] { pairwise_distances(x, y); }), AllOf(HasSubstr("3 x 3"), HasSubstr("4 x 4")));
  const DistanceOptions zero{.metric = Metric::powereuclidean, .zeta = 0};
  EXPECT_THAT(message_of([&] { pairwise_distances(x, zero); }), HasSubstr("zeta 0"));
  const SpdBatch huge = random_spd({.scale = 1e200});
  const DistanceOptions square{.metric = Metric::powereuclidean, .zeta = 2};
  EXPECT_THAT(message_of([&] { pairwise_distances(huge, square); }), HasSubstr("matrix 0 leaves the range"));
}

TEST(PairwiseDistance, SquaresAboveTheLargestDoubleAreRefused) {
  const SpdBatch x(std::vector<double>{1, 0, 0, 1, 1e200, 0, 0, 1e200}, 2, 2);
  EXPECT_THAT(message_of([&] { pairwise_distances(x, {.metric = Metric::euclidean, .squared = true}); }),
              HasSubstr("the squared distance of matrices 0 and 1 is above the largest double"));
  EXPECT_THAT(message_of([&] { pairwise_distances(x, x, {.metric = Metric::euclidean, .squared = true}); }),
              HasSubstr("matrices 0 and 1"));
  EXPECT_DOUBLE_EQ(pairwise_distances(x, {.metric = Metric::euclidean})(0, 1), std::sqrt(2.0) * 1e200);
}

TEST(PairwiseDistance, SinglePrecisionHasTheRangeOfDouble) {
  for (const double scale : {0x1p-80, 0x1p80}) {
    const SpdBatch x(std::vector<double>{scale, 0, 0, scale, 3 * scale, 0, 0, 3 * scale}, 2, 2);
    const DistanceOptions options{.metric = Metric::euclidean, .pairs = {.precision = Precision::float32}};
    EXPECT_NEAR(pairwise_distances(x, options)(0, 1) / scale, std::sqrt(8.0), 1e-6) << scale;
  }
}

TEST(ParseMetric, KnowsNamesAndAliases) {
  for (const Metric metric : all_metrics()) EXPECT_EQ(parse_metric(name(metric)), metric);
  EXPECT_EQ(parse_metric("riemann"), Metric::airm);
  EXPECT_EQ(parse_metric("chol"), Metric::cholesky);
  EXPECT_EQ(parse_metric("euclid"), Metric::euclidean);
  EXPECT_EQ(parse_metric("inverse"), Metric::harmonic);
  EXPECT_EQ(parse_metric("kullback"), Metric::kullback);
  EXPECT_EQ(parse_metric("kullback_right"), Metric::kullback_right);
  EXPECT_EQ(parse_metric("kullback_sym"), Metric::kullback_sym);
  EXPECT_EQ(parse_metric("logchol"), Metric::logcholesky);
  EXPECT_EQ(parse_metric("thompson"), Metric::thompson);
  EXPECT_EQ(parse_metric("wasserstein"), Metric::wasserstein);
  EXPECT_EQ(parse_metric("logeuclid"), Metric::logeuclidean);
  EXPECT_EQ(parse_metric("poweuclid"), Metric::powereuclidean);
  EXPECT_EQ(parse_metric("logdet"), Metric::stein);
}

TEST(ParseMetric, NamesTheKnownOnes) {
  const std::string message = message_of([] { parse_metric("euklid"); });
  EXPECT_THAT(message, HasSubstr("'euklid'"));
  for (const Metric metric : all_metrics()) EXPECT_THAT(message, HasSubstr(std::string(name(metric))));
  EXPECT_THAT(message, HasSubstr("riemann"));
}

TEST(Distance, OfOnePairTakesAnyEigenMatrix) {
  const SpdBatch x = random_spd({.count = 2, .dim = 3, .condition = 20, .seed = 3});
  const Eigen::MatrixXd a = x[0], b = x[1];
  const Eigen::Matrix3d fixed_a = a, fixed_b = b;
  Eigen::MatrixXd large = Eigen::MatrixXd::Zero(5, 7);
  large.block(1, 2, 3, 3) = b;
  const Eigen::Map<const Eigen::MatrixXd> map(b.data(), 3, 3);
  const auto expected = static_cast<double>(stein_oracle(x[0], x[1]));
  for (const double found : {dsk::stein(a, b), dsk::stein(fixed_a, fixed_b), dsk::stein(x[0], x[1]), dsk::stein(a, map),
                             dsk::stein(a, large.block(1, 2, 3, 3)), dsk::stein(a, Matrix(b))})
    EXPECT_NEAR(found, expected, tolerance(3, 20));
  for (const Metric metric : all_metrics()) {
    const double squared = static_cast<double>(squared_oracle(metric, x[0], x[1]));
    EXPECT_NEAR(std::pow(distance(fixed_a, large.block(1, 2, 3, 3), metric), 2), squared, tolerance(3, 20, squared));
    EXPECT_NEAR(distance(a, b, {.metric = metric, .squared = true}), squared, tolerance(3, 20, squared));
  }
  EXPECT_EQ(distance(a, b), std::sqrt(dsk::stein(a, b)));
  EXPECT_EQ(distance(a, a, Metric::airm), 0);
}

TEST(Distance, OfOnePairNamesTheBadMatrix) {
  const Eigen::MatrixXd two = Eigen::MatrixXd::Identity(2, 2), three = Eigen::MatrixXd::Identity(3, 3);
  EXPECT_THAT(message_of([&] { dsk::stein(two, -two); }), HasSubstr("the second of two matrices"));
  EXPECT_THAT(message_of([&] { distance(two.topRows(1), two, Metric::airm); }), HasSubstr("the first of two matrices"));
  EXPECT_THAT(message_of([&] { dsk::stein(two, three); }), HasSubstr("3 x 3"));
}

}  // namespace
}  // namespace dsk::test

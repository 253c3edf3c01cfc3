#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <random>

#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "support/learn_cases.hpp"
#include "support/made_classes.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Criterion sums_over_pairs[] = {Criterion::alignment, Criterion::separability, Criterion::centred,
                                         Criterion::neighbour};

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// J of the kernel of W'XW, in long double and by the definitions.
Real oracle_criterion(Criterion criterion, const Dataset& data, const std::vector<Real>& w, long columns, Real theta) {
  const long n = data.size(), dim = data.dim();
  std::vector<OracleMatrix> projected;
  for (long i = 0; i < n; ++i)
    projected.push_back(filled(columns, [&](long a, long b) {
      Real sum = 0;
      for (long r = 0; r < dim; ++r)
        for (long c = 0; c < dim; ++c)
          sum += w[static_cast<std::size_t>(r * columns + a)] * static_cast<Real>(data.matrices()[i](r, c)) *
                 w[static_cast<std::size_t>(c * columns + b)];
      return sum;
    }));
  const OracleMatrix kernel = filled(n, [&](long i, long j) {
    return i == j ? 1
                  : std::exp(-theta *
                             stein(projected[static_cast<std::size_t>(i)], projected[static_cast<std::size_t>(j)]));
  });
  return OracleCriteria(data.labels().codes())(criterion, kernel, 1).value;
}

/// The derivative of a function of one number by central differences of fourth order.
template <class Function>
Real derivative(const Function& f) {
  constexpr Real h = 1e-4L;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(Subspace, GradientMeetsCentralDifferences) {
  for (const Criterion criterion : sums_over_pairs)
    for (const auto& size : {std::pair<Index, Index>{5, 2}, {7, 3}, {4, 1}, {12, 9}, {33, 2}}) {
      const Index dim = size.first, columns = size.second;
      const Dataset data = made_classes({.sizes = {5, 4, 3}, .dim = dim, .seed = 3});
      const Matrix w0 = random_matrix(dim, columns, 4), w = w0 + 0.1 * random_matrix(dim, columns, 5);
      const double theta = 0.7, penalty = 0.02;
      detail::ProjectionSearch search(data.matrices(), w0, 1);
      detail::Composition composition(detail::row_of(criterion), data, search, {.threads = 1});
      // A value of 1 at the start makes the objective's unit 1.
      const detail::Descent descent(composition, search, {.theta = theta, .value = 1, .free_theta = true}, penalty);
      Eigen::VectorXd point(w.size() + 1), gradient;
      point << Eigen::Map<const Eigen::VectorXd>(w.data(), w.size()), std::log(theta);
      const double value = descent(point, gradient);

      const std::vector<Real> at(w.data(), w.data() + w.size());
      const auto objective = [&](const std::vector<Real>& moved, Real log_theta) {
        Real distance = 0;
        for (std::size_t k = 0; k < moved.size(); ++k) {
          const Real step = moved[k] - static_cast<Real>(w0.data()[k]);
          distance += step * step;
        }
        return -oracle_criterion(criterion, data, moved, columns, std::exp(log_theta)) + penalty * distance;
      };
      const Real log_theta = std::log(theta);
      const KernelRounding rounding{columns, 1e3, theta};
      EXPECT_NEAR(value, static_cast<double>(objective(at, log_theta)), rounding.tolerance(std::abs(value)));
      for (Index k = 0; k < w.size(); ++k) {
        const Real wanted = derivative([&](Real step) {
          std::vector<Real> moved = at;
          moved[static_cast<std::size_t>(k)] += step;
          return objective(moved, log_theta);
        });
        EXPECT_NEAR(gradient[k], static_cast<double>(wanted), rounding.tolerance(gradient.cwiseAbs().maxCoeff()))
            << name(criterion) << " dim " << dim << " entry " << k;
      }
      const Real by_theta = derivative([&](Real step) { return objective(at, log_theta + step); });
      EXPECT_NEAR(gradient[w.size()], static_cast<double>(by_theta),
                  rounding.tolerance(gradient.cwiseAbs().maxCoeff()));
    }
}

TEST(Subspace, ObjectiveDependsOnTheColumnSpaceOnly) {
  const Dataset data = made_classes({.sizes = {6, 6}, .dim = 6, .seed = 1});
  const Matrix w = random_matrix(6, 3, 2), mixed = w * random_matrix(3, 3, 3);
  for (const Criterion criterion : sums_over_pairs) {
    const auto value = [&](const Matrix& start) {
      detail::ProjectionSearch search(data.matrices(), start, 1);
      detail::Composition composition(detail::row_of(criterion), data, search, {.threads = 1});
      const detail::Descent descent(composition, search, {.theta = 1, .value = 1}, 0);
      Eigen::VectorXd gradient;
      return descent(descent.start(), gradient);
    };
    EXPECT_NEAR(value(mixed), value(w), tolerance(6, 1e3));
  }
}

/// Divergences of the projected matrices: they do not depend on which basis of the subspace W is.
Matrix projected_divergences(const Dataset& data, const Projection& projection) {
  return PairSweep(project(data.matrices(), projection)).divergences();
}

Dataset congruent(const Dataset& data, const Matrix& a) {
  return Dataset(project(data.matrices(), Projection{a.transpose()}), data.labels());
}

TEST(Subspace, DoesNotDependOnUnitsMixingOrOrderOfTheChannels) {
  const Dataset data = made_classes({.sizes = {12, 10, 11}, .dim = 8, .seed = 6});
  Matrix permutation = Matrix::Zero(8, 8);
  for (Index k = 0; k < 8; ++k) permutation(k, (3 * k + 1) % 8) = 1;
  const Matrix mixing = Matrix::Identity(8, 8) + 0.3 * random_matrix(8, 8, 9);
  const SubspaceOptions few{.max_iterations = 4};
  const SubspaceLearner learner(data, few);
  for (const Index columns : {1, 3, 8}) {
    const Matrix start = projected_divergences(data, learner.start(columns)),
                 learned = projected_divergences(data, learner.learn(columns).projection);
    for (const Matrix& a : {Matrix(1e-6 * Matrix::Identity(8, 8)), permutation, mixing}) {
      const Dataset other = congruent(data, a);
      const SubspaceLearner again(other, few);
      const double condition = 1e4;
      EXPECT_LE((projected_divergences(other, again.start(columns)) - start).cwiseAbs().maxCoeff(),
                tolerance(8, condition));
      // Each of four iterations may magnify what differs by rounding.
      EXPECT_LE((projected_divergences(other, again.learn(columns).projection) - learned).cwiseAbs().maxCoeff(),
                tolerance(8, 1e4 * condition));
    }
  }
}

TEST(Subspace, StartIsWhereTheClassMeansDiffer) {
  // Two classes that differ in the variance of the third channel alone.
  std::vector<double> values;
  std::vector<long long> labels;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 40; ++i) {
    labels.push_back(i % 2);
    Matrix samples = Matrix::NullaryExpr(60, 5, [&] { return normal(random); });
    if (i % 2 == 1) samples.col(2) *= 3;
    const Matrix x = samples.transpose() * samples;
    values.insert(values.end(), x.data(), x.data() + x.size());
  }
  const Dataset data(SpdBatch(values, 40, 5), Labels(labels));
  const SubspaceLearner learner(data);
  for (const Projection& found : {learner.start(1), learner.learn(1).projection}) {
    // In the data's own coordinates, the pattern Cov W of the direction is the third channel.
    const Matrix pattern = mean(data.matrices()).matrix * found.w;
    Index largest = 0;
    pattern.col(0).cwiseAbs().maxCoeff(&largest);
    EXPECT_EQ(largest, 2);
    EXPECT_GT(std::abs(pattern(2, 0)), 3 * (pattern.col(0).norm() - std::abs(pattern(2, 0))));
  }
}

TEST(Subspace, LearningImprovesTheObjective) {
  const Dataset data = made_classes({.sizes = {15, 15, 15}, .dim = 7, .seed = 8});
  for (const Criterion criterion : sums_over_pairs) {
    const Subspace found = SubspaceLearner(data, {.criterion = criterion, .penalty = 1e-3}).learn(2);
    ASSERT_GE(found.fit.history.size(), 2U);
    EXPECT_GT(found.fit.history.back(), found.fit.history.front());
    // The criterion that is reported is that of the kernel that is returned.
    const std::vector<Real> w(found.projection.w.data(), found.projection.w.data() + found.projection.w.size());
    EXPECT_NEAR(found.fit.criterion,
                static_cast<double>(oracle_criterion(criterion, data, w, 2, static_cast<Real>(found.theta))),
                (KernelRounding{7, 1e3, found.theta}.tolerance(1)));
  }
}

TEST(Subspace, KeepsAGivenTheta) {
  const Dataset data = made_classes({.sizes = {8, 8}, .dim = 5, .seed = 2});
  EXPECT_EQ(SubspaceLearner(data, {.theta = 1.25}).learn(2).theta, 1.25);
  EXPECT_NE(SubspaceLearner(data).learn(2).theta, 1.25);
}

TEST(Subspace, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = made_classes({.sizes = {60, 50, 55}, .dim = 9, .seed = 4});
  const auto with = [&](int threads) { return SubspaceLearner(data, {.pairs = {.threads = threads}}).learn(4); };
  EXPECT_EQ(with(1).projection.w, with(2).projection.w);
  EXPECT_EQ(with(1).theta, with(2).theta);
}

TEST(Subspace, IsLearnedByRanksTogether) {
  const Dataset data = made_classes({.sizes = {14, 13}, .dim = 6, .seed = 5});
  const SubspaceOptions few{.max_iterations = 4, .pairs = {.threads = 1}};
  const Subspace alone = SubspaceLearner(data, few).learn(3);
  as_team(3, [&](const Team& team) {
    SubspaceOptions shared = few;
    shared.pairs.team = &team;
    const Subspace found = SubspaceLearner(data, shared).learn(3);
    EXPECT_LE((found.projection.w - alone.projection.w).cwiseAbs().maxCoeff(),
              tolerance(6, 1e4, alone.projection.w.cwiseAbs().maxCoeff()));
    EXPECT_NEAR(found.theta, alone.theta, tolerance(6, 1e4, alone.theta));
  });
}

TEST(Subspace, OfAllDirectionsIsTheWhitening) {
  const Dataset data = made_classes({.sizes = {8, 8}, .dim = 4, .seed = 2});
  const SubspaceLearner learner(data);
  EXPECT_EQ(learner.learn(4).projection.w, learner.whitening());
  const SpdBatch whitened = project(data.matrices(), {learner.whitening()});
  EXPECT_LE((mean(whitened).matrix - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), tolerance(4, 1e2));
}

TEST(Subspace, TakesDegenerateTrainingSets) {
  const Dataset scalars = made_classes({.sizes = {4, 3}, .dim = 1});
  EXPECT_EQ(SubspaceLearner(scalars).learn(1).projection.w.size(), 1);
  const Dataset with_single = made_classes({.sizes = {6, 1}, .dim = 4});
  EXPECT_TRUE(SubspaceLearner(with_single).learn(2).projection.w.allFinite());
  // All matrices equal: there is nothing to find, and that is no reason to fail or to return NaN.
  const Dataset equal(random_spd({.count = 1, .dim = 3}).select(std::vector<Index>{0, 0, 0, 0}),
                      Labels(std::vector<long long>{0, 1, 0, 1}));
  EXPECT_EQ(message_of([&] { SubspaceLearner(equal).learn(1); }),
            "criterion centred is not finite: are all matrices of each class equal?");
}

TEST(Subspace, RefusesBadOptions) {
  const Dataset data = made_classes({.sizes = {4, 4}, .dim = 3});
  EXPECT_EQ(message_of([&] { SubspaceLearner(data, {.criterion = Criterion::radius_margin}); }),
            "criterion radius-margin cannot learn a subspace; use one of alignment (ka), separability (cs), centred "
            "(ca), neighbour (nn)");
  EXPECT_EQ(message_of([&] { SubspaceLearner(data).learn(0); }),
            "a subspace of matrices of size 3 has 1 to 3 components, not 0");
  EXPECT_EQ(message_of([&] { SubspaceLearner(data).learn(4); }),
            "a subspace of matrices of size 3 has 1 to 3 components, not 4");
  EXPECT_EQ(message_of([&] { SubspaceLearner(data, {.penalty = -1}); }), "penalty -1 must be finite and 0 or more");
  EXPECT_EQ(message_of([&] { SubspaceLearner(data, {.theta = 0}); }), "theta 0 must be finite and above 0");
}

}  // namespace
}  // namespace dsk::test

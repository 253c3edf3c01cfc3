#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <cmath>
#include <random>

#include "cluster/clusterer.hpp"
#include "cluster/made_clusters.hpp"

namespace dsk::test {
namespace {

Matrix random_rows(Index rows, Index columns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix result(rows, columns);
  for (double& value : result.reshaped()) value = normal(random);
  return result;
}

/// The smallest inertia over all ways to part the rows.
double best_inertia_oracle(const Matrix& rows, int clusters) {
  const auto count = static_cast<std::size_t>(rows.rows());
  std::vector<int> labels(count, 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    double inertia = 0;
    for (int c = 0; c < clusters; ++c) {
      Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
      double size = 0;
      for (std::size_t i = 0; i < count; ++i)
        if (labels[i] == c) {
          sum += rows.row(static_cast<Index>(i));
          ++size;
        }
      for (std::size_t i = 0; i < count; ++i)
        if (labels[i] == c) inertia += (rows.row(static_cast<Index>(i)) - sum / size).squaredNorm();
    }
    best = std::min(best, inertia);
    std::size_t at = 0;
    while (at < count && ++labels[at] == clusters) labels[at++] = 0;
    if (at == count) return best;
  }
}

TEST(KMeans, FindsTheBestOfAllPartitionsOfFewPoints) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const Matrix rows = random_rows(10, 2, seed);
    const detail::Partition found =
        detail::best_partition(*detail::row_space(rows, {}), {.clusters = 3, .restarts = 50, .seed = seed});
    EXPECT_NEAR(found.inertia, best_inertia_oracle(rows, 3), 1e-12);
  }
}

/// By how much the inertia changes where one row goes to another cluster, from the means before and after.
double inertia_oracle(const Matrix& rows, const std::vector<int>& labels, int clusters) {
  double inertia = 0;
  for (int c = 0; c < clusters; ++c) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
    double size = 0;
    for (Index i = 0; i < rows.rows(); ++i)
      if (labels[static_cast<std::size_t>(i)] == c) {
        sum += rows.row(i);
        ++size;
      }
    for (Index i = 0; i < rows.rows(); ++i)
      if (labels[static_cast<std::size_t>(i)] == c) inertia += (rows.row(i) - sum / size).squaredNorm();
  }
  return inertia;
}

TEST(KMeans, NoPointIsBetterOffInAnotherCluster) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Matrix rows = random_rows(40, 20, seed);
    constexpr int clusters = 6;
    const detail::Partition found =
        detail::best_partition(*detail::row_space(rows, {}), {.clusters = clusters, .restarts = 1, .seed = seed});
    ASSERT_TRUE(found.converged);
    EXPECT_NEAR(found.inertia, inertia_oracle(rows, found.labels, clusters), 1e-12 * found.inertia);
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      const int own = found.labels[i];
      if (std::count(found.labels.begin(), found.labels.end(), own) == 1) continue;
      for (int c = 0; c < clusters; ++c) {
        std::vector<int> labels = found.labels;
        labels[i] = c;
        EXPECT_GE(inertia_oracle(rows, labels, clusters), found.inertia * (1 - 1e-9)) << i << " to " << c;
      }
    }
  }
}

/// Each of 0, 2 and 3.9 is nearest to the mean of its cluster, but 2 pulls that of 0 and 2 away from itself and 0.
TEST(KMeans, ExchangesLeaveWhereLloydsIterationStops) {
  Matrix rows(3, 1);
  rows << 0, 2, 3.9;
  std::vector<int> labels{0, 0, 1};
  const auto space = detail::row_space(rows, {});
  EXPECT_EQ(detail::nearest_centres(space->costs(space->means(labels, 2))), labels);
  EXPECT_TRUE(space->exchange(labels, 2, 10));
  EXPECT_EQ(labels, (std::vector<int>{0, 1, 1}));
}

TEST(KMeans, InertiaIsThatOfLabelsAndCentres) {
  const Matrix rows = random_rows(60, 3, 1);
  const detail::Partition found = detail::best_partition(*detail::row_space(rows, {}), {.clusters = 4});
  double inertia = 0;
  for (Index i = 0; i < rows.rows(); ++i)
    inertia +=
        (rows.row(i) - std::get<Matrix>(found.centres).row(found.labels[static_cast<std::size_t>(i)])).squaredNorm();
  EXPECT_NEAR(found.inertia, inertia, 1e-12 * inertia);
}

/// What is left out by the triangle inequality makes no difference.
TEST(KMeans, BoundsNearMovedCentresKeepTheNearest) {
  const SpdBatch x =
      wishart_classes({.classes = 4, .per_class = 60, .dim = 6, .degrees = 18, .tau = 0.5, .seed = 3}).matrices();
  const auto space = detail::matrix_space(x, Metric::airm, 0.5, {});
  const std::vector<Index> start{0, 70, 130, 190};
  detail::KnownCosts before{space->at(start), {}, {}};
  before.costs = space->costs(before.centres);
  before.labels = detail::nearest_centres(before.costs);
  Index bounds = 0;
  for (int round = 0; round < 6; ++round) {
    const detail::Centres centres = space->means(before.labels, 4);
    const Matrix all = space->costs(centres), near = space->costs_near(centres, before);
    const std::vector<int> labels = detail::nearest_centres(all);
    EXPECT_EQ(detail::nearest_centres(near), labels);
    EXPECT_EQ(Eigen::VectorXd(near.rowwise().minCoeff()), Eigen::VectorXd(all.rowwise().minCoeff()));
    EXPECT_LE((near.array() - all.array() * (1 + 1e-12)).maxCoeff(), 0) << "bounds are from below";
    bounds += (near.array() != all.array()).count();
    EXPECT_EQ(space->own_costs(centres, labels), Eigen::VectorXd(all.rowwise().minCoeff()));
    before = {centres, near, labels};
  }
  EXPECT_GT(bounds, 2 * x.size()) << "hardly anything was left out";
}

TEST(Silhouette, IsThatOfTheDefinition) {
  Matrix distances(4, 4);
  distances << 0, 1, 4, 5, 1, 0, 3, 4, 4, 3, 0, 9, 5, 4, 9, 0;
  const std::vector<int> labels{0, 0, 1, 2};
  const std::vector<double> values = detail::silhouettes(distances, labels, 3);
  EXPECT_DOUBLE_EQ(values[0], (4.0 - 1) / 4);
  EXPECT_DOUBLE_EQ(values[1], (3.0 - 1) / 3);
  EXPECT_EQ(values[2], 0);
  EXPECT_EQ(values[3], 0);
}

TEST(TopEigenvectors, AreThoseOfADenseSolver) {
  constexpr Index size = 700, count = 6;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Eigen::MatrixXd(random_rows(size, size, 3)));
  const Eigen::MatrixXd rotation = qr.householderQ();
  // Three equal eigenvalues, and others close behind.
  Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(size, 0.9, -0.9);
  values.head(count) << 1, 1, 1, 0.97, 0.96, 0.93;
  const Eigen::MatrixXd a = rotation * values.asDiagonal() * rotation.transpose();
  const detail::TopEigenvectors top = detail::top_eigenvectors(
      size, [&](const Eigen::MatrixXd& x) { return Eigen::MatrixXd(a * x); }, count, 1e-8, 1);
  EXPECT_TRUE(top.converged);
  for (Index k = 0; k < count; ++k) EXPECT_NEAR(top.values[static_cast<std::size_t>(k)], values[k], 1e-10);
  EXPECT_LT((top.vectors.transpose() * top.vectors - Eigen::MatrixXd::Identity(count, count)).norm(), 1e-10);
  for (Index k = 0; k < count; ++k)
    EXPECT_LT((a * top.vectors.col(k) - top.values[static_cast<std::size_t>(k)] * top.vectors.col(k)).norm(), 1e-7);
}

TEST(Graph, OfNeighboursIsThatOfSortedDistances) {
  const SpdBatch x = random_spd({.count = 30, .dim = 3, .seed = 2});
  const Comparison comparison{.metric = Metric::stein};
  const Matrix squared = pairwise_squared_distances(comparison, x);
  for (const bool own_widths : {true, false}) {
    ClusterOptions options{.method = ClusterMethod::spectral, .neighbours = 4};
    if (!own_widths) options.theta = 2.0;
    const detail::Graph graph = detail::similarity_graph(x, comparison, options);
    const Eigen::MatrixXd weights(std::get<1>(graph.weights));
    const auto rank = [&](Index i, Index j) {
      Index nearer = 0;
      for (Index k = 0; k < 30; ++k) nearer += k != i && squared(i, k) < squared(i, j);
      return nearer;
    };
    const auto width = [&](Index i) {
      for (Index j = 0; j < 30; ++j)
        if (j != i && rank(i, j) == 3) return std::sqrt(squared(i, j));
      return 0.0;
    };
    for (Index i = 0; i < 30; ++i)
      for (Index j = 0; j < 30; ++j) {
        const double value = std::exp(-(own_widths ? squared(i, j) / (width(i) * width(j)) : 2 * squared(i, j)));
        const bool joined = i == j || rank(i, j) < 4 || rank(j, i) < 4;
        EXPECT_NEAR(weights(i, j), joined ? value : 0, 1e-13) << i << ' ' << j;
      }
  }
}

TEST(Graph, LargeAndSmallSolversAgree) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = 300, .dim = 3, .degrees = 10, .tau = 0.5});
  const detail::Graph graph = detail::similarity_graph(data.matrices(), {}, {.neighbours = 10});
  const detail::TopEigenvectors top = detail::normalised_spectrum(graph, 5, 0, 1);
  const Eigen::VectorXd scale = graph.degrees().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd a = scale.asDiagonal() * Eigen::MatrixXd(std::get<1>(graph.weights)) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> dense(a);
  for (Index k = 0; k < 5; ++k)
    EXPECT_NEAR(top.values[static_cast<std::size_t>(k)], dense.eigenvalues()[599 - k], 1e-10);
}

TEST(PrincipalRows, KeepDistancesOfWideAndTallRows) {
  for (const Index columns : {3, 40}) {
    const Matrix rows = random_rows(12, columns, 5), found = detail::principal_rows(rows, 12);
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < i; ++j)
        EXPECT_NEAR((found.row(i) - found.row(j)).norm(), (rows.row(i) - rows.row(j)).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace dsk::test

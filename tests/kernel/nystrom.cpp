#include <dsk/kernel.hpp>

#include <gtest/gtest.h>

#include <numeric>

#include "kernel/kernel.hpp"
#include "support/adjustment_cases.hpp"
#include "support/message.hpp"
#include "support/oracle_nystrom.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

constexpr Landmarks all_choices[] = {Landmarks::adaptive, Landmarks::greedy, Landmarks::uniform};

/// A kernel in both worlds.
struct KernelCase {
  std::string name;
  Comparison comparison;
  double theta;
  OracleMatrix kernel;
};

template <class SquaredDistance>
OracleMatrix exponential_of(const SpdBatch& x, double theta, const SquaredDistance& squared) {
  OracleMatrix result(x.size());
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j < x.size(); ++j)
      result(i, j) = std::exp(-theta * squared(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
  return result;
}

std::vector<KernelCase> kernel_cases(const SpdBatch& x) {
  const LearnedKernel learned = some_kernel(x.dim());
  const auto frobenius = [](const OracleMatrix& a, const OracleMatrix& b) { return squared_frobenius(a, b); };
  const auto divergence = [](const OracleMatrix& a, const OracleMatrix& b) { return stein(a, b); };
  const OracleMatrix adjusted = oracle_divergences(oracle_spectra(x), OracleAdjustment::of(learned.adjustment()));
  std::vector<KernelCase> cases;
  const Comparison plain, euclidean{.metric = Metric::euclidean}, by_learned{.learned = learned};
  cases.push_back({"stein", plain, 2, exponential_of(x, 2, divergence)});
  cases.push_back({"euclidean", euclidean, 0.3, exponential_of(x, 0.3, frobenius)});
  cases.push_back({"learned", by_learned, learned.theta(), oracle_kernel(adjusted, learned.theta())});
  return cases;
}

Dataset some_matrices(Index each = 8) {
  return made_classes({.sizes = {each, each, each}});
}

double largest_difference(const Matrix& found, const OracleMatrix& expected) {
  double result = 0;
  for (Index i = 0; i < found.rows(); ++i)
    for (Index j = 0; j < found.cols(); ++j)
      result = std::max(result, static_cast<double>(std::abs(found(i, j) - expected(i, j))));
  return result;
}

TEST(Nystrom, InnerProductsOfFeaturesAreTheApproximation) {
  const Dataset train = some_matrices();
  for (const KernelCase& example : kernel_cases(train.matrices()))
    for (const Landmarks choice : all_choices)
      for (const Index landmarks : {1, 2, 7, 16}) {
        const auto [map, fit] =
            fit_nystrom(example.comparison, train, {.landmarks = landmarks, .choice = choice, .theta = example.theta});
        ASSERT_EQ(map.size(), landmarks);
        const Matrix features = map.features(train.matrices());
        EXPECT_LT(largest_difference(features * features.transpose(), oracle_nystrom(example.kernel, fit.chosen)), 1e-9)
            << example.name << ", " << name(choice) << ", " << landmarks;
      }
}

TEST(Nystrom, AllMatricesAsLandmarksGiveTheKernelItself) {
  const Dataset train = some_matrices();
  for (const KernelCase& example : kernel_cases(train.matrices())) {
    const auto [map, fit] = fit_nystrom(example.comparison, train, {.landmarks = 1000, .theta = example.theta});
    EXPECT_LE(map.size(), train.size());
    const Matrix features = map.features(train.matrices());
    EXPECT_LT(largest_difference(features * features.transpose(), example.kernel), 1e-9) << example.name;
    EXPECT_LT(fit.residual_shares.back(), 1e-9);
  }
}

TEST(Nystrom, ResidualsAreThoseOfTheApproximationAndNeverGrow) {
  const Dataset train = some_matrices();
  for (const KernelCase& example : kernel_cases(train.matrices()))
    for (const Landmarks choice : all_choices) {
      const NystromResult::Fit fit =
          fit_nystrom(example.comparison, train, {.landmarks = 12, .choice = choice, .theta = example.theta}).fit;
      std::vector<Index> chosen;
      double before = 1;
      for (std::size_t k = 0; k < fit.chosen.size(); ++k) {
        chosen.push_back(fit.chosen[k]);
        const RealVector residuals = oracle_residuals(example.kernel, chosen);
        const Real share = std::accumulate(residuals.begin(), residuals.end(), Real{0}) / train.size();
        EXPECT_NEAR(fit.residual_shares[k], static_cast<double>(share), 1e-10) << example.name << ", " << name(choice);
        EXPECT_LE(fit.residual_shares[k], before);
        before = fit.residual_shares[k];
      }
    }
}

TEST(Nystrom, GreedyTakesTheLargestResidual) {
  const Dataset train = some_matrices();
  const KernelCase example = kernel_cases(train.matrices()).front();
  const NystromResult::Fit fit =
      fit_nystrom(example.comparison, train, {.landmarks = 12, .choice = Landmarks::greedy, .theta = example.theta})
          .fit;
  for (std::size_t k = 1; k < fit.chosen.size(); ++k) {
    const std::vector<Index> before(fit.chosen.begin(), fit.chosen.begin() + static_cast<std::ptrdiff_t>(k));
    const RealVector residuals = oracle_residuals(example.kernel, before);
    EXPECT_GT(residuals[static_cast<std::size_t>(fit.chosen[k])],
              *std::max_element(residuals.begin(), residuals.end()) - 1e-10L);
  }
}

TEST(Nystrom, CopiesAreNeverTaken) {
  const Dataset once = some_matrices(5);
  std::vector<Index> thrice;
  for (int copy = 0; copy < 3; ++copy)
    for (Index i = 0; i < once.size(); ++i) thrice.push_back(i);
  const Dataset train = once.select(thrice);
  for (const Landmarks choice : all_choices) {
    const auto [map, fit] = fit_nystrom(Comparison{}, train, {.landmarks = 40, .choice = choice, .theta = 2});
    std::vector<Index> originals;
    for (const Index i : fit.chosen) originals.push_back(i % once.size());
    std::sort(originals.begin(), originals.end());
    EXPECT_EQ(std::adjacent_find(originals.begin(), originals.end()), originals.end()) << name(choice);
    EXPECT_TRUE(map.features(train.matrices()).allFinite());
    EXPECT_LT(fit.residual_shares.back(), 1e-9);
  }
  const Dataset equal = once.select(std::vector<Index>(7, 3));
  const NystromMap one = fit_nystrom(Comparison{}, equal, {.landmarks = 5}).map;
  EXPECT_EQ(one.size(), 1);
  EXPECT_EQ(one.features(equal.matrices()), Matrix::Ones(7, 1));
}

TEST(Nystrom, IsTheSameForAnyNumberOfThreads) {
  const Dataset train = made_classes({.sizes = {900, 800, 700}, .dim = 4});
  for (const Landmarks choice : all_choices) {
    const auto fitted = [&](int threads) {
      return fit_nystrom(some_kernel(4), train, {.landmarks = 60, .choice = choice, .pairs = {.threads = threads}});
    };
    const auto [map, fit] = fitted(1);
    const Matrix features = map.features(train.matrices(), {.threads = 1});
    for (const int threads : {2, 3}) {
      const auto [other_map, other_fit] = fitted(threads);
      EXPECT_EQ(other_fit.chosen, fit.chosen);
      EXPECT_EQ(other_fit.residual_shares, fit.residual_shares);
      EXPECT_EQ(other_map.factor(), map.factor());
      EXPECT_EQ(other_map.features(train.matrices(), {.threads = threads}), features);
    }
  }
}

TEST(Nystrom, StopsAtTheStatedError) {
  const Dataset train = made_classes({.sizes = {100, 100}});
  for (const double error : {0.3, 0.05, 0.01}) {
    const std::vector<double> shares =
        fit_nystrom(Comparison{}, train, {.landmarks = 200, .error = error}).fit.residual_shares;
    EXPECT_LE(shares.back(), error);
    ASSERT_GT(shares.size(), 1u);
    EXPECT_GT(shares[shares.size() - 2], error);
  }
}

TEST(Nystrom, APoolStandsForTheOthers) {
  const Dataset train = made_classes({.sizes = {1000, 1000}, .dim = 4});
  for (const Landmarks choice : all_choices) {
    const auto [map, fit] =
        fit_nystrom(Comparison{}, train, {.landmarks = 80, .choice = choice, .theta = 1.5, .pool = 400, .seed = 7});
    EXPECT_EQ(fit.pool, 400);
    double sum = 0;
    const Matrix features = map.features(train.matrices());
    for (Index i = 0; i < features.rows(); ++i) sum += residual(features.row(i));
    const double share = sum / static_cast<double>(train.size());
    EXPECT_NEAR(fit.residual_shares.back(), share, 0.3 * share) << name(choice);
    EXPECT_EQ(train.select(fit.chosen).matrices().values().front(), map.landmarks().matrices().values().front());
  }
}

TEST(Nystrom, SeedsDecideAndNothingElse) {
  const Dataset train = made_classes({.sizes = {100, 100}});
  const auto chosen = [&](Landmarks choice, std::uint64_t seed) {
    return fit_nystrom(Comparison{}, train, {.landmarks = 20, .choice = choice, .seed = seed}).fit.chosen;
  };
  for (const Landmarks choice : all_choices) EXPECT_EQ(chosen(choice, 3), chosen(choice, 3));
  for (const Landmarks choice : {Landmarks::adaptive, Landmarks::uniform})
    EXPECT_NE(chosen(choice, 3), chosen(choice, 4));
}

TEST(Nystrom, ThetaIsTypicalUnlessGivenOrLearned) {
  const Dataset train = some_matrices();
  EXPECT_EQ(fit_nystrom(some_kernel(3), train).map.theta(), 1.5);
  EXPECT_EQ(fit_nystrom(some_kernel(3), train, {.theta = 4}).map.theta(), 4);
  const NystromMap plain = fit_nystrom(Comparison{}, train).map;
  OracleMatrix divergences(train.size());
  for (Index i = 0; i < train.size(); ++i)
    for (Index j = 0; j < train.size(); ++j) divergences(i, j) = stein_oracle(train.matrices()[i], train.matrices()[j]);
  EXPECT_NEAR(plain.theta() * median(divergences), 1, 0.05) << "above (d - 1)/2 any theta is valid";
}

TEST(Nystrom, RefusesWhatMakesNoFeatures) {
  const Dataset train = some_matrices();
  const auto says = [&](const Comparison& comparison, const NystromOptions& options) {
    return message_of([&] { fit_nystrom(comparison, train, options); });
  };
  EXPECT_EQ(says({}, {.landmarks = 0}), "landmarks 0 must be from 1 to 100000");
  EXPECT_EQ(says({}, {.error = 1}), "error 1 must be 0 or more and below 1");
  EXPECT_EQ(says({}, {.error = -0.1}), "error -0.1 must be 0 or more and below 1");
  EXPECT_EQ(says({}, {.pool = -1}), "pool -1 must be 0 or more");
  EXPECT_NE(says({}, {.theta = 0.7}).find("theta 0.7 is not valid"), std::string::npos);
  EXPECT_EQ(says({.metric = Metric::airm}, {}), "airm gives no positive definite kernel to approximate");
  EXPECT_NE(says({.learned = some_kernel(4)}, {}), "");

  const NystromMap map = fit_nystrom(Comparison{}, train, {.landmarks = 3}).map;
  EXPECT_EQ(message_of([&] { map.features(random_spd({.dim = 4})); }),
            "the model is for 3 x 3 matrices, not for 4 x 4");
  const auto made = [&](const Matrix& factor) {
    return message_of([&] { NystromMap(map.comparison(), map.theta(), map.landmarks(), factor); });
  };
  EXPECT_EQ(made(Matrix::Identity(3, 3)), "");
  EXPECT_EQ(made(Matrix::Identity(2, 2)), "a 2 x 2 factor does not fit 3 landmarks");
  EXPECT_NE(made(Matrix::Zero(3, 3)), "");
  EXPECT_NE(made(Matrix::Constant(3, 3, std::numeric_limits<double>::infinity())), "");
}

TEST(Nystrom, OneMatrix) {
  const Dataset train = some_matrices().select(std::vector<Index>{2});
  const auto [map, fit] = fit_nystrom(Comparison{}, train, {.error = 0.01});
  EXPECT_EQ(fit.chosen, std::vector<Index>{0});
  EXPECT_EQ(fit.residual_shares, std::vector<double>{0});
  EXPECT_EQ(map.features(train.matrices()), Matrix::Ones(1, 1));
}

}  // namespace
}  // namespace dsk::test

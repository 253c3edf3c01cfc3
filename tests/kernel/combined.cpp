#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Index size_of_x = 4;

CombinedKernel some_combination() {
  Projection two;
  two.w = Matrix::Random(size_of_x, 2);
  const LearnedKernel learned({Transform(two)}, EigenvalueAdjustment::none(2), 1, Metric::logeuclidean);
  return CombinedKernel({{{.metric = Metric::stein}, {{1.5, 0.2, 0.5, "a"}, {3, 0.3, 0.9, "b"}}},
                         {comparison_by(learned), {{0.7, 0.5, 0.25, "c"}}},
                         {{.metric = Metric::cholesky}, {{0.1, 0, 1, "unused"}}}});
}

TEST(CombinedKernel, IsTheWeightedSumOfItsKernels) {
  const SpdBatch x = random_spd({.count = 9, .dim = size_of_x, .condition = 20, .seed = 1}),
                 y = random_spd({.count = 5, .dim = size_of_x, .condition = 20, .seed = 2});
  const CombinedKernel kernel = some_combination();
  const LearnedKernel& learned = *kernel.parts()[1].comparison.learned;
  const double all = 0.2 / 0.5 + 0.3 / 0.9 + 0.5 / 0.25;
  const Matrix expected =
      (0.2 / 0.5 * kernel_matrix(x, y, {.theta = 1.5}) + 0.3 / 0.9 * kernel_matrix(x, y, {.theta = 3}) +
       0.5 / 0.25 * kernel_matrix(learned.with_theta(0.7), x, y)) /
      all;
  EXPECT_LE((kernel_matrix(kernel, x, y) - expected).cwiseAbs().maxCoeff(), tolerance(size_of_x, 1));
  const Matrix own = kernel_matrix(kernel, x);
  EXPECT_LE((own - kernel_matrix(kernel, x, x)).cwiseAbs().maxCoeff(), tolerance(size_of_x, 100));
  EXPECT_EQ(own, own.transpose());
  EXPECT_LE((own.diagonal().array() - 1).abs().maxCoeff(), tolerance(size_of_x, 1));
}

TEST(CombinedKernel, IsPositiveSemidefiniteIfAllKernelsInItAre) {
  const CombinedKernel kernel = some_combination();
  EXPECT_TRUE(kernel.is_valid(size_of_x));
  const SpdBatch x = random_spd({.count = 60, .dim = size_of_x, .condition = 50, .seed = 3});
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(kernel_matrix(kernel, x));
  EXPECT_GE(eigen.eigenvalues()[0], -tolerance(60, 1));
  EXPECT_FALSE(CombinedKernel({{{.metric = Metric::stein}, {{0.3}}}}).is_valid(size_of_x));
  EXPECT_TRUE(CombinedKernel({{{.metric = Metric::stein}, {{0.3, 0}, {0.5}}}}).is_valid(size_of_x));
}

TEST(CombinedKernel, TheSameBitsForAnyNumberOfThreads) {
  const SpdBatch x = random_spd({.count = 200, .dim = size_of_x, .condition = 50, .seed = 3});
  const CombinedKernel kernel = some_combination();
  EXPECT_EQ(kernel_matrix(kernel, x, {.threads = 2}), kernel_matrix(kernel, x, {.threads = 1}));
}

TEST(CombinedKernel, NamesTheKernelsWithWeights) {
  const std::vector<CombinedKernel::Share> shares = some_combination().shares();
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[2].name, "c");
  EXPECT_EQ(shares[2].weight, 0.5);
}

TEST(CombinedKernel, RefusesWhatIsNoKernel) {
  const auto says = [](const Comparison& comparison, const CombinedKernel::Width& width) {
    return message_of([&] { CombinedKernel({{comparison, {width}}}); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(says({}, {.theta = 0}), "theta 0 must be finite and above 0");
  EXPECT_EQ(says({}, {.theta = nan}), "theta nan must be finite and above 0");
  EXPECT_EQ(says({}, {.weight = -1}), "the weight -1 of a kernel must be finite and not negative");
  EXPECT_EQ(says({}, {.variance = 0}), "the variance 0 of a kernel must be finite and above 0");
  EXPECT_EQ(says({.zeta = 0}, {}), "zeta 0 must be finite and above 0");
  EXPECT_EQ(says({.metric = Metric::powereuclidean, .zeta = nan}, {}), "zeta nan must be finite and above 0");
  EXPECT_EQ(message_of([] { CombinedKernel({{{}, {{}}}, {{}, {}}}); }), "a part of a combined kernel has no widths");
  const std::string empty = "a combined kernel needs at least one kernel with a weight above 0, and finite sums";
  EXPECT_EQ(says({}, {.weight = 0}), empty);
  EXPECT_EQ(message_of([] { CombinedKernel({}); }), empty);
  EXPECT_EQ(says({.metric = Metric::cholesky, .learned = LearnedKernel::plain(3, 1)}, {}),
            "the learned kernel compares by stein, not by cholesky");
  EXPECT_EQ(message_of([] {
              CombinedKernel({{comparison_by(LearnedKernel::plain(3, 1)), {{}}},
                              {comparison_by(LearnedKernel::plain(4, 1)), {{}}}});
            }),
            "kernels of matrices of size 3 and of size 4 cannot be combined");
  EXPECT_EQ(says({.metric = Metric::kullback}, {}),
            "kullback is not symmetric and gives no kernel; use another metric");
}

}  // namespace
}  // namespace dsk::test

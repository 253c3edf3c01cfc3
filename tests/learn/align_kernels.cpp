#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
using testing::HasSubstr;

/// H K H, divided by tr(H K H) / n.
LongMatrix centred(const LongMatrix& kernel, bool divide) {
  const long n = kernel.rows();
  const LongMatrix h = LongMatrix::Identity(n, n) - LongMatrix::Constant(n, n, 1.0L / static_cast<long double>(n));
  const LongMatrix result = h * kernel * h;
  return divide ? LongMatrix(result * (static_cast<long double>(n) / result.trace())) : result;
}

/// The quadratic programme as the paper prints it, from dense matrices.
struct Oracle {
  LongMatrix m;
  LongVector a;
  long double target = 0;  ///< <Y, Y>

  Oracle(const std::vector<Matrix>& kernels, const Labels& labels) {
    const auto count = static_cast<long>(kernels.size());
    LongMatrix same(labels.size(), labels.size());
    for (Index i = 0; i < labels.size(); ++i)
      for (Index j = 0; j < labels.size(); ++j) same(i, j) = labels[i] == labels[j] ? 1 : 0;
    const LongMatrix y = centred(same, false);
    std::vector<LongMatrix> all;
    for (const Matrix& one : kernels) all.push_back(centred(one.cast<long double>(), true));
    m.resize(count, count);
    a.resize(count);
    for (long k = 0; k < count; ++k) {
      a[k] = all[static_cast<std::size_t>(k)].cwiseProduct(y).sum();
      for (long l = 0; l < count; ++l)
        m(k, l) = all[static_cast<std::size_t>(k)].cwiseProduct(all[static_cast<std::size_t>(l)]).sum();
    }
    target = y.squaredNorm();
  }

  long double alignment(const LongVector& v) const { return v.dot(a) / std::sqrt(v.dot(m * v) * target); }
};

/// Kernels of several widths and metrics, some of which say little about the classes.
std::vector<Matrix> some_kernels(const Dataset& data, std::size_t count) {
  const std::vector<Metric> metrics{Metric::stein, Metric::logeuclidean, Metric::cholesky, Metric::euclidean};
  std::vector<Matrix> kernels;
  for (std::size_t k = 0; k < count; ++k)
    kernels.push_back(kernel_matrix(data.matrices(), {.metric = metrics[k % metrics.size()],
                                                      .theta = std::pow(2.5, static_cast<double>(k / 4) - 1),
                                                      .allow_indefinite = true}));
  return kernels;
}

Dataset some_classes(std::uint64_t seed = 0) {
  return made_classes({.sizes = {13, 9, 6}, .dim = 4, .seed = seed});
}

constexpr double nearly_equal = 1e-9;  // of M with a condition number of about 1e6

TEST(AlignKernels, TwoAreAsGoodAsTheBestOfAGrid) {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const Dataset data = some_classes(seed);
    const std::vector<Matrix> four = some_kernels(data, 4);
    for (const auto& kernels : {std::vector<Matrix>{four[0], four[3]}, std::vector<Matrix>{four[1], four[2]}}) {
      const Oracle oracle(kernels, data.labels());
      const KernelWeights found = align_kernels(kernels, data.labels());
      EXPECT_NEAR(found.weights.sum(), 1, tolerance(2, 1));
      EXPECT_NEAR(found.alignment, static_cast<double>(oracle.alignment(found.weights.cast<long double>())),
                  nearly_equal);
      constexpr int steps = 2000;
      for (int step = 0; step <= steps; ++step) {
        const long double angle = std::numbers::pi_v<long double> / 2 * step / steps;
        const LongVector v{{std::cos(angle), std::sin(angle)}};
        ASSERT_LE(static_cast<double>(oracle.alignment(v)), found.alignment + nearly_equal) << seed << ' ' << step;
      }
    }
  }
}

TEST(AlignKernels, ManyMeetTheConditionsOfTheProgramme) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const Dataset data = some_classes(seed);
    const std::vector<Matrix> kernels = some_kernels(data, 16);
    const Oracle oracle(kernels, data.labels());
    const KernelWeights found = align_kernels(kernels, data.labels());
    const LongVector w = found.weights.cast<long double>();
    const LongVector v = w * (w.dot(oracle.a) / w.dot(oracle.m * w));
    const LongVector slope = oracle.m * v - oracle.a;
    const long double scale = oracle.a.cwiseAbs().maxCoeff();
    Index positive = 0;
    for (Index k = 0; k < w.size(); ++k) {
      ASSERT_GE(w[k], 0);
      const auto relative = static_cast<double>(slope[k] / scale);
      EXPECT_GE(relative, -nearly_equal) << k;
      if (w[k] == 0) continue;
      ++positive;
      EXPECT_LE(relative, nearly_equal) << k;
    }
    EXPECT_GE(positive, 1);
    EXPECT_LT(positive, w.size()) << "no condition at 0 was tried";
  }
}

TEST(AlignKernels, AWeightOfTwoIsTwoEqualMatrices) {
  const Dataset data = some_classes();
  std::vector<double> weights(static_cast<std::size_t>(data.size()), 1);
  weights[3] = weights[20] = 2;
  weights[5] = 0;
  std::vector<Index> repeated;
  for (Index i = 0; i < data.size(); ++i)
    for (int r = 0; r < weights[static_cast<std::size_t>(i)]; ++r) repeated.push_back(i);
  const KernelWeights weighted = align_kernels(some_kernels(data, 8), data.labels(), weights);
  const Dataset copies = data.select(repeated);
  const KernelWeights counted = align_kernels(some_kernels(copies, 8), copies.labels());
  EXPECT_NEAR((weighted.weights - counted.weights).cwiseAbs().maxCoeff(), 0, nearly_equal);
  EXPECT_NEAR((weighted.variances - counted.variances).cwiseAbs().maxCoeff(), 0, tolerance(4, 100));
  EXPECT_NEAR(weighted.alignment, counted.alignment, nearly_equal);
}

TEST(AlignKernels, TheSameBitsForAnyNumberOfThreads) {
  const Dataset data = made_classes({.sizes = {90, 80, 70}, .dim = 4});
  const std::vector<Matrix> kernels = some_kernels(data, 12);
  const KernelWeights one = align_kernels(kernels, data.labels(), {}, 1);
  for (const int threads : {2, 3, 7}) {
    const KernelWeights several = align_kernels(kernels, data.labels(), {}, threads);
    EXPECT_EQ(several.weights, one.weights);
    EXPECT_EQ(several.variances, one.variances);
    EXPECT_EQ(several.alignment, one.alignment);
  }
}

TEST(AlignKernels, UnitsOfAKernelDoNotMatter) {
  const Dataset data = some_classes();
  std::vector<Matrix> kernels = some_kernels(data, 6);
  const KernelWeights before = align_kernels(kernels, data.labels());
  kernels[1] *= 1e6;
  kernels[4] *= 1e-9;
  const KernelWeights after = align_kernels(kernels, data.labels());
  EXPECT_NEAR((after.weights - before.weights).cwiseAbs().maxCoeff(), 0, nearly_equal);
}

/// A permutation of the matrices is one of the rows and columns of every kernel matrix.
TEST(AlignKernels, OrderOfMatricesDoesNotMatterBeyondRounding) {
  const Dataset data = some_classes();
  const std::vector<Matrix> kernels = some_kernels(data, 12);
  std::vector<double> counts;
  for (Index i = 0; i < data.size(); ++i) counts.push_back(1 + static_cast<double>(i % 3));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    std::vector<Index> order(static_cast<std::size_t>(data.size()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    std::vector<Matrix> mixed;
    for (const Matrix& kernel : kernels) mixed.emplace_back(kernel(order, order));
    std::vector<double> mixed_counts;
    for (const Index i : order) mixed_counts.push_back(counts[static_cast<std::size_t>(i)]);
    for (const bool weighted : {false, true}) {
      const KernelWeights before = align_kernels(kernels, data.labels(), weighted ? counts : std::vector<double>{});
      const KernelWeights after =
          align_kernels(mixed, data.select(order).labels(), weighted ? mixed_counts : std::vector<double>{});
      EXPECT_LE((after.weights - before.weights).cwiseAbs().maxCoeff(), nearly_equal);
      EXPECT_LE((after.variances - before.variances).cwiseAbs().maxCoeff(), tolerance(4, 100));
      EXPECT_NEAR(after.alignment, before.alignment, nearly_equal);
    }
  }
}

TEST(AlignKernels, OrderOfKernelsDoesNotMatterBeyondRounding) {
  const Dataset data = some_classes();
  const std::vector<Matrix> kernels = some_kernels(data, 12);
  const KernelWeights before = align_kernels(kernels, data.labels());
  const KernelWeights after = align_kernels(std::vector<Matrix>(kernels.rbegin(), kernels.rend()), data.labels());
  EXPECT_LE((after.weights.reverse() - before.weights).cwiseAbs().maxCoeff(), nearly_equal);
  EXPECT_NEAR(after.alignment, before.alignment, nearly_equal);
}

TEST(AlignKernels, VeryLargeAndSmallKernelsHaveTheSameWeights) {
  const Dataset data = some_classes();
  std::vector<Matrix> kernels = some_kernels(data, 6);
  const KernelWeights before = align_kernels(kernels, data.labels());
  kernels[1] *= 1e160;
  kernels[4] *= 1e-160;
  const KernelWeights after = align_kernels(kernels, data.labels());
  EXPECT_NEAR((after.weights - before.weights).cwiseAbs().maxCoeff(), 0, nearly_equal);
  EXPECT_NEAR(after.alignment, before.alignment, nearly_equal);
}

/// A kernel that is aligned less than rounding tells apart beside one that is aligned badly.
TEST(AlignKernels, HardlyAnyAlignmentGivesWeights) {
  constexpr Index size = 20;
  std::vector<long long> labels;
  for (Index i = 0; i < size; ++i) labels.push_back(i % 2);
  Eigen::VectorXd sign(size), other(size);
  for (Index i = 0; i < size; ++i) {
    sign[i] = i % 2 == 0 ? 1 : -1;
    other[i] = (i / 2) % 2 == 0 ? 1 : -1;
  }
  const Matrix against = 2 * Matrix::Identity(size, size) - Matrix((1 + (sign * sign.transpose()).array()) / 2);
  for (const double aligned : {1e-3, 1e-5, 1e-6, 2e-7, 1e-7, 1e-8, 0.0}) {
    const Eigen::VectorXd mixed = other + aligned * sign;
    const KernelWeights found = align_kernels(std::vector<Matrix>{against, mixed * mixed.transpose()}, Labels(labels));
    EXPECT_TRUE(found.weights.allFinite()) << aligned;
    EXPECT_NEAR(found.weights.sum(), 1, tolerance(2, 1)) << aligned;
    EXPECT_GE(found.weights.minCoeff(), 0) << aligned;
    EXPECT_TRUE(std::isfinite(found.alignment)) << aligned;
  }
}

TEST(AlignKernels, CopiesAndConstantsDoNoHarm) {
  const Dataset data = some_classes();
  std::vector<Matrix> kernels = some_kernels(data, 4);
  const double alone = align_kernels(kernels, data.labels()).alignment;
  kernels.insert(kernels.begin(), kernels[0]);
  kernels.push_back(Matrix::Constant(data.size(), data.size(), 0.7));
  const KernelWeights found = align_kernels(kernels, data.labels());
  EXPECT_NEAR(found.alignment, alone, nearly_equal);
  EXPECT_EQ(found.weights[5], 0);
  EXPECT_EQ(found.variances[5], 0);
}

TEST(AlignKernels, RefusesWhatDoesNotFit) {
  const Dataset data = some_classes();
  std::vector<Matrix> kernels = some_kernels(data, 2);
  const auto says = [&](const std::vector<Matrix>& all, const Labels& labels, const std::vector<double>& weights = {}) {
    return message_of([&] { align_kernels(all, labels, weights); });
  };
  EXPECT_EQ(says({}, data.labels()), "no kernels to align");
  EXPECT_EQ(says({kernels[0], Matrix::Ones(28, 27)}, data.labels()),
            "kernel 1 is 28 x 27, which does not fit 28 labels");
  EXPECT_EQ(says(kernels, data.labels(), {1, 2}), "2 sample weights do not fit 28 labels");
  EXPECT_EQ(says(kernels, data.labels(), std::vector<double>(28, -1)),
            "the sample weight -1 must be finite and not negative");
  EXPECT_EQ(says(kernels, Labels(std::vector<long long>(28, 3))),
            "kernels are aligned with two or more classes, not 1");
  EXPECT_EQ(says({Matrix::Ones(28, 28)}, data.labels()), "all kernels are constant on the training set");
  kernels[1](2, 3) += 1e-6;
  EXPECT_EQ(says(kernels, data.labels()), "kernel 1 is not symmetric");
  kernels[1](2, 3) = kernels[1](3, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(says(kernels, data.labels()), "a kernel value is not a finite number");
}

}  // namespace
}  // namespace dsk::test

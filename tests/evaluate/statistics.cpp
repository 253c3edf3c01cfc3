#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/message.hpp"

namespace dsk::test {
namespace {

constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

/// Against a baseline of zeros.
PairedComparison compare(const std::vector<double>& differences) {
  return compare_paired(differences, std::vector<double>(differences.size()));
}

/// Two-sided p over all 2^n assignments of signs to the ranks of the differences that are not 0.
double wilcoxon_by_force(std::vector<double> differences) {
  std::erase(differences, 0.0);
  const std::size_t n = differences.size();
  std::vector<double> rank(n);
  for (std::size_t i = 0; i < n; ++i) {
    double below = 0, equal = 0;
    for (const double other : differences) {
      below += std::abs(other) < std::abs(differences[i]) ? 1 : 0;
      equal += std::abs(other) == std::abs(differences[i]) ? 1 : 0;
    }
    rank[i] = below + (equal + 1) / 2;
  }
  const double middle = std::accumulate(rank.begin(), rank.end(), 0.0) / 2;
  double found = 0;
  for (std::size_t i = 0; i < n; ++i) found += differences[i] > 0 ? rank[i] : 0;
  double extreme = 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << n; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1) != 0 ? rank[i] : 0;
    extreme += std::abs(sum - middle) >= std::abs(found - middle) ? 1 : 0;
  }
  return extreme / std::pow(2.0, static_cast<double>(n));
}

TEST(Summarise, MeanDeviationAndInterval) {
  const std::vector<double> values{3, 1, 4, 1.5, 9, 2.6, 5.3};
  EXPECT_NEAR(summarise(values).mean, 3.771428571428572, rounding);        // numpy.mean(values)
  EXPECT_NEAR(summarise(values).deviation, 2.7244046968798434, rounding);  // numpy.std(values, ddof=1)
  EXPECT_NEAR(mean_interval(values), 2.519654100607034, rounding);         // t.interval(0.95, 6, 0, sem(values))[1]
}

TEST(Summarise, OneValueHasNoSpread) {
  const std::vector<double> one{0.7};
  EXPECT_EQ(summarise(one).mean, 0.7);
  EXPECT_EQ(summarise(one).deviation, 0);
  EXPECT_EQ(mean_interval(one), 0);
}

TEST(ComparePaired, WithoutTies) {
  const std::vector<double> method{0.81, 0.92, 0.77, 0.88, 0.95, 0.70}, baseline{0.80, 0.87, 0.79, 0.81, 0.84, 0.67};
  const PairedComparison result = compare_paired(method, baseline);
  EXPECT_NEAR(result.difference, 0.25 / 6, rounding);
  // ttest_rel(method, baseline), .confidence_interval(0.95); wilcoxon(method, baseline, method="exact")
  EXPECT_NEAR(result.student_p, 0.07626587605197523, rounding);
  EXPECT_NEAR(result.low, -0.006386333138290692, rounding);
  EXPECT_NEAR(result.high, 0.089719666471624, rounding);
  EXPECT_NEAR(result.wilcoxon_p, 0.09375, rounding);

  const PairedComparison turned = compare_paired(baseline, method);
  EXPECT_EQ(turned.difference, -result.difference);
  EXPECT_EQ(turned.low, -result.high);
  EXPECT_EQ(turned.student_p, result.student_p);
  EXPECT_EQ(turned.wilcoxon_p, result.wilcoxon_p);
}

TEST(ComparePaired, ThirtyPairs) {
  std::vector<double> differences;
  for (int i = 0; i < 30; ++i) differences.push_back((i * i / 3 % 2 == 0 ? 1 : -1) * (i + 1.5));
  // ttest_1samp(differences, 0), wilcoxon(differences, method="exact")
  EXPECT_NEAR(compare(differences).student_p, 0.8833104964652981, rounding);
  EXPECT_NEAR(compare(differences).wilcoxon_p, 0.8871948085725307, rounding);
}

TEST(ComparePaired, SixtyPairsWithTiesAndAZero) {
  std::vector<double> differences;
  for (int i = 0; i < 60; ++i) differences.push_back((37 * i % 61 - 22) / 64.0);
  const PairedComparison result = compare(differences);
  // ttest_1samp(differences, 0), wilcoxon(differences, method="asymptotic", correction=False, zero_method="wilcox")
  EXPECT_NEAR(result.student_p, 0.0008705408877644502, rounding);
  EXPECT_NEAR(result.low, 0.054370420366612826, rounding);
  EXPECT_NEAR(result.high, 0.19875457963338716, rounding);
  EXPECT_NEAR(result.wilcoxon_p, 0.0019438757088864145, rounding);
}

TEST(ComparePaired, TiesAndZerosByForce) {
  for (const std::vector<double>& differences :
       {std::vector<double>{1, 1, -1, 2, 2, -3, 4, 4}, {1, -1, 1, 1, 1, 2, 2, -2, 3, 3, 3, 5}, {0, 0, 1, 2, 2, -1, 3}})
    EXPECT_NEAR(compare(differences).wilcoxon_p, wilcoxon_by_force(differences), rounding);
  EXPECT_NEAR(compare({1, 1, -1, 2, 2, -3, 4, 4}).student_p, 0.1802623726903717, rounding);  // ttest_1samp(.., 0)
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> differences(2 + random() % 11);
    for (double& difference : differences) difference = static_cast<double>(random() % 9) - 3;
    EXPECT_NEAR(compare(differences).wilcoxon_p, wilcoxon_by_force(differences), rounding)
        << testing::PrintToString(differences);
  }
}

TEST(ComparePaired, TiesOfAccuraciesAreNotBrokenByRounding) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> method, baseline, counts;
    for (int i = 0; i < 10; ++i) {
      const auto a = static_cast<double>(20 + random() % 9), b = static_cast<double>(20 + random() % 9);
      method.push_back(a / 30);
      baseline.push_back(b / 30);
      counts.push_back(a - b);
    }
    EXPECT_NEAR(compare_paired(method, baseline).wilcoxon_p, wilcoxon_by_force(counts), rounding)
        << testing::PrintToString(counts);
  }
}

TEST(ComparePaired, AllEqual) {
  const PairedComparison nothing = compare({0, 0, 0});
  EXPECT_EQ(nothing.difference, 0);
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 0);
  EXPECT_EQ(nothing.student_p, 1);
  EXPECT_EQ(nothing.wilcoxon_p, 1);

  const PairedComparison always = compare({0.25, 0.25, 0.25, 0.25});
  EXPECT_EQ(always.low, 0.25);
  EXPECT_EQ(always.high, 0.25);
  EXPECT_EQ(always.student_p, 0);
  EXPECT_EQ(always.wilcoxon_p, 0.125);
}

TEST(ComparePaired, OneDifferenceAmongZerosTellsNothing) {
  EXPECT_EQ(compare({0, 0, 0, 1}).wilcoxon_p, 1);
  EXPECT_NEAR(compare({0, 0, 0, 1}).student_p, 0.3910022189557705, rounding);  // ttest_1samp(.., 0)
}

TEST(ComparePaired, RefusesBadInput) {
  const std::vector<double> none, one{1}, two{1, 2}, three{1, 2, 3};
  EXPECT_EQ(message_of([&] { summarise(none); }), "there are no values to summarise");
  EXPECT_EQ(message_of([&] { mean_interval(none); }), "there are no values to summarise");
  EXPECT_EQ(message_of([&] { compare_paired(one, one); }), "a paired test needs two or more pairs, not 1 and 1 values");
  EXPECT_EQ(message_of([&] { compare_paired(two, three); }),
            "a paired test needs two or more pairs, not 2 and 3 values");
  EXPECT_SAYS(message_of([&] { compare_paired(none, none); }), "two or more pairs, not 0 and 0");
}

}  // namespace
}  // namespace dsk::test

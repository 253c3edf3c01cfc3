#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "evaluate/evaluate.hpp"
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
  const Interval interval = mean_interval(values);
  EXPECT_NEAR(interval.high - 3.771428571428572, 2.519654100607034,
              rounding);  // t.interval(0.95, 6, 0, sem(values))[1]
  EXPECT_NEAR(interval.low - 3.771428571428572, -2.519654100607034, rounding);
}

TEST(Summarise, OneValueHasNoSpread) {
  const std::vector<double> one{0.7};
  EXPECT_EQ(summarise(one).mean, 0.7);
  EXPECT_EQ(summarise(one).deviation, 0);
  EXPECT_EQ(message_of([&] { mean_interval(one); }), "an interval needs two or more values, not 1");
}

TEST(Summarise, ValuesThatDoNotVaryHaveAnInterval) {
  const std::vector<double> values(4, 0.5);
  const Interval interval = mean_interval(values, {.test_to_train = 1, .step = 0.1});
  const std::vector<double> one_changed{0.5, 0.5, 0.6, 0.5};
  EXPECT_NEAR(summarise(one_changed).deviation, 0.1 / std::sqrt(4.0), rounding);
  const Interval expected = mean_interval(one_changed, {.test_to_train = 1, .step = 0.1});
  EXPECT_NEAR(interval.high - interval.low, expected.high - expected.low, rounding);
}

/// The probability of `right` or more of `count` where each has probability p.
long double binomial_tail(Index right, Index count, long double p) {
  long double sum = 0;
  for (Index k = right; k <= count; ++k) {
    long double term = 1;
    for (Index i = 1; i <= k; ++i) term *= p * static_cast<long double>(count - k + i) / static_cast<long double>(i);
    for (Index i = 0; i < count - k; ++i) term *= 1 - p;
    sum += term;
  }
  return sum;
}

TEST(Summarise, IntervalsOfSharesAreExact) {
  // binomtest(right, count).proportion_ci(0.95, "exact")
  struct Case {
    Index right, count;
    double low, high;
  };
  for (const Case& one :
       {Case{0, 10, 0, 0.30849710781876294}, Case{10, 10, 0.6915028921812371, 1},
        Case{23, 30, 0.5771634770217805, 0.9006621350419798}, Case{86, 120, 0.6271794615784165, 0.7951443321364777}}) {
    const Interval interval = share_interval(one.right, one.count);
    const double tolerance = rounding * static_cast<double>(one.count);
    EXPECT_NEAR(interval.low, one.low, tolerance) << one.right;
    EXPECT_NEAR(interval.high, one.high, tolerance) << one.right;
    const auto tail = [&](Index right, double p) { return static_cast<double>(binomial_tail(right, one.count, p)); };
    if (one.right > 0) {
      EXPECT_NEAR(tail(one.right, interval.low), 0.025, tolerance);
    }
    if (one.right < one.count) {
      EXPECT_NEAR(1 - tail(one.right + 1, interval.high), 0.025, tolerance);
    }
  }
  EXPECT_EQ(message_of([] { share_interval(3, 2); }), "3 of 2 is not a share");
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

/// The statistic of Nadeau & Bengio (2003), equation 14, in long double.
long double corrected_statistic(const std::vector<double>& differences, long double test_to_train) {
  const auto count = static_cast<long double>(differences.size());
  long double mean = 0, squares = 0;
  for (const double one : differences) mean += one / count;
  for (const double one : differences) squares += (one - mean) * (one - mean);
  return mean / std::sqrt((1 / count + test_to_train) * squares / (count - 1));
}

TEST(CorrectedTest, MeetsSciPy) {
  const std::vector<double> method{0.81, 0.92, 0.77, 0.88, 0.95, 0.70}, baseline{0.80, 0.87, 0.79, 0.81, 0.84, 0.67};
  const PairedComparison halves = compare_paired(method, baseline, {.test_to_train = 1});
  EXPECT_EQ(halves.test, PairedComparison::Test::corrected);
  // se = std(d, ddof=1) * sqrt(1/6 + 1); 2 * t.sf(mean(d) / se, 5); mean(d) -+ t.ppf(0.975, 5) * se
  EXPECT_NEAR(halves.p, 0.43795867072986744, rounding);
  EXPECT_NEAR(halves.low, -0.08546962056788579, rounding);
  EXPECT_NEAR(halves.high, 0.1688029539012191, rounding);
  EXPECT_NEAR(halves.student_p, 0.07626587605197523, rounding) << "the naive value stays beside it";
  EXPECT_EQ(halves.holm_p, halves.p);
  const PairedComparison folds = compare_paired(method, baseline, {.test_to_train = 0.25});  // sqrt(1/6 + 1/4)
  EXPECT_NEAR(folds.p, 0.2176867737407591, rounding);
  EXPECT_NEAR(folds.low, -0.034311797226979406, rounding);
  EXPECT_EQ(compare_paired(method, baseline).test, PairedComparison::Test::student);
  EXPECT_EQ(compare_paired(method, baseline).p, compare_paired(method, baseline).student_p);
}

TEST(CorrectedTest, IsMuchLessSureThanTheNaiveOneOverTwentyHalves) {
  std::vector<double> differences;
  for (int i = 0; i < 20; ++i) differences.push_back((7 * i % 11 - 3) / 100.0);
  const PairedComparison result = compare_paired(differences, std::vector<double>(20), {.test_to_train = 1});
  EXPECT_NEAR(result.student_p, 0.019267772054938015, rounding);  // ttest_1samp(differences, 0)
  EXPECT_NEAR(result.p, 0.5833613523793489, rounding);            // the same with sqrt(1/20 + 1) for sqrt(1/20)
}

TEST(CorrectedTest, MeetsTheFormula) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> differences(3 + random() % 20);
    for (double& difference : differences) difference = static_cast<double>(random() % 2001) / 1000 - 0.9;
    const double share = 0.05 + static_cast<double>(random() % 100) / 50;
    const PairedComparison result =
        compare_paired(differences, std::vector<double>(differences.size()), {.test_to_train = share});
    // The interval ends where t is the quantile q: difference / (difference - low) = t / q, for any share.
    const PairedComparison naive = compare_paired(differences, std::vector<double>(differences.size()));
    const auto quantile = static_cast<long double>(naive.difference - naive.low) * corrected_statistic(differences, 0) /
                          static_cast<long double>(naive.difference);
    EXPECT_NEAR(result.difference - result.low,
                static_cast<double>(quantile * static_cast<long double>(result.difference) /
                                    corrected_statistic(differences, static_cast<long double>(share))),
                1e3 * rounding);
    EXPECT_GE(result.p, naive.p);
  }
}

TEST(CorrectedTest, DifferencesThatDoNotVaryAreNotCertain) {
  const std::vector<double> high(2, 0.75), low(2, 0.5);
  EXPECT_EQ(compare_paired(high, low).student_p, 0);
  const PairedComparison two = compare_paired(high, low, {.test_to_train = 1, .step = 0.25});
  EXPECT_GT(two.p, 0.3);
  EXPECT_LT(two.low, 0);
  const PairedComparison none = compare_paired(high, high, {.test_to_train = 1, .step = 0.25});
  EXPECT_EQ(none.p, 1);
  EXPECT_LT(none.low, 0);
  EXPECT_GT(none.high, 0);
  const PairedComparison clear =
      compare_paired(std::vector<double>(20, 1.0), std::vector<double>(20, 0.5), {.test_to_train = 1, .step = 0.02});
  EXPECT_LT(clear.p, 1e-10) << "all right against half right on all of 20 halves";
}

/// Two-sided p over all 2^n ways in which n coins may fall.
double mcnemar_by_force(int gained, int lost) {
  const int n = gained + lost;
  double extreme = 0;
  for (unsigned coins = 0; coins < 1U << n; ++coins) {
    const int heads = __builtin_popcount(coins);
    extreme += std::abs(2 * heads - n) >= std::abs(2 * gained - n) ? 1 : 0;
  }
  return extreme / std::pow(2.0, n);
}

/// Hits of two methods on `count` matrices of which so many are right by one of them only.
PairedComparison hits(int gained, int lost, int count) {
  std::vector<double> method, baseline;
  for (int i = 0; i < count; ++i) {
    method.push_back(i < gained || (i >= gained + lost && i % 2 == 0) ? 1 : 0);
    baseline.push_back((i >= gained && i < gained + lost) || (i >= gained + lost && i % 2 == 0) ? 1 : 0);
  }
  return compare_hits(method, baseline);
}

TEST(McNemar, IsExact) {
  for (int gained = 0; gained <= 9; ++gained)
    for (int lost = 0; lost <= 9; ++lost) {
      const PairedComparison result = hits(gained, lost, 40);
      EXPECT_EQ(result.test, PairedComparison::Test::mcnemar);
      EXPECT_NEAR(result.p, mcnemar_by_force(gained, lost), rounding) << gained << " " << lost;
      EXPECT_NEAR(result.difference, (gained - lost) / 40.0, rounding);
      EXPECT_LT(result.low, result.difference);
      EXPECT_GT(result.high, result.difference);
    }
  EXPECT_NEAR(hits(3, 14, 50).p, 0.012725830078125, rounding);       // binomtest(3, 17).pvalue
  EXPECT_NEAR(hits(1, 30, 50).p, 2.9802322387695312e-08, 1e-20);     // binomtest(1, 31).pvalue
  EXPECT_NEAR(hits(9, 2, 40).low, 0.0061380919334879935, rounding);  // Bonett & Price: 10/42 - 3/42 -+ ...
  EXPECT_NEAR(hits(9, 2, 40).high, 0.32719524139984535, rounding);
}

/// By the definition: the largest, over the hypotheses rejected no later, of p times the number then left.
std::vector<double> holm_by_force(const std::vector<double>& p) {
  std::vector<double> adjusted;
  for (std::size_t i = 0; i < p.size(); ++i) {
    double largest = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (p[j] > p[i]) continue;
      double left = 0;
      for (const double other : p) left += other >= p[j] ? 1 : 0;
      largest = std::max(largest, std::min(1.0, left * p[j]));
    }
    adjusted.push_back(largest);
  }
  return adjusted;
}

TEST(Holm, MeetsTheDefinition) {
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005}), (std::vector<double>{0.03, 0.06, 0.06, 0.02}));
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.2}), std::vector<double>{0.2});
  EXPECT_TRUE(holm_adjusted(std::vector<double>{}).empty());
  std::mt19937 random(8);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> p(1 + random() % 8);
    for (double& one : p) one = static_cast<double>(random() % 40) / 100;
    EXPECT_EQ(holm_adjusted(p), holm_by_force(p)) << testing::PrintToString(p);
  }
}

TEST(ComparePaired, RefusesBadInput) {
  const std::vector<double> none, one{1}, two{1, 2}, three{1, 2, 3};
  EXPECT_EQ(message_of([&] { summarise(none); }), "there are no values to summarise");
  EXPECT_EQ(message_of([&] { mean_interval(none); }), "an interval needs two or more values, not 0");
  EXPECT_EQ(message_of([&] { compare_hits(one, one); }), "a paired test needs two or more pairs, not 1 and 1 values");
  EXPECT_EQ(message_of([&] { compare_paired(one, one); }), "a paired test needs two or more pairs, not 1 and 1 values");
  EXPECT_EQ(message_of([&] { compare_paired(two, three); }),
            "a paired test needs two or more pairs, not 2 and 3 values");
  EXPECT_SAYS(message_of([&] { compare_paired(none, none); }), "two or more pairs, not 0 and 0");
}

}  // namespace
}  // namespace dsk::test

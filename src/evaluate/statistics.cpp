#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "evaluate/evaluate.hpp"

namespace dsk {
namespace {

struct SignedRanks {
  std::vector<long> doubled;  ///< twice the rank of each absolute difference, ties sharing their mean rank
  long doubled_positive = 0;  ///< sum over positive differences
};

/// Differences that only rounding tells apart, or from 0, are equal: 0.6 - 0.55 and 0.55 - 0.5 are ties.
SignedRanks signed_ranks(std::vector<double> differences, double rounding) {
  std::erase_if(differences, [&](double difference) { return std::abs(difference) <= rounding; });
  std::sort(differences.begin(), differences.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRanks result;
  result.doubled.resize(differences.size());
  for (std::size_t first = 0, last = 0; first < differences.size(); first = last) {
    while (last < differences.size() && std::abs(differences[last]) - std::abs(differences[first]) <= rounding) ++last;
    for (std::size_t k = first; k < last; ++k) {
      result.doubled[k] = static_cast<long>(first + last + 1);
      if (differences[k] > 0) result.doubled_positive += result.doubled[k];
    }
  }
  return result;
}

/// Share of all assignments of signs whose positive ranks sum to no more than `limit`.
double share_up_to(const std::vector<long>& doubled_ranks, long limit) {
  const long total = std::accumulate(doubled_ranks.begin(), doubled_ranks.end(), 0L);
  std::vector<double> share(static_cast<std::size_t>(total) + 1, 0.0);
  share[0] = 1;
  for (const long rank : doubled_ranks)
    for (long sum = total; sum >= 0; --sum) {
      const double without = share[static_cast<std::size_t>(sum)];
      const double with = sum >= rank ? share[static_cast<std::size_t>(sum - rank)] : 0;
      share[static_cast<std::size_t>(sum)] = (without + with) / 2;
    }
  return std::accumulate(share.begin(), share.begin() + limit + 1, 0.0);
}

double wilcoxon(const std::vector<double>& differences, double rounding) {
  constexpr std::size_t most_for_exact = 50;
  const SignedRanks ranks = signed_ranks(differences, rounding);
  if (ranks.doubled.empty()) return 1;
  const long total = std::accumulate(ranks.doubled.begin(), ranks.doubled.end(), 0L);
  const long smaller = std::min(ranks.doubled_positive, total - ranks.doubled_positive);
  if (ranks.doubled.size() <= most_for_exact) return std::min(1.0, 2 * share_up_to(ranks.doubled, smaller));
  double squares = 0;
  for (const long rank : ranks.doubled) squares += static_cast<double>(rank) * static_cast<double>(rank);
  const double z = (static_cast<double>(smaller) - static_cast<double>(total) / 2) / (std::sqrt(squares) / 2);
  return std::min(1.0, 2 * boost::math::cdf(boost::math::normal(), z));
}

void check_pairs(std::span<const double> method, std::span<const double> baseline) {
  if (method.size() != baseline.size() || method.size() < 2)
    throw InvalidInput(
        fmt::format("a paired test needs two or more pairs, not {} and {} values", method.size(), baseline.size()));
}

std::vector<double> differences_of(std::span<const double> method, std::span<const double> baseline) {
  std::vector<double> differences(method.size());
  std::transform(method.begin(), method.end(), baseline.begin(), differences.begin(), std::minus<>());
  return differences;
}

/// What differences of these values may be off by.
double rounding_of(std::span<const double> method, std::span<const double> baseline) {
  double largest = 0;
  for (const auto& values : {method, baseline})
    for (const double value : values) largest = std::max(largest, std::abs(value));
  return 4 * std::numeric_limits<double>::epsilon() * largest;
}

/// Standard error of the mean over splits, corrected for what their training parts share (Nadeau & Bengio).
double error_of_mean(const Summary& summary, double count, const Resampling& splits) {
  const double deviation = std::max(summary.deviation, splits.step / std::sqrt(count));
  return deviation * std::sqrt(1 / count + splits.test_to_train);
}

/// Two-sided p of Student's t-test; an error of 0 is taken as it is.
double student_p(double mean, double error, double count, double rounding) {
  if (error <= rounding) return std::abs(mean) <= rounding ? 1 : 0;
  return 2 * boost::math::cdf(boost::math::students_t(count - 1), -std::abs(mean / error));
}

double quantile_of_student(double count) {
  return boost::math::quantile(boost::math::students_t(count - 1), 0.975);
}

/// Two-sided p that a fair coin shows one side so many times out of the sum, by the exact binomial distribution.
double sign_test(double first, double second) {
  if (first + second == 0) return 1;
  const boost::math::binomial_distribution<double> coin(first + second, 0.5);
  return std::min(1.0, 2 * boost::math::cdf(coin, std::min(first, second)));
}

}  // namespace

std::string_view name(PairedComparison::Test test) {
  if (test == PairedComparison::Test::student) return "paired t-test";
  return test == PairedComparison::Test::corrected ? "corrected resampled t-test" : "McNemar's exact test";
}

Summary summarise(std::span<const double> values) {
  if (values.empty()) throw InvalidInput("there are no values to summarise");
  const auto count = static_cast<double>(values.size());
  Summary summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  if (values.size() > 1) summary.deviation = std::sqrt(squares / (count - 1));
  return summary;
}

Interval mean_interval(std::span<const double> values, const Resampling& splits) {
  if (values.size() < 2) throw InvalidInput(fmt::format("an interval needs two or more values, not {}", values.size()));
  const Summary summary = summarise(values);
  const auto count = static_cast<double>(values.size());
  const double reach = quantile_of_student(count) * error_of_mean(summary, count, splits);
  return {summary.mean - reach, summary.mean + reach};
}

Interval share_interval(Index right, Index count) {
  if (count < 1 || right < 0 || right > count) throw InvalidInput(fmt::format("{} of {} is not a share", right, count));
  using boost::math::binomial_distribution;
  const auto trials = static_cast<double>(count), successes = static_cast<double>(right);
  return {binomial_distribution<>::find_lower_bound_on_p(trials, successes, 0.025),
          binomial_distribution<>::find_upper_bound_on_p(trials, successes, 0.025)};
}

PairedComparison compare_paired(std::span<const double> method, std::span<const double> baseline,
                                const Resampling& splits) {
  check_pairs(method, baseline);
  const std::vector<double> differences = differences_of(method, baseline);
  const Summary summary = summarise(differences);
  const auto count = static_cast<double>(differences.size());
  const double rounding = rounding_of(method, baseline);
  const double error = error_of_mean(summary, count, splits);
  PairedComparison result;
  result.test = splits.test_to_train > 0 ? PairedComparison::Test::corrected : PairedComparison::Test::student;
  result.difference = result.low = result.high = summary.mean;
  if (error > rounding) {
    result.low -= quantile_of_student(count) * error;
    result.high += quantile_of_student(count) * error;
  }
  result.p = result.holm_p = student_p(summary.mean, error, count, rounding);
  result.student_p = student_p(summary.mean, error_of_mean(summary, count, {}), count, rounding);
  result.wilcoxon_p = wilcoxon(differences, rounding);
  return result;
}

PairedComparison compare_hits(std::span<const double> method, std::span<const double> baseline) {
  PairedComparison result = compare_paired(method, baseline);
  result.test = PairedComparison::Test::mcnemar;
  double gained = 0, lost = 0;
  for (std::size_t i = 0; i < method.size(); ++i) (method[i] > baseline[i] ? gained : lost) += method[i] != baseline[i];
  result.p = result.holm_p = sign_test(gained, lost);
  // Wald's interval with one more matrix gained and one more lost: its width is never 0.
  const double count = static_cast<double>(method.size()) + 2;
  const double centre = (gained - lost) / count;
  const double variance = ((gained + lost + 2) / count - centre * centre) / count;
  const double reach = boost::math::quantile(boost::math::normal(), 0.975) * std::sqrt(variance);
  result.low = std::max(-1.0, centre - reach);
  result.high = std::min(1.0, centre + reach);
  return result;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - k) * p_values[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

}  // namespace dsk

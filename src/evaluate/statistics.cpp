#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

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

}  // namespace

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

double mean_interval(std::span<const double> values) {
  const Summary summary = summarise(values);
  if (values.size() < 2) return 0;
  const auto count = static_cast<double>(values.size());
  return boost::math::quantile(boost::math::students_t(count - 1), 0.975) * summary.deviation / std::sqrt(count);
}

PairedComparison compare_paired(std::span<const double> method, std::span<const double> baseline) {
  if (method.size() != baseline.size() || method.size() < 2)
    throw InvalidInput(
        fmt::format("a paired test needs two or more pairs, not {} and {} values", method.size(), baseline.size()));
  std::vector<double> differences(method.size());
  std::transform(method.begin(), method.end(), baseline.begin(), differences.begin(), std::minus<>());
  const Summary summary = summarise(differences);
  const auto count = static_cast<double>(differences.size());
  const double error = summary.deviation / std::sqrt(count);
  double largest = 0;
  for (const auto& values : {method, baseline})
    for (const double value : values) largest = std::max(largest, std::abs(value));
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * largest;
  PairedComparison result;
  result.difference = result.low = result.high = summary.mean;
  if (error > rounding) {
    const double reach = mean_interval(differences);
    result.low -= reach;
    result.high += reach;
    result.student_p = 2 * boost::math::cdf(boost::math::students_t(count - 1), -std::abs(summary.mean / error));
  } else {
    result.student_p = std::abs(summary.mean) <= rounding ? 1 : 0;
  }
  result.wilcoxon_p = wilcoxon(differences, rounding);
  return result;
}

}  // namespace dsk

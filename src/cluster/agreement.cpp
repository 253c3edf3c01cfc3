#include <dsk/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace dsk {
namespace {

struct Contingency {
  std::map<std::pair<int, int>, double> both;
  std::map<int, double> one, other;
  double all = 0;
};

Contingency counted(std::span<const int> one, std::span<const int> other) {
  if (one.size() != other.size())
    throw InvalidInput(fmt::format("{} and {} labels cannot be compared", one.size(), other.size()));
  Contingency counts;
  for (std::size_t i = 0; i < one.size(); ++i) {
    ++counts.both[{one[i], other[i]}];
    ++counts.one[one[i]];
    ++counts.other[other[i]];
  }
  counts.all = static_cast<double>(one.size());
  return counts;
}

double pairs_among(double count) {
  return count * (count - 1) / 2;
}

template <class Counts, class Term>
double sum_over(const Counts& counts, const Term& term) {
  double sum = 0;
  for (const auto& [key, count] : counts) sum += term(count);
  return sum;
}

}  // namespace

double adjusted_rand_index(std::span<const int> one, std::span<const int> other) {
  const Contingency counts = counted(one, other);
  const double together = sum_over(counts.both, pairs_among), first = sum_over(counts.one, pairs_among),
               second = sum_over(counts.other, pairs_among);
  const double expected = counts.all > 1 ? first * second / pairs_among(counts.all) : 0, most = (first + second) / 2;
  // Both are one cluster, or both are all alone.
  return most == expected ? 1 : (together - expected) / (most - expected);
}

double normalised_mutual_information(std::span<const int> one, std::span<const int> other) {
  const Contingency counts = counted(one, other);
  const auto entropy = [&](double count) { return -count / counts.all * std::log(count / counts.all); };
  const double first = sum_over(counts.one, entropy), second = sum_over(counts.other, entropy);
  if (first == 0 && second == 0) return 1;
  double mutual = 0;
  for (const auto& [labels, count] : counts.both)
    mutual += count / counts.all *
              std::log(count * counts.all / (counts.one.at(labels.first) * counts.other.at(labels.second)));
  return std::clamp(mutual / ((first + second) / 2), 0.0, 1.0);
}

}  // namespace dsk

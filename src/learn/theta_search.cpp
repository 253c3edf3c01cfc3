#include "learn/minimise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace dsk::detail {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// `count` numbers strictly between low and high, evenly spaced in the logarithm.
std::vector<double> between(double low, double high, int count) {
  std::vector<double> result;
  for (int k = 1; k <= count; ++k) result.push_back(low * std::pow(high / low, k / (count + 1.0)));
  return result;
}

/// The values of one parameter that were or will be tried, closer and closer to the best.
class Axis {
 public:
  /// Values up to `lattice_end` must be half integers.
  explicit Axis(std::vector<double> values, double lattice_end = 0)
      : known_(values), next_(std::move(values)), lattice_end_(lattice_end) {}
  static Axis fixed(double value) { return Axis({value}); }

  const std::vector<double>& next() const { return next_; }
  bool is_fixed() const { return known_.size() == 1; }
  double largest() const { return known_.back(); }

  /// Next come the best value and others between it and its neighbours.
  void narrow(double best) { refine(best, 3); }

  /// Next come the best value, its neighbours and values half way to them.
  void narrow_with_neighbours(double best) {
    const auto [low, high] = neighbours(best);
    refine(best, 1);
    next_.insert(next_.end(), {low, high});
    learn();
  }

  /// Next come values above all known ones.
  void extend() {
    next_ = {4 * largest(), 16 * largest()};
    learn();
  }

 private:
  /// The known values next to one, itself where there is none.
  std::pair<double, double> neighbours(double value) const {
    const auto at = std::lower_bound(known_.begin(), known_.end(), value);
    return {at == known_.begin() ? value : *(at - 1), at + 1 == known_.end() ? value : *(at + 1)};
  }
  void refine(double best, int count) {
    if (is_fixed()) return;
    const auto [low, high] = neighbours(best);
    next_ = {best};
    if (low < best) take(between(low, best, count));
    if (high > best) take(between(best, high, count));
    learn();
  }
  void take(const std::vector<double>& values) {
    for (const double value : values)
      next_.push_back(value > lattice_end_ ? value : std::max(0.5, std::round(2 * value) / 2));
  }
  void learn() {
    known_.insert(known_.end(), next_.begin(), next_.end());
    for (std::vector<double>* list : {&known_, &next_}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

  std::vector<double> known_;
  std::vector<double> next_;
  double lattice_end_;
};

/// The half integers up to (d-1)/2, thinned out to at most `most`, then values up to 10^7 times as large.
Axis theta_axis(Index dim, std::size_t most) {
  const double bound = static_cast<double>(dim - 1) / 2;
  std::vector<double> thetas;
  for (double theta = 0.5; theta <= bound; theta += 0.5) thetas.push_back(theta);
  if (thetas.size() > most) {
    std::vector<double> kept;
    for (const double wanted : between(0.5, bound, static_cast<int>(most) - 2))
      kept.push_back(std::round(2 * wanted) / 2);
    kept.push_back(thetas.front());
    kept.push_back(thetas.back());
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    thetas = std::move(kept);
  }
  // Powers of two, then of four: some criteria have a second optimum where the kernel is all but the unit matrix. For
  // d = 1, where no theta is too small, also some below.
  const double first = std::sqrt(2) * std::max(bound, 1.0 / 64);
  constexpr int doublings = 12, quadruplings = 6;
  for (int k = bound > 0 ? 0 : -quadruplings; k < 0; ++k) thetas.push_back(first * std::ldexp(1, 2 * k));
  for (int k = 0; k < doublings; ++k) thetas.push_back(first * std::ldexp(1, k));
  for (int k = 1; k <= quadruplings; ++k) thetas.push_back(first * std::ldexp(1, doublings - 1 + 2 * k));
  return Axis(std::move(thetas), bound);
}

/// For metrics that have a kernel for any theta: around one over a typical squared distance.
Axis theta_axis(double typical) {
  const double unit = typical > 0 ? 1 / typical : 1;
  constexpr int halvings = 8, doublings = 12, quadruplings = 6;
  std::vector<double> thetas;
  for (int k = -halvings; k <= doublings; ++k) thetas.push_back(std::ldexp(unit, k));
  for (int k = 1; k <= quadruplings; ++k) thetas.push_back(std::ldexp(unit, doublings + 2 * k));
  return Axis(std::move(thetas));
}

/// Positions from the middle down to the first, then up to the last.
std::vector<std::size_t> from_the_middle(std::size_t count) {
  std::vector<std::size_t> positions;
  for (std::size_t k = count / 2 + 1; k > 0; --k) positions.push_back(k - 1);
  for (std::size_t k = count / 2 + 1; k < count; ++k) positions.push_back(k);
  return positions;
}

/// The values of a criterion of theta and C that is minimised, infinite where they are known or cannot be the smallest.
Matrix values_of_pairs(const std::vector<double>& thetas, const std::vector<double>& cs, const PlainValues& values_of,
                       double smallest, std::set<std::pair<double, double>>& known) {
  double limit = std::isnan(smallest) ? no_limit : smallest;
  Matrix values = Matrix::Constant(std::ssize(thetas), std::ssize(cs), no_limit);
  // Thetas for which the same C are left are tried together, so that pairs are compared once.
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> thetas_by_cs;
  for (const std::size_t t : from_the_middle(thetas.size())) {
    std::vector<std::size_t> left;
    for (std::size_t k = 0; k < cs.size(); ++k)
      if (known.emplace(thetas[t], cs[k]).second) left.push_back(k);
    if (!left.empty()) thetas_by_cs[left].push_back(t);
  }
  for (const auto& [columns, rows] : thetas_by_cs) {
    std::vector<double> some_thetas, some_cs;
    for (const std::size_t t : rows) some_thetas.push_back(thetas[t]);
    for (const std::size_t k : columns) some_cs.push_back(cs[k]);
    const Matrix found = values_of(some_thetas, some_cs, limit);
    for (std::size_t t = 0; t < rows.size(); ++t)
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double value = found(static_cast<Index>(t), static_cast<Index>(k));
        values(static_cast<Index>(rows[t]), static_cast<Index>(columns[k])) = value;
        if (value < limit) limit = value;
      }
  }
  return values;
}

/// The best theta on this axis, and C; the value is NaN where the criterion is finite nowhere. `typical` is a squared
/// distance.
PlainKernel search_along(Axis thetas, const PlainValues& values_of, double typical, const FitOptions& options) {
  const bool soft = has_soft_margin(options.criterion), maximised = is_maximised(options.criterion);
  Axis cs = !soft       ? Axis::fixed(0)
            : options.c ? Axis::fixed(*options.c)
                        : Axis({0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000});
  PlainKernel best;
  best.value = std::numeric_limits<double>::quiet_NaN();
  std::set<std::pair<double, double>> known;
  const auto look = [&] {
    const Matrix values = soft ? values_of_pairs(thetas.next(), cs.next(), values_of, best.value, known)
                               : values_of(thetas.next(), cs.next(), no_limit);
    for (Index t = 0; t < values.rows(); ++t)
      for (Index k = 0; k < values.cols(); ++k) {
        const double value = values(t, k);
        if (std::isfinite(value) && !(maximised ? value <= best.value : value >= best.value))
          best = {thetas.next()[static_cast<std::size_t>(t)], cs.next()[static_cast<std::size_t>(k)], value};
      }
  };
  look();
  const double largest_theta = 1e12 / (typical > 0 ? typical : 1);
  while (!thetas.is_fixed() && best.theta == thetas.largest() && best.theta < largest_theta) {
    thetas.extend();
    look();
  }
  if (std::isnan(best.value)) return best;
  // With two parameters the best may lie along a slanting valley: many small steps follow it.
  const bool both = !thetas.is_fixed() && !cs.is_fixed();
  const int rounds = thetas.is_fixed() && cs.is_fixed() ? 0 : both ? 5 : 4;
  for (int round = 0; round < rounds; ++round) {
    both ? thetas.narrow_with_neighbours(best.theta) : thetas.narrow(best.theta);
    both ? cs.narrow_with_neighbours(best.c) : cs.narrow(best.c);
    look();
  }
  return best;
}

}  // namespace

double typical_divergence(const LearnedKernel& kernel, const SpdBatch& x, int threads) {
  constexpr Index most = 300;
  std::vector<Index> some;
  const Index step = (x.size() + most - 1) / most;
  for (Index i = 0; i < x.size(); i += step) some.push_back(i);
  return median_above_diagonal(pairwise_divergences(kernel, x.select(some), {.threads = threads}), true);
}

PlainKernel search_plain_kernel(const PlainValues& values_of, const LearnedKernel& plain, const SpdBatch& x,
                                const FitOptions& options) {
  const bool soft = has_soft_margin(options.criterion);
  const bool restricted = plain.metric() == Metric::stein;
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  const bool searches_all = !options.theta && (!restricted || options.search_all_thetas);
  const double typical = searches_all ? typical_divergence(plain, x, options.pairs.threads) : 1;
  const double unit = restricted ? 1 : typical;
  std::vector<PlainKernel> found;
  if (options.theta)
    found.push_back(search_along(Axis::fixed(*options.theta), values_of, unit, options));
  else if (restricted)
    found.push_back(search_along(theta_axis(x.dim(), soft ? 8 : all), values_of, unit, options));
  if (searches_all) found.push_back(search_along(theta_axis(typical), values_of, typical, options));
  // A kernel that is positive definite for every sample is worth a little of the criterion.
  constexpr double little = 1e-2;
  PlainKernel best = found.front();
  const double gain = (is_maximised(options.criterion) ? 1 : -1) * (found.back().value - best.value);
  if (std::isnan(best.value) || gain > little * std::abs(best.value)) best = found.back();
  if (std::isnan(best.value))
    throw UndefinedForData(fmt::format(
        "criterion {} is not finite for any theta tried: are all matrices of each class equal, or is C out of range?",
        name(options.criterion)));
  return best;
}

}  // namespace dsk::detail

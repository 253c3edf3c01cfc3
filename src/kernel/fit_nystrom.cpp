#include <dsk/engine.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/incomplete_cholesky.hpp"

namespace dsk {
namespace {

constexpr std::string_view adaptive_name = "adaptive";
constexpr std::string_view greedy_name = "greedy";
constexpr std::string_view uniform_name = "uniform";

Index pool_size(const NystromOptions& options) {
  constexpr Index fewest = 10'000, for_each_landmark = 10;
  return options.pool > 0 ? options.pool : std::max(fewest, for_each_landmark * options.landmarks);
}

void check(const NystromOptions& options) {
  if (options.landmarks < 1 || options.landmarks > most_landmarks)
    throw InvalidInput(fmt::format("landmarks {} must be from 1 to {}", options.landmarks, most_landmarks));
  if (options.error && !(*options.error >= 0 && *options.error < 1))
    throw InvalidInput(fmt::format("error {} must be 0 or more and below 1", *options.error));
  if (options.pool < 0) throw InvalidInput(fmt::format("pool {} must be 0 or more", options.pool));
}

/// The median over all pairs of a sample, then the next theta above its inverse that makes a kernel.
double typical_theta(const Comparison& comparison, const SpdBatch& x, const NystromOptions& options) {
  constexpr Index sampled = 500;
  const std::vector<Index> some = random_sample(x.size(), sampled, options.seed);
  const Matrix squared = squared_distances(comparison, x.select(some), options.pairs);
  std::vector<double> values;
  for (Index i = 0; i < squared.rows(); ++i)
    for (Index j = i + 1; j < squared.cols(); ++j) values.push_back(squared(i, j));
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double theta = *middle > 0 && std::isfinite(1 / *middle) ? 1 / *middle : 1;
  return is_valid_theta(comparison.metric, theta, x.dim()) ? theta : std::ceil(2 * theta) / 2;
}

double chosen_theta(const Comparison& comparison, const SpdBatch& x, const NystromOptions& options) {
  if (options.theta) return *options.theta;
  return comparison.learned ? comparison.learned->theta() : typical_theta(comparison, x, options);
}

}  // namespace

Landmarks parse_landmarks(std::string_view text) {
  if (text == adaptive_name) return Landmarks::adaptive;
  if (text == greedy_name) return Landmarks::greedy;
  if (text == uniform_name) return Landmarks::uniform;
  throw InvalidInput(fmt::format("landmarks '{}' are unknown; use adaptive, greedy or uniform", text));
}

std::string_view name(Landmarks choice) {
  if (choice == Landmarks::adaptive) return adaptive_name;
  return choice == Landmarks::greedy ? greedy_name : uniform_name;
}

NystromResult fit_nystrom(const Comparison& comparison, const Dataset& train, const NystromOptions& options) {
  check(options);
  if (comparison.metric == Metric::airm) throw InvalidInput("airm gives no positive definite kernel to approximate");
  const int threads = options.pairs.threads;
  const std::vector<Index> drawn = random_sample(train.size(), pool_size(options), options.seed);
  const ComparedBatch pool(comparison, train.matrices().select(drawn), threads);
  const double theta = chosen_theta(comparison, train.matrices(), options);
  check_theta(comparison.metric, theta, train.dim());
  NystromFit fit;
  fit.pool = pool.size();
  try {
    detail::IncompleteCholesky factored = detail::incomplete_cholesky(pool, theta, train.size(), options);
    for (const Index pivot : factored.pivots) fit.chosen.push_back(drawn[static_cast<std::size_t>(pivot)]);
    fit.residual_shares = std::move(factored.residual_shares);
    return {NystromMap(comparison, theta, train.select(fit.chosen), std::move(factored.factor), threads), fit};
  } catch (const PairFailure& failure) {
    const auto position = [&](Index i) { return drawn[static_cast<std::size_t>(i)]; };
    throw PairFailure(position(failure.row()), position(failure.column()));
  }
}

NystromResult fit_nystrom(const LearnedKernel& kernel, const Dataset& train, const NystromOptions& options) {
  return fit_nystrom(Comparison{.learned = kernel}, train, options);
}

}  // namespace dsk

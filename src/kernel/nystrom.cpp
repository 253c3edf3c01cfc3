#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/engine.hpp"
#include "kernel/incomplete_cholesky.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"

namespace dsk {
namespace {

/// Rows of kernel values become L^-1 of themselves.
void solve_rows(Matrix& rows, const Matrix& factor, int threads) {
  const Index size = factor.rows();
  constexpr Index together = 128;  // fewer would read the whole factor from memory for too little work
  const double nanoseconds = 0.1 * static_cast<double>(together * size * size);
  detail::for_ranges((rows.rows() + together - 1) / together, threads, nanoseconds, [&](Index first, Index last) {
    for (Index piece = first; piece < last; ++piece) {
      const Index begin = piece * together, count = std::min(together, rows.rows() - begin);
      Eigen::Map<Eigen::MatrixXd> columns(&rows(begin, 0), size, count);
      factor.triangularView<Eigen::Lower>().solveInPlace(columns);
    }
  });
}

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
  const Matrix squared = pairwise_squared_distances(comparison, x.select(some), options.pairs);
  const double median = detail::median_above_diagonal(squared);
  const double theta = median > 0 && std::isfinite(1 / median) ? 1 / median : 1;
  return is_valid_theta(comparison.metric, theta, x.dim()) ? theta : std::ceil(2 * theta) / 2;
}

double chosen_theta(const Comparison& comparison, const SpdBatch& x, const NystromOptions& options) {
  if (options.theta) return *options.theta;
  return comparison.learned ? comparison.learned->theta() : typical_theta(comparison, x, options);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

NystromMap::NystromMap(Comparison comparison, double theta, Dataset landmarks, Matrix factor, int threads)
    : comparison_(std::move(comparison)),
      theta_(theta),
      landmarks_(std::move(landmarks)),
      factor_(std::move(factor)),
      compared_(std::make_shared<const ComparedBatch>(comparison_, landmarks_.matrices(), threads)) {
  check_theta(comparison_.metric, theta_, dim());
  if (factor_.rows() != size() || factor_.cols() != size())
    throw InvalidInput(
        fmt::format("a {} x {} factor does not fit {} landmarks", factor_.rows(), factor_.cols(), size()));
  if (!factor_.allFinite() || !(factor_.diagonal().minCoeff() > 0))
    throw InvalidInput("the factor of the landmarks' kernel matrix is not finite with a positive diagonal");
}

void NystromMap::visit_features(const SpdBatch& x, const Visitor& visit, const PairOptions& options) const {
  detail::visit_row_blocks(comparison_, x, *compared_, options, [&](Index first, detail::SquaredDistances squared) {
    Matrix rows = detail::finished(std::move(squared), true, options.threads);
    exponential_in_place(rows, -theta_, options.threads);
    solve_rows(rows, factor_, options.threads);
    visit(first, rows);
  });
}

Matrix NystromMap::features(const SpdBatch& x, const PairOptions& options) const {
  Matrix result(x.size(), size());
  visit_features(
      x, [&](Index first, const Matrix& rows) { result.middleRows(first, rows.rows()) = rows; }, options);
  return result;
}

double residual(const Eigen::Ref<const Eigen::RowVectorXd>& features) {
  return std::max(0.0, 1 - features.squaredNorm());
}

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
  if (theta_rule(comparison.metric) == ThetaRule::none)
    throw InvalidInput(fmt::format("{} gives no positive definite kernel to approximate", name(comparison.metric)));
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
  return fit_nystrom(comparison_by(kernel), train, options);
}

NystromOptions parse_nystrom(std::string_view text) {
  constexpr std::string_view method = "nystrom:", by_error = "error=";
  constexpr double default_error = 0.01;
  const auto refuse = [&] {
    return InvalidInput(fmt::format(
        "approximation '{}' is unknown; use nystrom:M with M landmarks from 1 to {}, nystrom:error=E with E from 0 to "
        "below 1, or nystrom:auto",
        text, most_landmarks));
  };
  if (!text.starts_with(method)) throw refuse();
  const std::string_view how = text.substr(method.size());
  NystromOptions options;
  if (how == "auto" || how.starts_with(by_error)) {
    options.landmarks = 2000;
    options.error = how == "auto" ? default_error : number<double>(how.substr(by_error.size()));
    if (!options.error || !(*options.error >= 0 && *options.error < 1)) throw refuse();
    return options;
  }
  const std::optional<Index> landmarks = number<Index>(how);
  if (!landmarks || *landmarks < 1 || *landmarks > most_landmarks) throw refuse();
  options.landmarks = *landmarks;
  return options;
}

}  // namespace dsk

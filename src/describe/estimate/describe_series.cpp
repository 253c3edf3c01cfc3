#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "describe/estimate/estimators.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

struct TrialOutcome {
  Matrix matrix;
  std::string problem;
  bool rank_deficient = false;
};

/// Names such as "2 at 8-12" for a filter bank; none without bands.
std::vector<std::string> channel_names(Index channels, const std::vector<Band>& bands) {
  std::vector<std::string> names;
  for (const Band& band : bands)
    for (Index c = 0; c < channels; ++c) names.push_back(fmt::format("{} at {}-{}", c, band.low, band.high));
  return names;
}

void check(std::span<const MatrixView> trials, const SeriesOptions& options) {
  if (trials.empty()) throw InvalidInput("there are no trials");
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].rows() != trials[0].rows())
      throw InvalidInput(
          fmt::format("trial {} has {} channels, but trial 0 has {}", i, trials[i].rows(), trials[0].rows()));
  for (const Band& band : options.bands) band_pass(Matrix(), band, options.rate, options.order);
}

TrialOutcome describe(const MatrixView& trial, const SeriesOptions& options, detail::FeatureNames names,
                      detail::FeatureRows& rows) try {
  const auto put = [&](const auto& signals) {
    rows.reset(signals.rows(), signals.cols());
    for (Index c = 0; c < signals.rows(); ++c)
      std::copy_n(signals.data() + c * signals.cols(), signals.cols(), rows.row(c));
  };
  options.bands.empty() ? put(trial) : put(filter_bank(trial, options));
  return {detail::definite_estimate(options.estimator, rows.moments(options.estimator, names), names), {}, false};
} catch (const RankDeficient& error) {
  return {{}, error.problem(), true};
} catch (const InvalidInput& error) {
  return {{}, error.what(), false};
}

[[noreturn]] void refuse(const std::vector<TrialOutcome>& outcomes) {
  const auto is_bad = [](const TrialOutcome& outcome) { return !outcome.problem.empty(); };
  const auto first = std::find_if(outcomes.begin(), outcomes.end(), is_bad);
  const auto count = std::count_if(outcomes.begin(), outcomes.end(), is_bad);
  std::string message = fmt::format("trial {}: {}", first - outcomes.begin(), first->problem);
  if (count > 1)
    message = fmt::format("{} of {} trials cannot be used; the first is {}", count, outcomes.size(), message);
  if (first->rank_deficient) throw RankDeficient(message);
  throw InvalidInput(message);
}

}  // namespace

Matrix filter_bank(const MatrixView& trial, const SeriesOptions& options) {
  if (options.bands.empty()) return trial;
  Matrix result(trial.rows() * static_cast<Index>(options.bands.size()), trial.cols());
  for (std::size_t b = 0; b < options.bands.size(); ++b)
    result.middleRows(static_cast<Index>(b) * trial.rows(), trial.rows()) =
        band_pass(trial, options.bands[b], options.rate, options.order);
  return result;
}

SeriesResult describe_series(std::span<const MatrixView> trials, const SeriesOptions& options) {
  check(trials, options);
  const Index dim = trials[0].rows() * std::max<Index>(static_cast<Index>(options.bands.size()), 1);
  const auto names = channel_names(trials[0].rows(), options.bands);
  std::vector<TrialOutcome> outcomes(trials.size());
  const double cost = 20 * static_cast<double>(dim * trials[0].cols()) + detail::cubic_cost(dim, 1);
  detail::for_ranges(static_cast<Index>(trials.size()), options.threads, cost, [&](Index first, Index last) {
    detail::FeatureRows rows;
    for (Index i = first; i < last; ++i) {
      const auto k = static_cast<std::size_t>(i);
      outcomes[k] = describe(trials[k], options, names, rows);
    }
  });
  std::vector<Index> kept;
  std::vector<BadTrial> bad;
  MatrixStack stack{0, dim, {}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].problem.empty()) {
      bad.push_back({static_cast<Index>(i), outcomes[i].problem});
      continue;
    }
    kept.push_back(static_cast<Index>(i));
    ++stack.count;
    stack.values.insert(stack.values.end(), outcomes[i].matrix.data(), outcomes[i].matrix.data() + dim * dim);
  }
  if (kept.empty() || (!bad.empty() && !options.skip_bad)) refuse(outcomes);
  return {detail::trust(std::move(stack)), std::move(kept), std::move(bad)};
}

}  // namespace dsk

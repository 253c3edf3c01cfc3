// Recordings of several channels: band-pass filters, and one covariance per trial.

#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>

#include "describe/estimate/estimators.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using Complex = std::complex<double>;

/// Second-order section y[t] = b (x[t] - x[t-2]) - a1 y[t-1] - a2 y[t-2], with zeros at frequency 0 and at half the
/// sampling rate.
struct FilterSection {
  double b = 1, a1 = 0, a2 = 0;

  FilterSection(Complex pole, Complex other, double centre) {
    a1 = -(pole + other).real();
    a2 = (pole * other).real();
    const Complex z = std::polar(1.0, -centre);
    b = 1 / std::abs((1.0 - z * z) / (1.0 + a1 * z + a2 * z * z));
  }

  /// Filters in place, with the steady state for the first value as initial state.
  void filter(std::vector<double>& x) const {
    double first = -b * x[0], second = -b * x[0];
    for (double& value : x) {
      const double in = value;
      value = b * in + first;
      first = second - a1 * value;
      second = -b * in - a2 * value;
    }
  }
};

/// Band-pass by the bilinear transform. Frequencies are in units of half the sampling rate.
std::vector<FilterSection> butterworth(double low, double high, int order) {
  const auto warped = [](double frequency) { return 4 * std::tan(std::numbers::pi * frequency / 2); };
  const double width = warped(high) - warped(low), centre = std::sqrt(warped(low) * warped(high));
  const double digital_centre = 2 * std::atan(centre / 4);
  const auto digital = [](Complex pole) { return (4.0 + pole) / (4.0 - pole); };
  std::vector<FilterSection> sections;
  for (int k = 0; 2 * k < order; ++k) {
    const double angle = std::numbers::pi * (2 * k + order + 1) / (2 * order);
    const bool is_real = 2 * k + 1 == order;
    const Complex middle = (is_real ? Complex(-1) : std::polar(1.0, angle)) * width / 2.0;
    const Complex root = std::sqrt(middle * middle - centre * centre);
    const Complex pole = digital(middle + root), other = digital(middle - root);
    if (is_real) {
      sections.emplace_back(pole, other, digital_centre);
    } else {
      sections.emplace_back(pole, std::conj(pole), digital_centre);
      sections.emplace_back(other, std::conj(other), digital_centre);
    }
  }
  return sections;
}

void check(const Band& band, double rate, int order) {
  if (!(rate > 0) || !std::isfinite(rate)) throw InvalidInput("bands need a sampling rate above 0");
  if (!(band.low > 0))
    throw InvalidInput(fmt::format(
        "band {}-{}: the lower edge must be above 0, because a band-pass filter removes the constant part; use a small "
        "one such as {}-{}",
        band.low, band.high, band.high / 100, band.high));
  if (!(band.low < band.high && band.high < rate / 2))
    throw InvalidInput(fmt::format("band {}-{} must satisfy 0 < low < high < {}, half the sampling rate", band.low,
                                   band.high, rate / 2));
  if (order < 1 || order > 12) throw InvalidInput(fmt::format("filter order is {}, but must be 1 to 12", order));
}

void filter_both_ways(const std::vector<FilterSection>& sections, std::span<double> signal) {
  const std::size_t count = signal.size();
  const std::size_t border = std::min(3 * (2 * sections.size() + 1), count - 1);
  std::vector<double> extended;
  for (std::size_t k = border; k >= 1; --k) extended.push_back(2 * signal[0] - signal[k]);
  extended.insert(extended.end(), signal.begin(), signal.end());
  for (std::size_t k = 1; k <= border; ++k) extended.push_back(2 * signal[count - 1] - signal[count - 1 - k]);
  for (int way = 0; way < 2; ++way) {
    for (const FilterSection& section : sections) section.filter(extended);
    std::reverse(extended.begin(), extended.end());
  }
  std::copy_n(extended.begin() + static_cast<std::ptrdiff_t>(border), count, signal.begin());
}

bool read_number(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<Band> Band::parse_list(std::string_view text) {
  std::vector<Band> bands;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, comma - start);
    const std::size_t dash = part.find('-');
    Band band;
    if (dash == std::string_view::npos || !read_number(part.substr(0, dash), band.low) ||
        !read_number(part.substr(dash + 1), band.high))
      throw InvalidInput(fmt::format("band '{}' is not a range of frequencies such as 8-12", part));
    bands.push_back(band);
    start = comma + 1;
  }
  return bands;
}

Matrix band_pass(const Eigen::Ref<const Matrix>& signals, const Band& band, double rate, int order) {
  check(band, rate, order);
  Matrix filtered = signals;
  if (filtered.size() == 0) return filtered;
  const auto sections = butterworth(2 * band.low / rate, 2 * band.high / rate, order);
  for (Index c = 0; c < filtered.rows(); ++c)
    filter_both_ways(sections, {filtered.data() + c * filtered.cols(), static_cast<std::size_t>(filtered.cols())});
  return filtered;
}

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
  std::vector<SeriesResult::Bad> bad;
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

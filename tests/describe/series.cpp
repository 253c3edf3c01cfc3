#include <dsk/describe.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "describe/pictures.hpp"
#include "files/scratch.hpp"
#include "support/made_samples.hpp"
#include "support/message.hpp"
#include "support/python.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using Series = Scratch;

std::vector<MatrixView> views(const std::vector<Matrix>& trials) {
  std::vector<MatrixView> result;
  for (const Matrix& trial : trials) result.emplace_back(trial.data(), trial.rows(), trial.cols());
  return result;
}

std::vector<Matrix> some_trials(Index count, Index channels, Index samples) {
  std::vector<Matrix> trials;
  for (Index i = 0; i < count; ++i)
    trials.push_back(mixed_samples(samples + i, channels, static_cast<std::uint64_t>(i)).transpose());
  return trials;
}

TEST_F(Series, GivesTheCovarianceOfTrialsOfAnyLength) {
  const auto trials = some_trials(5, 4, 60);
  for (const Estimator estimator : {Estimator::sample, Estimator::correlation, Estimator::oas, Estimator::mestre}) {
    const SeriesResult result = describe_series(views(trials), {.estimator = estimator});
    ASSERT_EQ(result.matrices.size(), 5);
    for (Index i = 0; i < 5; ++i)
      EXPECT_EQ(Matrix(result.matrices[i]),
                covariance(Matrix(trials[static_cast<std::size_t>(i)].transpose()), {.estimator = estimator}));
  }
}

TEST_F(Series, FilterBanksStackTheBands) {
  const auto trials = some_trials(2, 3, 200);
  const std::vector<Band> bands = Band::parse_list("8-12,12.5-30");
  const SeriesResult result = describe_series(views(trials), {.bands = bands, .rate = 128});
  ASSERT_EQ(result.matrices.dim(), 6);
  Matrix stacked(6, trials[1].cols());
  stacked << band_pass(trials[1], bands[0], 128), band_pass(trials[1], bands[1], 128);
  EXPECT_EQ(Matrix(result.matrices[1]), covariance(Matrix(stacked.transpose())));
}

TEST_F(Series, BandPassKeepsTheBandWithoutDelay) {
  const double rate = 256;
  const Index samples = 2048;
  for (const int order : {1, 2, 3, 4, 5})
    for (const auto& [frequency, passes] : {std::pair{20.0, true}, {3.0, false}, {90.0, false}, {0.0, false}}) {
      Matrix wave(1, samples);
      for (Index s = 0; s < samples; ++s)
        wave(0, s) = std::cos(2 * std::numbers::pi * frequency * static_cast<double>(s) / rate);
      const Matrix filtered = band_pass(wave, {12, 33}, rate, order);
      const auto middle = Eigen::seqN(samples / 4, samples / 2);
      const double off =
          passes ? (filtered - wave)(0, middle).cwiseAbs().maxCoeff() : filtered(0, middle).cwiseAbs().maxCoeff();
      EXPECT_LT(off, passes ? 0.02 : order == 1 ? 0.1 : 0.02) << order << ", " << frequency;
    }
}

TEST_F(Series, BandPassAgreesWithSciPy) {
  if (run_python(DSK_PYTHON, "import scipy.signal") != 0) GTEST_SKIP() << "no Python with SciPy";
  const Matrix signals = mixed_samples(700, 3, 1).transpose();
  save(signals, *this / "signals.npy");
  for (const int order : {1, 2, 3, 4, 7})
    save(band_pass(signals, {7, 31}, 250, order), *this / fmt::format("filtered{}.npy", order));
  save(band_pass(signals, {0.5, 120}, 250, 3), *this / "wide.npy");
  EXPECT_EQ(run_python(DSK_PYTHON, R"(
import sys, numpy
from scipy.signal import butter, sosfiltfilt
load = lambda name: numpy.load(f"{sys.argv[1]}/{name}.npy")
cases = [(f"filtered{order}", order, [7, 31]) for order in (1, 2, 3, 4, 7)] + [("wide", 3, [0.5, 120])]
for name, order, band in cases:
    theirs = sosfiltfilt(butter(order, band, "bandpass", fs=250, output="sos"), load("signals"))
    difference = abs(load(name) - theirs).max() / abs(theirs).max()
    assert difference < 1e-9, (name, difference)
)",
                       folder().string()),
            0);
}

TEST_F(Series, DoesNotDependOnTheNumberOfThreads) {
  const auto trials = some_trials(40, 6, 300);
  SeriesOptions options{.estimator = Estimator::ledoit_wolf, .bands = {{8, 12}, {12, 30}}, .rate = 100};
  options.threads = 1;
  const SeriesResult one = describe_series(views(trials), options);
  options.threads = 4;
  const SeriesResult four = describe_series(views(trials), options);
  EXPECT_TRUE(std::equal(one.matrices.values().begin(), one.matrices.values().end(), four.matrices.values().begin()));
}

TEST_F(Series, InvalidTrialsAreNamedCountedAndSkipped) {
  auto trials = some_trials(6, 4, 50);
  trials[2](1, 7) = std::numeric_limits<double>::quiet_NaN();
  trials[4].row(3).setConstant(2);
  const std::string said = message_of([&] { describe_series(views(trials)); });
  EXPECT_SAYS(said, "2 of 6 trials cannot be used; the first is trial 2: feature 1 contains NaN or Inf");
  const SeriesResult result = describe_series(views(trials), {.skip_bad = true});
  EXPECT_EQ(result.kept, (std::vector<Index>{0, 1, 3, 5}));
  ASSERT_EQ(result.bad.size(), 2u);
  EXPECT_EQ(result.bad[1].trial, 4);
  EXPECT_SAYS(result.bad[1].problem, "feature 3 is constant");
  EXPECT_SAYS(message_of([&] { describe_series(views({trials[2]}), {.skip_bad = true}); }), "trial 0: feature 1");
  trials.resize(2);
  trials[1] = trials[1].leftCols(4).eval();
  EXPECT_THROW(describe_series(views(trials)), RankDeficient);
  EXPECT_SAYS(message_of([&] { describe_series(views(trials)); }),
              "trial 1: 4 samples for 4 features: use the estimator oas");
  trials[1] = trials[1].leftCols(1).eval();
  EXPECT_SAYS(message_of([&] { describe_series(views(trials)); }),
              "trial 1: a covariance needs at least 2 samples, not 1");
  trials[1] = Matrix::Ones(3, 50);
  EXPECT_SAYS(message_of([&] { describe_series(views(trials)); }), "trial 1 has 3 channels, but trial 0 has 4");
  EXPECT_SAYS(message_of([&] { describe_series({}); }), "no trials");
}

TEST_F(Series, InvalidBandsAreRejected) {
  const auto trials = some_trials(1, 2, 50);
  const auto said = [&](const Band& band, double rate, int order = 4) {
    return message_of([&] { describe_series(views(trials), {.bands = {band}, .rate = rate, .order = order}); });
  };
  EXPECT_SAYS(said({8, 12}, 0), "sampling rate above 0");
  EXPECT_SAYS(said({0, 12}, 100), "band 0-12: the lower edge must be above 0");
  EXPECT_SAYS(said({12, 8}, 100), "band 12-8 must satisfy");
  EXPECT_SAYS(said({8, 50}, 100), "band 8-50 must satisfy");
  EXPECT_SAYS(said({8, 12}, 100, 0), "filter order is 0");
  EXPECT_EQ(Band::parse_list("8-12,0.5-4").size(), 2u);
  for (const char* const bad : {"", "8", "8-", "-8-12", "8-12,", "a-b", "8-12-30"})
    EXPECT_SAYS(message_of([&] { Band::parse_list(bad); }), std::string("not a range of frequencies"));
}

TEST_F(Series, PreviewIsAPicture) {
  const Matrix trial = some_trials(1, 5, 80)[0];
  const std::string png = preview_png(SeriesPreview{"trial 0", trial, covariance(Matrix(trial.transpose()))});
  EXPECT_TRUE(png.starts_with("\x89PNG"));
  EXPECT_SAYS(message_of([] { preview_png(SeriesPreview{}); }), "signals and their covariance");
}

}  // namespace
}  // namespace dsk::test

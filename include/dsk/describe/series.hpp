#pragma once

#include <dsk/estimate/covariance.hpp>

#include <functional>
#include <optional>

namespace dsk {

/// Frequencies that pass, in Hz if the rate is in Hz.
struct Band {
  double low = 0;
  double high = 0;

  /// Reads a list such as "8-12,12-30"; throws InvalidInput.
  static std::vector<Band> parse_list(std::string_view text);
};

/// Every row through a Butterworth band-pass filter, once forwards and once backwards, so that nothing is delayed; the
/// ends are continued point-symmetrically. The same as SciPy's sosfiltfilt(butter(order, band, "bandpass")). Throws
/// InvalidInput unless 0 < low < high < rate / 2.
Matrix band_pass(const Eigen::Ref<const Matrix>& signals, const Band& band, double rate, int order = 4);

struct SeriesOptions {
  Estimator estimator = Estimator::sample;
  /// A filter bank: the channels once for every band, the first band's first, as rows of one large trial.
  std::vector<Band> bands = {};
  double rate = 0;  ///< samples per second; needed for bands
  int order = 4;    ///< of the filters
  bool skip_bad = false;
  int threads = 0;
};

/// The rows that the covariance of a trial is of: its channels, or those of all bands.
Matrix filter_bank(const MatrixView& trial, const SeriesOptions& options);

struct BadTrial {
  Index trial = 0;
  std::string problem;
};

struct SeriesResult {
  SpdBatch matrices;
  std::vector<Index> kept;  ///< which trial each matrix is of
  std::vector<BadTrial> bad;
};

/// One covariance matrix per trial (channels x samples); trials may differ in length. The same bits for any number of
/// threads. Throws RankDeficient or InvalidInput, naming and counting bad trials, unless these are to be skipped.
SeriesResult describe_series(std::span<const MatrixView> trials, const SeriesOptions& options = {});

}  // namespace dsk

// Magnitudes of Gabor wavelets, for a picture or a block of one, by Fourier transforms.

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "describe/features/features.hpp"

namespace dsk::detail {
namespace {

using Complex = std::complex<double>;
/// A line of the picture in a row.
using Spectrum = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// s of the wavelets.
constexpr double wave_count = 2 * std::numbers::pi;

double wave_number(Index scale) {
  return std::numbers::pi / 2 / std::pow(std::numbers::sqrt2, static_cast<double>(scale));
}

/// Three standard deviations of the widest filter, 3 * 4 * sqrt(2)^(scales - 1). This is an integer for odd `scales`;
/// the small offset keeps rounding from adding 1 then.
Index border_width(Index scales) {
  return static_cast<Index>(std::ceil(3 * wave_count / wave_number(scales - 1) - 1e-9));
}

/// How far from its centre a wavelet is above 1e-16 of its height.
Index reach(Index scale) {
  return static_cast<Index>(std::ceil(8.6 * wave_count / wave_number(scale)));
}

/// The smallest length, not below this one, whose Fourier transform is fast: a product of 2, 3 and 5.
Index fast_length(Index least) {
  for (Index length = least;; ++length) {
    Index rest = length;
    for (const Index factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

/// The transform of a wavelet is the product of a horizontal and a vertical factor. This is one of them, at the
/// frequencies w of a transform of this length: exp(-s^2 (w - k)^2 / (2 |k|^2)), summed over w + 2 pi m, because pixels
/// cannot tell these frequencies apart.
std::vector<double> frequency_factor(Index length, double wave, double wave_length) {
  std::vector<double> factor(static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i)
    for (const Index turns : {-1, 0, 1}) {
      const auto position = static_cast<double>((2 * i < length ? i : i - length) + turns * length);
      const double frequency = 2 * std::numbers::pi * position / static_cast<double>(length);
      const double distance = wave_count * (frequency - wave) / wave_length;
      factor[static_cast<std::size_t>(i)] += std::exp(-distance * distance / 2);
    }
  return factor;
}

/// One dimension of an endless picture: the pixels of the picture, the last ones repeated for `border` pixels and more
/// up to a fast length, and all of this again and again.
class EndlessLine {
 public:
  EndlessLine(Index count, Index border) : count_(count), border_(border), period_(fast_length(count + 2 * border)) {}

  Index period() const { return period_; }
  /// The pixel of the picture at this position, which is 0 for its first pixel.
  Index operator[](Index position) const {
    const Index from_start = (position + border_) % period_;
    return std::clamp<Index>((from_start < 0 ? from_start + period_ : from_start) - border_, 0, count_ - 1);
  }

 private:
  Index count_, border_, period_;
};

/// Positions to transform: those to compute, and as many on both sides as a wavelet reaches, or a whole period.
struct Window {
  Index first = 0;
  Index length = 0;

  static Window around(Index first, Index count, Index reach, Index period) {
    const Index length = fast_length(count + 2 * reach);
    return length < period ? Window{first - reach, length} : Window{first, period};
  }
  bool operator==(const Window&) const = default;
};

/// Filters a region of a picture. The windows of narrow wavelets are smaller.
class GaborFilters {
 public:
  GaborFilters(const Matrix& grey, Index border, double mean, const Region& region)
      : grey_(grey), region_(region), across_(grey.cols(), border), down_(grey.rows(), border), mean_(mean) {
    // The factors of the filters contain the scale.
    transform_.SetFlag(Eigen::FFT<double>::Unscaled);
  }

  void choose_scale(Index scale) {
    const Window x = Window::around(region_.x, region_.width, reach(scale), across_.period());
    const Window y = Window::around(region_.y, region_.height, reach(scale), down_.period());
    if (x == x_ && y == y_) return;
    x_ = x;
    y_ = y;
    transform_window();
  }

  /// The magnitude at every pixel of the region, for one wave vector.
  void magnitudes(double wave_x, double wave_y, double wave_length, double* out) {
    const std::vector<double> across = frequency_factor(x_.length, wave_x, wave_length);
    const std::vector<double> down = frequency_factor(y_.length, wave_y, wave_length);
    const double scale = 2 * std::numbers::pi / static_cast<double>(x_.length * y_.length);
    // Frequencies that the filter keeps nothing of need no transform.
    constexpr double nothing = 1e-20;
    lines_.setZero(region_.height, x_.length);
    from_.resize(y_.length);
    for (Index x = 0; x < x_.length; ++x) {
      const double factor = scale * across[static_cast<std::size_t>(x)];
      if (across[static_cast<std::size_t>(x)] < nothing) continue;
      for (Index y = 0; y < y_.length; ++y) from_[y] = factor * down[static_cast<std::size_t>(y)] * spectrum_(y, x);
      transform_.inv(to_, from_);
      lines_.col(x) = to_.segment(region_.y - y_.first, region_.height);
    }
    for (Index y = 0; y < region_.height; ++y, out += region_.width) {
      from_ = lines_.row(y).transpose();
      transform_.inv(to_, from_);
      Eigen::Map<Eigen::ArrayXd>(out, region_.width) =
          to_.segment(region_.x - x_.first, region_.width).array().abs2().sqrt();
    }
  }

 private:
  void transform_window() {
    spectrum_.resize(y_.length, x_.length);
    from_.resize(x_.length);
    for (Index y = 0; y < y_.length; ++y) {
      const double* const line = grey_.data() + down_[y_.first + y] * grey_.cols();
      for (Index x = 0; x < x_.length; ++x) from_[x] = line[across_[x_.first + x]] - mean_;
      transform_.fwd(to_, from_);
      spectrum_.row(y) = to_.transpose();
    }
    for (Index x = 0; x < x_.length; ++x) {
      from_ = spectrum_.col(x);
      transform_.fwd(to_, from_);
      spectrum_.col(x) = to_;
    }
  }

  const Matrix& grey_;
  Region region_;
  EndlessLine across_, down_;
  double mean_;
  Eigen::FFT<double> transform_;
  Window x_, y_;
  Spectrum spectrum_, lines_;
  Eigen::VectorXcd from_, to_;
};

}  // namespace

double gabor_mean(const Matrix& grey, Index scales) {
  const EndlessLine across(grey.cols(), border_width(scales)), down(grey.rows(), border_width(scales));
  Eigen::VectorXd columns = Eigen::VectorXd::Zero(grey.cols()), rows = Eigen::VectorXd::Zero(grey.rows());
  for (Index x = 0; x < across.period(); ++x) columns[across[x]] += 1 / static_cast<double>(across.period());
  for (Index y = 0; y < down.period(); ++y) rows[down[y]] += 1 / static_cast<double>(down.period());
  // About the first pixel, so that the mean of a constant picture is exact.
  double sum = 0;
  for (Index y = 0; y < grey.rows(); ++y)
    sum += rows[y] * (grey.row(y).array() - grey(0, 0)).matrix().dot(columns.transpose());
  return grey(0, 0) + sum;
}

void gabor_magnitudes(const Matrix& grey, double mean, Index scales, Index orientations, const Region& region,
                      std::span<double* const> out) {
  GaborFilters filters(grey, border_width(scales), mean, region);
  for (Index scale = 0; scale < scales; ++scale) {
    filters.choose_scale(scale);
    for (Index orientation = 0; orientation < orientations; ++orientation) {
      const double angle = std::numbers::pi * static_cast<double>(orientation) / static_cast<double>(orientations);
      const double wave = wave_number(scale);
      filters.magnitudes(wave * std::cos(angle), wave * std::sin(angle), wave,
                         out[static_cast<std::size_t>(scale * orientations + orientation)]);
    }
  }
}

Index gabor_block(Index scales) {
  constexpr Index least = 256;
  return std::max(least, 2 * reach(scales - 1));
}

}  // namespace dsk::detail

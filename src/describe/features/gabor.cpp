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

/// The smallest length, not below this one, whose Fourier transform is fast: a product of 2, 3 and 5.
Index fast_length(Index least) {
  for (Index length = least;; ++length) {
    Index rest = length;
    for (const Index factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

/// exp(-s^2 (w - k)^2 / (2 |k|^2)) at the frequencies w of a transform of this length. The transform of a filter is the
/// product of a horizontal and a vertical factor.
std::vector<double> frequency_factor(Index length, double wave, double wave_length) {
  std::vector<double> factor(static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i) {
    const Index signed_position = 2 * i < length ? i : i - length;
    const double frequency = 2 * std::numbers::pi * static_cast<double>(signed_position) / static_cast<double>(length);
    const double distance = wave_count * (frequency - wave) / wave_length;
    factor[static_cast<std::size_t>(i)] = std::exp(-distance * distance / 2);
  }
  return factor;
}

/// The picture with its edge pixels repeated beyond the edges.
Matrix extended(const Matrix& grey, Index border) {
  Matrix result(fast_length(grey.rows() + 2 * border), fast_length(grey.cols() + 2 * border));
  for (Index y = 0; y < result.rows(); ++y)
    for (Index x = 0; x < result.cols(); ++x)
      result(y, x) =
          grey(std::clamp<Index>(y - border, 0, grey.rows() - 1), std::clamp<Index>(x - border, 0, grey.cols() - 1));
  return result;
}

/// Fourier transforms of one picture and of its filtered versions.
class GaborFilters {
 public:
  GaborFilters(const Matrix& grey, Index border)
      : border_(border), size_{grey.cols(), grey.rows()}, spectrum_(spectrum(extended(grey, border))) {}

  /// The magnitude at every pixel of the picture, for one wave vector.
  Matrix magnitudes(double wave_x, double wave_y, double wave_length) {
    const std::vector<double> across = frequency_factor(spectrum_.cols(), wave_x, wave_length);
    const std::vector<double> down = frequency_factor(spectrum_.rows(), wave_y, wave_length);
    // Frequencies that the filter keeps nothing of need no transform.
    constexpr double nothing = 1e-20;
    Spectrum lines = Spectrum::Zero(size_.height, spectrum_.cols());
    Eigen::VectorXcd filtered(spectrum_.rows()), column(spectrum_.rows());
    for (Index x = 0; x < spectrum_.cols(); ++x) {
      const double factor = 2 * std::numbers::pi * across[static_cast<std::size_t>(x)];
      if (across[static_cast<std::size_t>(x)] < nothing) continue;
      for (Index y = 0; y < filtered.size(); ++y)
        filtered[y] = factor * down[static_cast<std::size_t>(y)] * spectrum_(y, x);
      transform_.inv(column, filtered);
      lines.col(x) = column.segment(border_, size_.height);
    }
    Matrix result(size_.height, size_.width);
    Eigen::VectorXcd from(lines.cols()), line(lines.cols());
    for (Index y = 0; y < size_.height; ++y) {
      from = lines.row(y).transpose();
      transform_.inv(line, from);
      result.row(y) = line.segment(border_, size_.width).cwiseAbs().transpose();
    }
    return result;
  }

 private:
  /// Without the constant part of the picture.
  Spectrum spectrum(const Matrix& picture) {
    Spectrum result(picture.rows(), picture.cols());
    Eigen::VectorXcd from(picture.cols()), to;
    for (Index y = 0; y < picture.rows(); ++y) {
      from = picture.row(y).transpose().cast<Complex>();
      transform_.fwd(to, from);
      result.row(y) = to.transpose();
    }
    for (Index x = 0; x < picture.cols(); ++x) {
      from = result.col(x);
      transform_.fwd(to, from);
      result.col(x) = to;
    }
    result(0, 0) = 0;
    return result;
  }

  Eigen::FFT<double> transform_;
  Index border_;
  Size size_;
  Spectrum spectrum_;
};

}  // namespace

std::vector<Matrix> gabor_magnitudes(const Matrix& grey, Index scales, Index orientations) {
  GaborFilters filters(grey, border_width(scales));
  std::vector<Matrix> maps;
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation) {
      const double angle = std::numbers::pi * static_cast<double>(orientation) / static_cast<double>(orientations);
      const double wave = wave_number(scale);
      maps.push_back(filters.magnitudes(wave * std::cos(angle), wave * std::sin(angle), wave));
    }
  return maps;
}

}  // namespace dsk::detail

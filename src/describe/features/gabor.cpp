#include "describe/pictures.hpp"

#include <cmath>
#include <numbers>

namespace dsk::detail {
namespace {

constexpr double deviation = 2 * std::numbers::pi;

double wave_number(Index scale) {
  return std::numbers::pi / 2 / std::pow(std::numbers::sqrt2, static_cast<double>(scale));
}

/// Three standard deviations of the widest filter, 3 * 4 * sqrt(2)^(scales - 1). This is an integer for odd `scales`;
/// the small offset keeps rounding from adding 1 then.
int border_width(Index scales) {
  return static_cast<int>(std::ceil(3 * deviation / wave_number(scales - 1) - 1e-9));
}

/// exp(-s^2 (w - k)^2 / (2 |k|^2)) at the frequencies w of a transform of this length. The transform of a filter is the
/// product of a horizontal and a vertical factor.
std::vector<double> frequency_factor(int length, double wave, double wave_length) {
  std::vector<double> factor(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) {
    const int signed_position = 2 * i < length ? i : i - length;
    const double frequency = 2 * std::numbers::pi * signed_position / length;
    const double distance = deviation * (frequency - wave) / wave_length;
    factor[static_cast<std::size_t>(i)] = std::exp(-distance * distance / 2);
  }
  return factor;
}

/// The Fourier transform of the extended picture, without its constant part.
cv::Mat spectrum(const Matrix& grey, int border) {
  cv::Mat extended, transform;
  const int down = cv::getOptimalDFTSize(static_cast<int>(grey.rows()) + 2 * border);
  const int across = cv::getOptimalDFTSize(static_cast<int>(grey.cols()) + 2 * border);
  cv::copyMakeBorder(as_opencv(grey), extended, border, down - border - static_cast<int>(grey.rows()), border,
                     across - border - static_cast<int>(grey.cols()), cv::BORDER_REPLICATE);
  cv::dft(extended, transform, cv::DFT_COMPLEX_OUTPUT);
  transform.at<cv::Vec2d>(0, 0) = {0, 0};
  return transform;
}

void filter(const cv::Mat& transform, double wave_x, double wave_y, double wave_length, cv::Mat& filtered) {
  const std::vector<double> across = frequency_factor(transform.cols, wave_x, wave_length);
  const std::vector<double> down = frequency_factor(transform.rows, wave_y, wave_length);
  filtered.create(transform.size(), transform.type());
  for (int y = 0; y < transform.rows; ++y) {
    const auto* const from = transform.ptr<double>(y);
    auto* const to = filtered.ptr<double>(y);
    const double factor = 2 * std::numbers::pi * down[static_cast<std::size_t>(y)];
    for (Index x = 0; x < transform.cols; ++x) {
      const double weight = factor * across[static_cast<std::size_t>(x)];
      to[2 * x] = from[2 * x] * weight;
      to[2 * x + 1] = from[2 * x + 1] * weight;
    }
  }
  cv::dft(filtered, filtered, cv::DFT_INVERSE | cv::DFT_SCALE);
}

}  // namespace

std::vector<Matrix> gabor_magnitudes(const Matrix& grey, Index scales, Index orientations) {
  const QuietOpenCv quiet;
  const int border = border_width(scales);
  const cv::Mat transform = spectrum(grey, border);
  std::vector<Matrix> maps;
  cv::Mat filtered;
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation) {
      const double angle = std::numbers::pi * static_cast<double>(orientation) / static_cast<double>(orientations);
      const double wave = wave_number(scale);
      filter(transform, wave * std::cos(angle), wave * std::sin(angle), wave, filtered);
      Matrix& map = maps.emplace_back(grey.rows(), grey.cols());
      for (Index y = 0; y < grey.rows(); ++y) {
        const auto* const line = filtered.ptr<double>(static_cast<int>(y) + border) + Index{2} * border;
        for (Index x = 0; x < grey.cols(); ++x)
          map(y, x) = std::sqrt(line[2 * x] * line[2 * x] + line[2 * x + 1] * line[2 * x + 1]);
      }
    }
  return maps;
}

}  // namespace dsk::detail

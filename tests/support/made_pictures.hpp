#pragma once

#include <dsk/describe.hpp>

#include <opencv2/imgcodecs.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace dsk::test {

/// Noise with some structure, the same for the same seed, in 0..1.
inline Matrix made_texture(Index width, Index height, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Matrix values(height, width);
  const double period = 3 + static_cast<double>(seed % 7);
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) {
      const double noise = static_cast<double>(engine() >> 11) * 0x1p-53;
      values(y, x) = 0.6 * noise + 0.2 + 0.2 * std::sin(static_cast<double>(x + 2 * y) / period);
    }
  return values;
}

/// As many bits as the type of `pixels` has.
inline void write_picture(const std::filesystem::path& path, const cv::Mat& pixels) {
  cv::imwrite(path.string(), pixels);
}

inline cv::Mat as_pixels(const Matrix& values, int type = CV_8U) {
  const double largest = type == CV_16U ? 65535 : 255;
  cv::Mat pixels(static_cast<int>(values.rows()), static_cast<int>(values.cols()), type);
  for (int y = 0; y < pixels.rows; ++y)
    for (int x = 0; x < pixels.cols; ++x) {
      const double level = std::round(values(y, x) * largest);
      if (type == CV_16U)
        pixels.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(level);
      else
        pixels.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(level);
    }
  return pixels;
}

inline void write_texture(const std::filesystem::path& path, Index width, Index height, std::uint64_t seed) {
  std::filesystem::create_directories(path.parent_path());
  write_picture(path, as_pixels(made_texture(width, height, seed)));
}

}  // namespace dsk::test

#include <dsk/describe.hpp>

#include <fmt/format.h>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>

#include "describe/pictures.hpp"

namespace dsk {
namespace {

namespace logging = cv::utils::logging;

struct Settings {
  std::mutex mutex;
  int users = 0;
  int threads = 0;
  logging::LogLevel level = logging::LOG_LEVEL_WARNING;
};

Settings& settings() {
  static Settings kept;
  return kept;
}

std::vector<std::uint8_t> file_bytes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw InvalidInput("is not a file");
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw InvalidInput("cannot be opened");
  std::vector<std::uint8_t> bytes(size);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw InvalidInput("cannot be read");
  return bytes;
}

cv::Mat decode(const std::vector<std::uint8_t>& bytes) try {
  const Size claimed = detail::picture_size(bytes);
  cv::Mat pixels = cv::imdecode(bytes, cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR);
  if (pixels.empty()) throw InvalidInput("is corrupted: it cannot be decoded");
  // The orientation stored by a camera may have swapped width and height, so compare the number of pixels.
  if (pixels.total() != static_cast<std::size_t>(claimed.width * claimed.height))
    throw InvalidInput("is corrupted: its size differs from that in its header");
  return pixels;
} catch (const cv::Exception&) {
  throw InvalidInput("is corrupted: it cannot be decoded");
}

double largest_value(const cv::Mat& pixels) {
  switch (pixels.depth()) {
    case CV_8U:
      return std::numeric_limits<std::uint8_t>::max();
    case CV_16U:
      return std::numeric_limits<std::uint16_t>::max();
    case CV_32F:
    case CV_64F:
      return 1;
    default:
      throw InvalidInput("has pixels of an unsupported type");
  }
}

Matrix channel(const cv::Mat& pixels, int which, double scale, const std::optional<Size>& resize) {
  cv::Mat plane, scaled;
  cv::extractChannel(pixels, plane, which);
  plane.convertTo(scaled, CV_64F, scale);
  if (resize) {
    const cv::Size size(static_cast<int>(resize->width), static_cast<int>(resize->height));
    const bool smaller = size.width <= scaled.cols && size.height <= scaled.rows;
    cv::Mat resized;
    cv::resize(scaled, resized, size, 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
    scaled = resized;
  }
  return Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(scaled.ptr<double>(), scaled.rows, scaled.cols,
                                                           Eigen::OuterStride<>(static_cast<Index>(scaled.step1())));
}

/// The levels of white and black are 255 and 0.
void equalise_histogram(Matrix& grey, double range) {
  constexpr double white = std::numeric_limits<std::uint8_t>::max();
  cv::Mat levels, spread, values;
  detail::as_opencv(grey).convertTo(levels, CV_8U, white / range);
  cv::equalizeHist(levels, spread);
  spread.convertTo(values, CV_64F, range / white);
  grey = Eigen::Map<const Matrix>(values.ptr<double>(), grey.rows(), grey.cols());
}

}  // namespace

detail::QuietOpenCv::QuietOpenCv() {
  Settings& kept = settings();
  const std::scoped_lock lock(kept.mutex);
  if (kept.users++ > 0) return;
  kept.threads = cv::getNumThreads();
  kept.level = logging::getLogLevel();
  cv::setNumThreads(1);
  logging::setLogLevel(logging::LOG_LEVEL_SILENT);
}

detail::QuietOpenCv::~QuietOpenCv() {
  Settings& kept = settings();
  const std::scoped_lock lock(kept.mutex);
  if (--kept.users > 0) return;
  cv::setNumThreads(kept.threads);
  logging::setLogLevel(kept.level);
}

Index detail::claimed_pixels(const std::filesystem::path& path) try {
  const Size size = picture_size(file_bytes(path));
  return size.width * size.height;
} catch (const InvalidInput&) {
  return 0;  // Reading it will tell why.
}

Image read_image(const std::filesystem::path& path, const ReadOptions& options) try {
  if (!(options.range > 0) || !std::isfinite(options.range))
    throw InvalidInput(fmt::format("range {} must be above 0", options.range));
  if (options.resize) detail::check_resize(*options.resize);
  const detail::QuietOpenCv quiet;
  const std::vector<std::uint8_t> bytes = file_bytes(path);
  const cv::Mat pixels = decode(bytes);
  const double white = detail::white_of(bytes);
  const double scale = options.range / (white > 0 ? white : largest_value(pixels));
  Image image;
  if (pixels.channels() == 1) {
    image.grey = channel(pixels, 0, scale, options.resize);
    if (options.equalise) equalise_histogram(image.grey, options.range);
    return image;
  }
  if (pixels.channels() != 3)
    throw InvalidInput(fmt::format("has {} channels, but must have 1 or 3", pixels.channels()));
  for (const int blue_green_red : {2, 1, 0})
    image.colours.push_back(channel(pixels, blue_green_red, scale, options.resize));
  image.grey = 0.299 * image.colours[0] + 0.587 * image.colours[1] + 0.114 * image.colours[2];
  if (options.equalise) equalise_histogram(image.grey, options.range);
  return image;
} catch (const InvalidInput& error) {
  throw InvalidInput(fmt::format("{}: {}", path.string(), error.what()));
} catch (const std::bad_alloc&) {
  throw InvalidInput(fmt::format("{}: needs more memory than is available", path.string()));
} catch (const cv::Exception&) {
  throw InvalidInput(fmt::format("{}: cannot be resized", path.string()));
}

}  // namespace dsk

// Reads pictures, after a look at the size that their headers claim.

#include <dsk/describe.hpp>

#include <fmt/format.h>
#include <zlib.h>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>

#include "describe/pictures.hpp"

namespace dsk {
namespace {

constexpr Index most_pixels = Index{1} << 27;

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void truncated() {
  throw InvalidInput("is truncated");
}

/// The integer of `count` bytes at `position`.
std::uint64_t number(Bytes bytes, std::size_t position, int count, bool big_endian) {
  if (position > bytes.size() || bytes.size() - position < static_cast<std::size_t>(count)) truncated();
  std::uint64_t value = 0;
  for (int k = 0; k < count; ++k)
    value |= std::uint64_t{bytes[position + static_cast<std::size_t>(k)]} << (8 * (big_endian ? count - 1 - k : k));
  return value;
}

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin(), [](char a, std::uint8_t b) {
           return static_cast<std::uint8_t>(a) == b;
         });
}

Size size(std::uint64_t width, std::uint64_t height) {
  return {static_cast<Index>(width), static_cast<Index>(height)};
}

Size png_size(Bytes bytes) {
  const Size found = size(number(bytes, 16, 4, true), number(bytes, 20, 4, true));
  for (std::size_t chunk = 8;;) {
    const std::uint64_t length = number(bytes, chunk, 4, true);
    if (length > bytes.size() || bytes.size() - length < chunk + 12) truncated();
    const Bytes content = bytes.subspan(chunk + 4, length + 4);
    if (crc32(0, content.data(), static_cast<uInt>(content.size())) != number(bytes, chunk + 8 + length, 4, true))
      throw InvalidInput("is corrupted: a checksum is wrong");
    if (starts_with(content, "IEND")) return found;
    chunk += length + 12;
  }
}

Size jpeg_size(Bytes bytes) {
  Size found;
  for (std::size_t at = 2;;) {
    while (number(bytes, at, 1, true) != 0xff) ++at;
    while (number(bytes, at, 1, true) == 0xff) ++at;
    const std::uint64_t marker = bytes[at++];
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const bool is_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) found = size(number(bytes, at + 5, 2, true), number(bytes, at + 3, 2, true));
    at += number(bytes, at, 2, true);
    if (marker != 0xda) continue;
    // Within the coded data of a scan, this pair of bytes can only be the end of the picture.
    constexpr std::array<std::uint8_t, 2> end_of_picture = {0xff, 0xd9};
    const Bytes rest = bytes.subspan(std::min(at, bytes.size()));
    if (std::search(rest.begin(), rest.end(), end_of_picture.begin(), end_of_picture.end()) == rest.end()) truncated();
    return found;
  }
}

Size bmp_size(Bytes bytes) {
  const std::uint64_t start = number(bytes, 10, 4, false);
  if (number(bytes, 14, 4, false) == 12) return size(number(bytes, 18, 2, false), number(bytes, 20, 2, false));
  const auto width = static_cast<std::int32_t>(number(bytes, 18, 4, false));
  const auto height = static_cast<std::int32_t>(number(bytes, 22, 4, false));
  const Size found = {width, height < 0 ? -Index{height} : Index{height}};
  const std::uint64_t bits = number(bytes, 28, 2, false), packing = number(bytes, 30, 4, false);
  if (packing == 0 && found.width > 0 && bits <= 64 &&
      (static_cast<std::uint64_t>(found.width) * bits + 31) / 32 * 4 * static_cast<std::uint64_t>(found.height) +
              start >
          bytes.size())
    truncated();
  return found;
}

Size tiff_size(Bytes bytes) {
  const bool big_endian = bytes[0] == 'M';
  const std::size_t directory = number(bytes, 4, 4, big_endian);
  const std::uint64_t entries = number(bytes, directory, 2, big_endian);
  Size found;
  for (std::uint64_t k = 0; k < entries; ++k) {
    const std::size_t entry = directory + 2 + 12 * k;
    const std::uint64_t tag = number(bytes, entry, 2, big_endian), type = number(bytes, entry + 2, 2, big_endian);
    const auto value = static_cast<Index>(number(bytes, entry + 8, type == 3 ? 2 : 4, big_endian));
    if (tag == 256) found.width = value;
    if (tag == 257) found.height = value;
  }
  return found;
}

/// The next number of a text header. Skips white space and comments.
std::uint64_t text_number(Bytes bytes, std::size_t& at) {
  const auto here = [&] { return static_cast<int>(number(bytes, at, 1, false)); };
  while (std::isspace(here()) != 0 || here() == '#') {
    if (here() == '#')
      while (here() != '\n') ++at;
    ++at;
  }
  std::uint64_t value = 0;
  if (std::isdigit(here()) == 0) throw InvalidInput("is corrupted: its header contains no size");
  for (; at < bytes.size() && std::isdigit(here()) != 0; ++at)
    value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(here() - '0'), 1 << 30);
  return value;
}

Size pnm_size(Bytes bytes) {
  const char kind = static_cast<char>(bytes[1]);
  std::size_t at = 2;
  const std::uint64_t width = text_number(bytes, at), height = text_number(bytes, at);
  const bool bits = kind == '1' || kind == '4', text = kind <= '3';
  const std::uint64_t largest = bits ? 1 : text_number(bytes, at);
  const std::uint64_t samples = width * (kind == '3' || kind == '6' ? 3 : 1);
  const std::uint64_t line = kind == '4' ? (width + 7) / 8 : samples * (text || largest < 256 ? 1 : 2);
  if (height > 0 && line > (bytes.size() - at) / height) truncated();
  return size(width, height);
}

Size claimed_size(Bytes bytes) {
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return png_size(bytes);
  if (starts_with(bytes, "\xff\xd8\xff")) return jpeg_size(bytes);
  if (starts_with(bytes, "BM")) return bmp_size(bytes);
  if (starts_with(bytes, {"II*\0", 4}) || starts_with(bytes, {"MM\0*", 4})) return tiff_size(bytes);
  if (bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6') return pnm_size(bytes);
  throw InvalidInput(bytes.empty() ? "is empty" : "is not a png, jpg, bmp, tif, pgm or ppm picture");
}

/// The size of a picture according to its header. Does not use a decoder, because decoders allocate as much memory as
/// an invalid header claims to need. Throws InvalidInput (without the file name) if this is not a png, jpg, bmp, tif or
/// pgm/ppm picture, is visibly truncated or corrupted, or if the size is impossible for so few bytes.
Size picture_size(Bytes bytes) {
  constexpr Index longest_side = 1 << 20;
  constexpr Index pixels_per_byte = Index{1032} * 8;  // the best that deflate can do, with one bit per pixel
  const Size found = claimed_size(bytes);
  if (found.width < 1 || found.height < 1) throw InvalidInput("has no pixels");
  const std::string what = fmt::format("has a header for {} x {} pixels", found.width, found.height);
  if (found.width > longest_side || found.height > longest_side || found.width * found.height > most_pixels)
    throw InvalidInput(fmt::format("{}, more than the limit of {}", what, most_pixels));
  if (found.width * found.height > pixels_per_byte * static_cast<Index>(bytes.size()))
    throw InvalidInput(fmt::format("{}, more than its {} bytes can hold", what, bytes.size()));
  return found;
}

/// The value of white after OpenCV has decoded a pgm or ppm picture, which can be smaller than the largest value of its
/// type; 0 for other pictures.
double white_of(Bytes bytes) {
  if (bytes.size() < 3 || bytes[0] != 'P' || bytes[1] < '2' || bytes[1] > '6' || bytes[1] == '4') return 0;
  std::size_t at = 2;
  text_number(bytes, at);
  text_number(bytes, at);
  const std::uint64_t largest = text_number(bytes, at);
  // OpenCV scales text formats to the full range of a byte if their values fit into a byte.
  const bool spread = bytes[1] <= '3' && largest < 256;
  return spread ? 255 : static_cast<double>(largest);
}

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
  const Size claimed = picture_size(bytes);
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
  if (options.resize && options.resize->width > most_pixels / options.resize->height)
    throw InvalidInput(fmt::format("a size of {} x {} pixels is more than the limit of {}", options.resize->width,
                                   options.resize->height, most_pixels));
  const detail::QuietOpenCv quiet;
  const std::vector<std::uint8_t> bytes = file_bytes(path);
  const cv::Mat pixels = decode(bytes);
  const double white = white_of(bytes);
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

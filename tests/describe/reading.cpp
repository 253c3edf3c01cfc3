#include <dsk/describe.hpp>

#include <zlib.h>
#include <opencv2/imgproc.hpp>

#include <fstream>

#include "files/scratch.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class Reading : public Scratch {
 protected:
  std::string refusal(const std::string& name, const std::string& bytes) const {
    const auto path = put(name, bytes);
    const std::string said = message_of([&] { read_image(path); });
    EXPECT_TRUE(said.starts_with(path.string() + ": ")) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
    return said;
  }
};

TEST_F(Reading, AllFormatsAndDepthsAreScaledToTheSameRange) {
  const Matrix values = made_texture(23, 14, 1);
  for (const std::string extension : {".png", ".bmp", ".tif", ".pgm"}) {
    write_picture(*this / ("eight" + extension), as_pixels(values));
    const Image eight = read_image(*this / ("eight" + extension));
    EXPECT_TRUE(eight.colours.empty());
    EXPECT_LT((eight.grey - values).cwiseAbs().maxCoeff(), 0.5001 / 255) << extension;
    EXPECT_EQ(read_image(*this / ("eight" + extension), {.range = 255}).grey,
              Matrix((eight.grey * 255).array().round()));
    if (extension == ".bmp") continue;
    write_picture(*this / ("sixteen" + extension), as_pixels(values, CV_16U));
    EXPECT_LT((read_image(*this / ("sixteen" + extension)).grey - values).cwiseAbs().maxCoeff(), 0.5001 / 65535)
        << extension;
  }
  write_picture(*this / "lossy.jpg", as_pixels(values));
  EXPECT_LT((read_image(*this / "lossy.jpg").grey - values).cwiseAbs().mean(), 0.05);
}

TEST_F(Reading, WhiteIsTheMaximumGivenInAPortableGreymap) {
  put("p5.pgm", std::string("P5\n2 1\n100\n") + char(100) + char(50));
  put("p5wide.pgm", std::string("P5\n2 1\n1023\n") + char(3) + char(-1) + char(1) + char(-1));
  put("p2.pgm", "P2\n2 1\n100\n100 50\n");
  put("p2wide.pgm", "P2\n2 1\n1023\n1023 511\n");
  for (const std::string name : {"p5.pgm", "p5wide.pgm", "p2.pgm", "p2wide.pgm"}) {
    const Matrix grey = read_image(*this / name).grey;
    EXPECT_NEAR(grey(0, 0), 1, 1e-12) << name;
    EXPECT_NEAR(grey(0, 1), 0.5, 0.003) << name;
  }
}

TEST_F(Reading, ColoursAreInOrderAndTransparencyIsIgnored) {
  cv::Mat blue_green_red(5, 6, CV_8UC3), with_alpha;
  for (int k = 0; k < 30; ++k) blue_green_red.at<cv::Vec3b>(k / 6, k % 6) = cv::Vec3b(10, static_cast<uchar>(k), 200);
  cv::cvtColor(blue_green_red, with_alpha, cv::COLOR_BGR2BGRA);
  write_picture(*this / "colour.png", blue_green_red);
  write_picture(*this / "alpha.png", with_alpha);
  for (const char* const file : {"colour.png", "alpha.png"}) {
    const Image image = read_image(*this / file, {.range = 255});
    ASSERT_EQ(image.colours.size(), 3u);
    EXPECT_EQ(image.colours[0], Matrix::Constant(5, 6, 200));
    EXPECT_EQ(image.colours[1](1, 0), 6);
    EXPECT_EQ(image.colours[2], Matrix::Constant(5, 6, 10));
    EXPECT_NEAR(image.grey(1, 0), 0.299 * 200 + 0.587 * 6 + 0.114 * 10, tolerance(1, 1, 200));
  }
}

/// A png with the given header and data and valid checksums.
std::string png(std::uint32_t width, std::uint32_t height, char bits, char colour, const std::string& scan_lines) {
  const auto big_endian = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  const auto chunk = [&](const std::string& type, const std::string& data) {
    const std::string body = type + data;
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
  };
  std::string packed(compressBound(scan_lines.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(scan_lines.data()),
           scan_lines.size());
  packed.resize(size);
  const std::string header = big_endian(width) + big_endian(height) + bits + colour + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

TEST_F(Reading, GreyWithTransparencyAndOneBitPicturesAreRead) {
  const char grey_alpha[] = {0, 0, 1, 100, 2, 0, static_cast<char>(200), 3, 50, 4};  // two lines of two pixels
  put("grey_alpha.png", png(2, 2, 8, 4, std::string(grey_alpha, sizeof grey_alpha)));
  const Image image = read_image(*this / "grey_alpha.png", {.range = 255});
  EXPECT_NEAR(image.grey(0, 1), 100, 1e-9);
  EXPECT_NEAR(image.grey(1, 0), 200, 1e-9);
  put("bits.png", png(3, 1, 1, 0, std::string("\0\xa0", 2)));
  EXPECT_EQ(read_image(*this / "bits.png").grey, (Matrix(1, 3) << 1, 0, 1).finished());
  put("dot.png", png(1, 1, 8, 0, std::string("\0\xff", 2)));
  EXPECT_EQ(read_image(*this / "dot.png").grey, Matrix::Ones(1, 1));
}

TEST_F(Reading, ResizingKeepsTheMean) {
  const Matrix values = made_texture(64, 64, 2);
  write_picture(*this / "a.png", as_pixels(values));
  const Image small = read_image(*this / "a.png", {.resize = Size{16, 32}});
  EXPECT_EQ(small.width(), 16);
  EXPECT_EQ(small.height(), 32);
  EXPECT_NEAR(small.grey.mean(), read_image(*this / "a.png").grey.mean(), 1e-12);
  // Each pixel of the result is the mean of 4 x 2 pixels.
  EXPECT_NEAR(small.grey(3, 5), read_image(*this / "a.png").grey.block(6, 20, 2, 4).mean(), 1e-12);
  EXPECT_EQ(read_image(*this / "a.png", {.resize = Size{100, 90}}).width(), 100);
}

/// By ranks, written out: a level becomes the share of pixels at or below it, less that of the darkest, of the rest.
Matrix equalised_by_hand(const Matrix& values) {
  const Eigen::ArrayXXd levels = (values.array() * 255).round();
  const double darkest = levels.minCoeff();
  const auto at_or_below = [&](double level) { return static_cast<double>((levels <= level).count()); };
  const double first = at_or_below(darkest), all = static_cast<double>(levels.size());
  Matrix result(values.rows(), values.cols());
  for (Index y = 0; y < values.rows(); ++y)
    for (Index x = 0; x < values.cols(); ++x)
      result(y, x) = std::round(255 * (at_or_below(levels(y, x)) - first) / (all - first)) / 255;
  return result;
}

TEST_F(Reading, EqualisesTheHistogramAfterResizing) {
  const Matrix values = 0.4 + 0.2 * made_texture(40, 30, 3).array();
  write_picture(*this / "dull.png", as_pixels(values));
  const Matrix plain = read_image(*this / "dull.png").grey;
  const Matrix spread = read_image(*this / "dull.png", {.equalise = true}).grey;
  EXPECT_LT((spread - equalised_by_hand(plain)).cwiseAbs().maxCoeff(), 1.001 / 255) << "but for rounding of a level";
  EXPECT_EQ(spread.minCoeff(), 0);
  EXPECT_EQ(spread.maxCoeff(), 1);
  EXPECT_EQ(read_image(*this / "dull.png", {.range = 255, .equalise = true}).grey,
            Matrix((spread * 255).array().round()));
  // Averages of 15 pixels are never half way between two levels.
  const ReadOptions small{.resize = Size{8, 10}};
  ReadOptions both = small;
  both.equalise = true;
  EXPECT_LT((read_image(*this / "dull.png", both).grey - equalised_by_hand(read_image(*this / "dull.png", small).grey))
                .cwiseAbs()
                .maxCoeff(),
            1.001 / 255);
}

TEST_F(Reading, InvalidPicturesAreRejected) {
  EXPECT_SAYS(refusal("empty.png", ""), "is empty");
  EXPECT_SAYS(refusal("text.png", "not a picture at all"), "is not a png, jpg, bmp, tif, pgm or ppm picture");
  const std::string good = png(2, 1, 8, 0, std::string("\0ab", 3));
  for (std::size_t length = 8; length < good.size(); length += 3)
    EXPECT_SAYS(refusal("cut.png", good.substr(0, length)), "is truncated");
  std::string damaged = good;
  damaged[45] ^= 1;
  EXPECT_SAYS(refusal("damaged.png", damaged), "is corrupted");
  write_picture(*this / "whole.jpg", as_pixels(made_texture(40, 30, 1)));
  const std::string jpeg = get("whole.jpg");
  for (const std::size_t length : {std::size_t{3}, std::size_t{30}, std::size_t{200}, jpeg.size() - 2})
    EXPECT_SAYS(refusal("cut.jpg", jpeg.substr(0, length)), "is truncated");
  for (const std::string name : {"whole.bmp", "whole.pgm"}) {
    write_picture(*this / name, as_pixels(made_texture(40, 30, 1)));
    const std::string bytes = get(name);
    EXPECT_SAYS(refusal("cut" + name, bytes.substr(0, bytes.size() / 2)), "is truncated");
  }
  write_picture(*this / "whole.tif", as_pixels(made_texture(40, 30, 1)));
  EXPECT_SAYS(refusal("cut.tif", get("whole.tif").substr(0, 300)), "is truncated");
  EXPECT_SAYS(refusal("letters.pgm", "P5\nwide high\n255\n"), "its header contains no size");
  EXPECT_SAYS(message_of([&] { read_image(*this / "missing.png"); }), "is not a file");
  EXPECT_SAYS(message_of([&] { read_image(folder()); }), "is not a file");
}

TEST_F(Reading, ImpossibleSizesAreRejectedBeforeMemoryIsAllocated) {
  EXPECT_SAYS(refusal("huge.png", png(1000000, 1000000, 8, 0, "x")), "1000000 x 1000000 pixels, more than the");
  EXPECT_SAYS(refusal("wide.png", png(11000, 11000, 8, 0, "x")), "more than its");
  EXPECT_SAYS(refusal("flat.png", png(0, 5, 8, 0, "x")), "has no pixels");
  EXPECT_SAYS(refusal("negative.png", png(0x80000001, 5, 8, 0, "x")), "more than the limit of");
  EXPECT_SAYS(refusal("huge.pgm", "P5\n999999 999999\n255\nabc"), "is truncated");
  EXPECT_SAYS(refusal("endless.pgm", "P5\n99999999999999999999999 2\n255\nabc"), "is truncated");
  std::string bitmap = "BM" + std::string(60, '\0');
  bitmap[10] = 54;
  bitmap[14] = 40;
  bitmap[18] = bitmap[19] = bitmap[22] = bitmap[23] = '\x7f';
  bitmap[28] = 8;
  EXPECT_SAYS(refusal("huge.bmp", bitmap), "is truncated");
  write_picture(*this / "whole.tif", as_pixels(made_texture(40, 30, 1)));
  std::string strips = get("whole.tif");
  const std::size_t rows_per_strip = strips.rfind(std::string("\x16\x01", 2));
  ASSERT_NE(rows_per_strip, std::string::npos);
  std::string twice = strips;
  twice.replace(rows_per_strip, 2, std::string("\0\1", 2));
  EXPECT_SAYS(refusal("twice.tif", twice), "contains a size twice");
  strips.replace(rows_per_strip + 2, 10, std::string("\4\0\1\0\0\0\x80\0\0\x14", 10));
  EXPECT_SAYS(refusal("strips.tif", strips), "blocks of 40 x 335544448 pixels for a picture of 40 x 30");
}

TEST_F(Reading, InvalidOptionsAreRejected) {
  write_picture(*this / "a.png", as_pixels(made_texture(4, 4, 1)));
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_SAYS(message_of([&] { read_image(*this / "a.png", {.range = bad}); }), "range");
  for (const Size& none : {Size{0, 4}, Size{4, 0}, Size{-4, 4}, Size{4, -4}})
    EXPECT_SAYS(message_of([&] { read_image(*this / "a.png", {.resize = none}); }), "pixels is not possible");
}

TEST_F(Reading, RandomlyCorruptedPicturesAreReadOrRejected) {
  std::mt19937 engine(1);
  write_picture(*this / "a.png", as_pixels(made_texture(20, 20, 1)));
  for (const std::string extension : {".png", ".jpg", ".bmp", ".tif", ".pgm"}) {
    write_picture(*this / ("a" + extension), as_pixels(made_texture(20, 20, 1)));
    const std::string good = get("a" + extension);
    for (int trial = 0; trial < 40; ++trial) {
      std::string bytes = good;
      for (int k = 0; k < 3; ++k)
        bytes[engine() % std::min<std::size_t>(bytes.size(), 200)] = static_cast<char>(engine());
      const auto path = put("b" + extension, bytes);
      message_of([&] { read_image(path); });
    }
  }
}

}  // namespace
}  // namespace dsk::test

#include <dsk/describe.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "support/made_pictures.hpp"

namespace dsk::test {
namespace {

using Real = long double;
constexpr Real pi = std::numbers::pi_v<Real>;

Index fast_length(Index least) {
  for (Index length = least;; ++length) {
    Index rest = length;
    for (const Index factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return length;
  }
}

/// Direct convolution of the extended picture with the wavelet.
class GaborOracle {
 public:
  GaborOracle(const Matrix& grey, Index scales)
      : grey_(grey),
        border_(static_cast<Index>(std::ceil(12 * std::pow(Real{2}, static_cast<Real>(scales - 1) / 2) - 1e-9L))) {
    width_ = fast_length(grey.cols() + 2 * border_);
    height_ = fast_length(grey.rows() + 2 * border_);
    for (Index y = 0; y < height_; ++y)
      for (Index x = 0; x < width_; ++x) mean_ += at(x, y) / static_cast<Real>(width_ * height_);
  }

  Real magnitude(Index scale, Real angle, Index px, Index py) const {
    std::complex<Real> sum = 0;
    for (Index y = 0; y < height_; ++y)
      for (Index x = 0; x < width_; ++x)
        sum += (at(x, y) - mean_) * wavelet(scale, angle, px + border_ - x, py + border_ - y);
    return std::abs(sum);
  }

 private:
  static Real wave(Index scale) { return pi / 2 / std::pow(std::sqrt(Real{2}), static_cast<Real>(scale)); }

  Real at(Index x, Index y) const {
    return static_cast<Real>(grey_(std::clamp<Index>(y - border_, 0, grey_.rows() - 1),
                                   std::clamp<Index>(x - border_, 0, grey_.cols() - 1)));
  }

  /// Periodic, because the extended picture is repeated.
  std::complex<Real> wavelet(Index scale, Real angle, Index x, Index y) const {
    const Real k = wave(scale), s = 2 * pi;
    std::complex<Real> sum = 0;
    for (Index down = -2; down <= 2; ++down)
      for (Index across = -2; across <= 2; ++across) {
        const auto zx = static_cast<Real>(x + across * width_), zy = static_cast<Real>(y + down * height_);
        const Real size = k * k / (s * s) * std::exp(-k * k * (zx * zx + zy * zy) / (2 * s * s));
        if (size > 1e-15L) sum += std::polar(size, k * (zx * std::cos(angle) + zy * std::sin(angle)));
      }
    return sum;
  }

  const Matrix& grey_;
  Index border_, width_ = 0, height_ = 0;
  Real mean_ = 0;
};

TEST(Gabor, IsConvolutionWithTheWavelet) {
  const Matrix grey = made_texture(9, 7, 5);
  const Index scales = 3, orientations = 4;
  const auto maps = feature_maps(gabor_wavelets(scales, orientations), {grey});
  ASSERT_EQ(maps.size(), 12u);
  const GaborOracle oracle(grey, scales);
  const double limit = 1e-13;  // the oracle truncates wavelets at 1e-15
  for (Index scale = 0; scale < scales; ++scale)
    for (Index orientation = 0; orientation < orientations; ++orientation)
      for (const auto& [x, y] : {std::pair<Index, Index>{0, 0}, {8, 6}, {4, 3}, {8, 0}}) {
        const Real angle = pi * static_cast<Real>(orientation) / static_cast<Real>(orientations);
        EXPECT_NEAR(maps[static_cast<std::size_t>(scale * orientations + orientation)](y, x),
                    static_cast<double>(oracle.magnitude(scale, angle, x, y)), limit)
            << scale << ", " << orientation;
      }
}

// Blocks are filtered with what is around them: inside the picture, beyond an edge, and on the other side of the
// picture, where it is repeated.
TEST(Gabor, BlocksEqualTheWholePicture) {
  const Image image{made_texture(431, 350, 5)};
  const FeatureSet set = gabor_wavelets(5, 3);
  const auto maps = feature_maps(set, image);
  const GaborOracle oracle(image.grey, 5);
  for (const Region& block : {Region{0, 0, 60, 25},
                              {200, 160, 60, 25},
                              {371, 325, 60, 25},
                              {0, 100, 431, 20},
                              {190, 0, 1, 350},
                              {430, 0, 1, 1}}) {
    Matrix found(15, block.width * block.height);
    std::vector<double*> places;
    for (Index f = 0; f < 15; ++f) places.push_back(found.row(f).data());
    set.pixels(image, block, places);
    for (Index f = 0; f < 15; ++f) {
      const Matrix& map = maps[static_cast<std::size_t>(f)];
      const Eigen::Map<const Matrix> values(found.row(f).data(), block.height, block.width);
      EXPECT_LT((values - map.block(block.y, block.x, block.height, block.width)).cwiseAbs().maxCoeff(), 1e-13)
          << block.x << ", " << block.y << ", feature " << f;
    }
    EXPECT_NEAR(found(13, 0), static_cast<double>(oracle.magnitude(4, pi / 3, block.x, block.y)), 1e-13);
  }
}

TEST(Gabor, RespondsToStripesOfItsWavelengthAndDirection) {
  Matrix stripes(64, 64);
  for (Index y = 0; y < 64; ++y)
    for (Index x = 0; x < 64; ++x) stripes(y, x) = 0.5 + 0.5 * std::cos(std::numbers::pi / 4 * static_cast<double>(x));
  const auto maps = feature_maps(gabor_wavelets(5, 8), {stripes});
  const auto strength = [&](std::size_t map) { return maps[map](32, 32); };
  // Wave number pi/4 is scale 2, horizontal is orientation 0.
  for (std::size_t map = 0; map < maps.size(); ++map)
    EXPECT_TRUE(map == 16 || strength(16) > 1.5 * strength(map)) << map;
}

TEST(Gabor, OfAConstantPictureIsZero) {
  for (const Matrix& map : feature_maps(gabor_wavelets(5, 8), {Matrix::Constant(12, 10, 0.7)}))
    EXPECT_LT(map.cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace dsk::test

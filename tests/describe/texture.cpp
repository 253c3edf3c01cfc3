// The moments of texture features, which are summed in one pass.

#include <dsk/describe.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/made_pictures.hpp"
#include "support/message.hpp"
#include "support/oracle_covariance.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// The texture features of the pixels of a region, one pixel per row.
Matrix texture(const Matrix& grey, const Region& region) {
  const auto at = [&](Index x, Index y) {
    return grey(std::clamp<Index>(y, 0, grey.rows() - 1), std::clamp<Index>(x, 0, grey.cols() - 1));
  };
  Matrix samples(region.width * region.height, 5);
  for (Index i = 0; i < samples.rows(); ++i) {
    const Index x = region.x + i % region.width, y = region.y + i / region.width;
    samples.row(i) << at(x, y), std::abs(at(x + 1, y) - at(x - 1, y)), std::abs(at(x, y + 1) - at(x, y - 1)),
        std::abs(2 * at(x, y) - at(x - 1, y) - at(x + 1, y)), std::abs(2 * at(x, y) - at(x, y - 1) - at(x, y + 1));
  }
  return samples;
}

void expect_texture(const Matrix& grey, const std::vector<Region>& regions) {
  const SpdBatch found = region_covariance(texture_features(), {grey}, regions);
  for (std::size_t k = 0; k < regions.size(); ++k) {
    const CovarianceOracle oracle(texture(grey, regions[k]));
    const MatrixView matrix = found[static_cast<Index>(k)];
    for (Index r = 0; r < 5; ++r)
      for (Index c = 0; c < 5; ++c) {
        const auto unit = static_cast<double>(std::sqrt(oracle.sample(r, r) * oracle.sample(c, c)));
        EXPECT_NEAR(matrix(r, c), static_cast<double>(oracle.sample(r, c)), tolerance(5, 1) * unit)
            << "region " << k << ", " << r << ", " << c;
        EXPECT_EQ(matrix(r, c), matrix(c, r));
      }
  }
}

TEST(Texture, AgreesWithItsDefinitionOnEveryInstructionSet) {
  on_every_target([] {
    for (const auto& [width, height] : {std::pair<Index, Index>{3, 4}, {9, 8}, {17, 33}, {64, 48}, {101, 67}})
      expect_texture(made_texture(width, height, 5), tile_regions({width, height}, {1, 1}));
    expect_texture(made_texture(101, 67, 6), tile_regions({101, 67}, {7, 5}));
    std::vector<Region> placed;
    for (Index x = 0; x < 12; ++x)
      for (Index width = 5; width < 22; ++width) placed.push_back({x, x % 5, width, 7});
    placed.push_back({31, 1, 1, 30});
    expect_texture(made_texture(33, 31, 7), placed);
  });
}

TEST(Texture, KeepsDigitsWhateverTheFirstLineIs) {
  on_every_target([] {
    const std::vector<Region> whole = {{0, 0, 60, 40}};
    const Matrix noise = made_texture(60, 40, 3);
    expect_texture((noise.array() + 1e6).matrix(), whole);
    Matrix grey = noise;
    grey(0, 0) = 1e5;
    expect_texture(grey, whole);
    grey = noise;
    grey.row(0).setConstant(1e5);
    expect_texture(grey, whole);
    grey.topRows(8) = (1e-6 * noise.topRows(8).array() + 7).matrix();
    expect_texture(grey, whole);
    // Contrast that grows by 100 with every eight lines.
    for (Index y = 0; y < 40; ++y) grey.row(y) = (noise.row(y).array() + 3) * std::pow(100.0, y / 8);
    expect_texture(grey, whole);
  });
}

TEST(Texture, ConstantAndInvalidFeaturesAreNamed) {
  on_every_target([] {
    const Region whole[] = {{0, 0, 40, 30}};
    const auto said = [&](const Matrix& grey) {
      return message_of([&] { region_covariance(texture_features(), {grey}, whole); });
    };
    EXPECT_SAYS(said(Matrix::Constant(30, 40, 0.1)), "all features are constant");
    Matrix lines = made_texture(40, 30, 3);
    for (Index y = 0; y < 30; ++y) lines.row(y).setConstant(lines(y, 0));
    EXPECT_SAYS(said(lines), "feature abs-dx is constant");
    Matrix broken = made_texture(40, 30, 3);
    broken(29, 39) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_SAYS(said(broken), "feature intensity contains NaN or Inf");
    broken(29, 39) = 1e200;
    EXPECT_SAYS(said(broken), "the samples are too large: their squares overflow");
  });
}

}  // namespace
}  // namespace dsk::test

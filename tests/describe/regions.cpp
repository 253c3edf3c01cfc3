#include <dsk/describe.hpp>

#include <gtest/gtest.h>

#include <set>

#include "files/scratch.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"
#include "support/oracle_covariance.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

std::vector<Matrix> some_maps(Index width, Index height) {
  return feature_maps(parse_features("intensity,x,y,abs-dx,abs-dy"), {made_texture(width, height, 4)});
}

/// The pixels of a region, one per row.
Matrix pixels(std::span<const Matrix> maps, const Region& region) {
  Matrix samples(region.width * region.height, static_cast<Index>(maps.size()));
  for (Index i = 0; i < samples.rows(); ++i)
    for (Index f = 0; f < samples.cols(); ++f)
      samples(i, f) = maps[static_cast<std::size_t>(f)](region.y + i / region.width, region.x + i % region.width);
  return samples;
}

/// Sums over the picture lose accuracy for a small region, by the factor `loss`.
void expect_covariance(const Matrix& found, std::span<const Matrix> maps, const Region& region, double loss) {
  const CovarianceOracle oracle(pixels(maps, region));
  for (Index r = 0; r < found.rows(); ++r)
    for (Index c = 0; c < found.rows(); ++c) {
      const auto unit = static_cast<double>(std::sqrt(oracle.sample(r, r) * oracle.sample(c, c)));
      EXPECT_NEAR(found(r, c), static_cast<double>(oracle.sample(r, c)), tolerance(found.rows(), loss) * unit);
      EXPECT_EQ(found(r, c), found(c, r));
    }
}

TEST(Regions, CovarianceIsThatOfThePixels) {
  const auto maps = some_maps(40, 30);
  const std::vector<Region> regions = tile_regions({40, 30}, {3, 4});
  const SpdBatch found = region_covariance(maps, regions);
  ASSERT_EQ(found.size(), 12);
  for (Index r = 0; r < found.size(); ++r) expect_covariance(found[r], maps, regions[static_cast<std::size_t>(r)], 1);
}

TEST(Regions, IntegralImagesGiveTheSameResult) {
  const auto maps = some_maps(64, 48);
  const RegionSums sums(maps);
  for (const Region& region : {Region{0, 0, 64, 48}, {0, 0, 5, 7}, {59, 41, 5, 7}, {13, 21, 30, 4}, {7, 9, 2, 3}})
    expect_covariance(sums.covariance(region), maps, region,
                      64 * 48 / static_cast<double>(region.width * region.height));
  const std::vector<Region> windows = window_regions({64, 48}, {16, 16}, 2);
  const SpdBatch many = region_covariance(maps, windows);  // enough to use integral images
  for (Index w = 0; w < many.size(); w += 37)
    expect_covariance(many[w], maps, windows[static_cast<std::size_t>(w)], 64 * 48 / 256.0);
}

// High contrast on the left, low contrast on the right, none in a corner.
TEST(Regions, RegionsOfLowContrastAreAccurate) {
  Matrix grey = made_texture(96, 64, 4);
  grey.rightCols(40) = (0.5 + 1e-5 * made_texture(40, 64, 5).array()).matrix();
  grey.bottomRightCorner(24, 24).setConstant(0.5);
  const auto maps = feature_maps(parse_features("intensity,abs-dx,abs-dy"), {grey});
  const RegionSums sums(maps);
  const auto keeps_digits = [&](const Region& region) { return sums.keeps_digits(region, sums.scatter(region)); };
  EXPECT_TRUE(keeps_digits({0, 0, 16, 16}));
  EXPECT_FALSE(keeps_digits({76, 46, 16, 16}));
  std::vector<Region> windows;
  for (const Region& region : window_regions({96, 64}, {16, 16}, 2))
    if (region.x + region.width <= 72 || region.y + region.height <= 38) windows.push_back(region);
  const SpdBatch found = region_covariance(maps, windows);
  for (Index w = 0; w < found.size(); ++w) expect_covariance(found[w], maps, windows[static_cast<std::size_t>(w)], 1e5);
  windows.push_back({76, 46, 16, 16});
  EXPECT_NE(message_of([&] { region_covariance(maps, windows); }).find("all features are constant"), std::string::npos);
}

TEST(Regions, IntegralImagesSupportAllEstimatorsButLedoitWolf) {
  const auto maps = some_maps(32, 32);
  const RegionSums sums(maps);
  const Region region{3, 5, 20, 17};
  const Matrix samples = pixels(maps, region);
  for (const Estimator estimator :
       {Estimator::oas, Estimator::correlation, Estimator::mestre, Estimator::efron_morris, Estimator::ben_david}) {
    const Matrix expected = covariance(samples, {.estimator = estimator});
    const double limit = tolerance(5, 1e4, expected.cwiseAbs().maxCoeff());
    EXPECT_LT((sums.covariance(region, estimator) - expected).cwiseAbs().maxCoeff(), limit) << name(estimator);
  }
  EXPECT_SAYS(message_of([&] { sums.covariance(region, Estimator::ledoit_wolf); }), "needs the samples");
  const std::vector<Region> windows = window_regions({32, 32}, {16, 16}, 1);
  const SpdBatch shrunk = region_covariance(maps, windows, {.estimator = Estimator::ledoit_wolf});
  const Matrix expected = covariance(pixels(maps, windows[5]), {.estimator = Estimator::ledoit_wolf});
  EXPECT_EQ(Matrix(shrunk[5]), expected);
}

TEST(Regions, FeaturesOfRegionsEqualThoseOfMaps) {
  const Image image{made_texture(37, 29, 6),
                    {made_texture(37, 29, 1), made_texture(37, 29, 2), made_texture(37, 29, 3)}};
  const FeatureSet set = parse_features("intensity,x,y,dx,dyy,dxy,abs-dx,magnitude,red,blue");
  const auto maps = feature_maps(set, image);
  for (const Size& tiles : {Size{1, 1}, {5, 3}, {2, 9}}) {
    const std::vector<Region> regions = tile_regions({37, 29}, tiles);
    const SpdBatch found = region_covariance(set, image, regions), expected = region_covariance(maps, regions);
    EXPECT_TRUE(std::equal(found.values().begin(), found.values().end(), expected.values().begin()));
  }
  const std::vector<Region> columns = tile_regions({37, 29}, {37, 1});
  const SpdBatch found = region_covariance(set, image, columns, {.estimator = Estimator::oas});
  EXPECT_EQ(Matrix(found[36]), Matrix(region_covariance(maps, columns, {.estimator = Estimator::oas})[36]));
}

TEST(Regions, TilesCoverThePicture) {
  for (const Size& tiles : {Size{1, 1}, {8, 8}, {3, 7}, {30, 20}}) {
    Matrix covered = Matrix::Zero(20, 30);
    for (const Region& tile : tile_regions({30, 20}, tiles))
      covered.block(tile.y, tile.x, tile.height, tile.width).array() += 1;
    EXPECT_EQ(covered, Matrix::Ones(20, 30));
  }
  EXPECT_SAYS(message_of([] { tile_regions({7, 9}, {8, 8}); }), "7 x 9 pixels cannot be cut into 8 x 8 tiles");
  EXPECT_EQ(window_regions({10, 8}, {4, 4}, 3).size(), 6u);
  EXPECT_SAYS(message_of([] { window_regions({10, 8}, {4, 9}, 3); }), "does not fit");
  EXPECT_SAYS(message_of([] { window_regions({10, 8}, {4, 4}, 0); }), "step is 0 pixels");
}

TEST(Regions, SamplesAreDrawnWithoutReplacement) {
  // The map numbers its pixels, so the covariance of (number, number^2) depends on which were drawn.
  Matrix number(20, 20);
  for (Index i = 0; i < 400; ++i) number.data()[i] = static_cast<double>(i);
  std::vector<Matrix> maps = {number, number.cwiseAbs2()};
  const Region all[] = {{0, 0, 20, 20}};
  const auto drawn = [&](double share, std::uint64_t seed) {
    return Matrix(region_covariance(maps, all, {.sample = share, .seed = seed})[0]);
  };
  EXPECT_EQ(drawn(0.1, 1), drawn(0.1, 1));
  EXPECT_NE(drawn(0.1, 1), drawn(0.1, 2));
  EXPECT_EQ(drawn(0.99999, 1), drawn(1, 1));  // rounded to all pixels
  // The mean over many samples is close to the variance of all pixels.
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) mean += drawn(0.1, seed)(0, 0) / 400;
  const double truth = drawn(1, 0)(0, 0);
  EXPECT_NEAR(mean, truth, 0.03 * truth);
  for (const double bad : {0.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_SAYS(message_of([&] { drawn(bad, 0); }), "sample");
}

TEST(Regions, InvalidRegionsAreNamed) {
  const auto maps = some_maps(10, 10);
  const Region tiny[] = {{0, 0, 10, 10}, {2, 2, 2, 2}};
  EXPECT_SAYS(message_of([&] { region_covariance(maps, tiny); }),
              "region 1: 4 samples for 5 features: use the estimator oas");
  EXPECT_EQ(region_covariance(maps, tiny, {.estimator = Estimator::oas}).size(), 2);
  const Region point[] = {{2, 2, 1, 1}};
  EXPECT_SAYS(message_of([&] { region_covariance(maps, point); }),
              "region 0: a covariance needs at least 2 samples, not 1");
  for (const Region& outside :
       {Region{-1, 0, 3, 3}, {8, 0, 3, 3}, {0, 8, 3, 3}, {0, 0, 0, 3}, {0, 0, Index{1} << 62, 3}}) {
    const Region regions[] = {outside};
    EXPECT_SAYS(message_of([&] { region_covariance(maps, regions); }), "is not inside a picture of 10 x 10");
    EXPECT_SAYS(message_of([&] { RegionSums(maps).scatter(outside); }), "is not inside");
  }
  EXPECT_SAYS(message_of([&] { region_covariance({}, tiny); }), "no feature maps");
  EXPECT_SAYS(message_of([&] { region_covariance(maps, {}); }), "no regions");
}

TEST(Sizes, InvalidTextIsRejected) {
  EXPECT_EQ(Size::parse("8x16", "--tiles").height, 16);
  for (const char* const bad :
       {"", "8", "x", "8x", "x8", "0x8", "8x-1", "8x8x8", "8 x 8", "1.5x2", "9999999x1", "99999999999999999999x1"})
    EXPECT_SAYS(message_of([&] { Size::parse(bad, "--tiles"); }), std::string("--tiles '") + bad + "' is not a size");
}

}  // namespace
}  // namespace dsk::test

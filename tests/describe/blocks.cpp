// Large pictures, whose features are computed in blocks.

#include <dsk/describe.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "describe/pictures.hpp"
#include "files/scratch.hpp"
#include "support/made_pictures.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

constexpr Index width = 530, height = 300;  // 3 x 2 blocks

void expect_equal_estimates(const std::vector<detail::RegionEstimate>& found,
                            const std::vector<detail::RegionEstimate>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    EXPECT_EQ(found[r].problem, expected[r].problem);
    EXPECT_EQ(found[r].rank_deficient, expected[r].rank_deficient);
    if (!found[r].good() || !expected[r].good()) continue;
    const Matrix &a = found[r].matrix, &b = expected[r].matrix;
    EXPECT_EQ(a, Matrix(a.transpose()));
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < a.rows(); ++j)
        EXPECT_NEAR(a(i, j), b(i, j), tolerance(a.rows(), 1e3) * std::sqrt(b(i, i) * b(j, j)))
            << r << ": " << i << ", " << j;
  }
}

TEST(Blocks, GiveTheSameEstimatesAsTheWholePicture) {
  const Image image{made_texture(width, height, 4)};
  const FeatureSet set = parse_features("intensity,x,abs-dx,gabor:2x3");
  const auto maps = feature_maps(set, image);
  const std::vector<Region> whole = {{0, 0, width, height}};
  std::vector<Region> some = tile_regions({width, height}, {5, 2});
  some.insert(some.end(), {{170, 100, 20, 90}, {0, 0, 3, 1}, {7, 7, 1, 1}, {255, 149, 2, 300 - 149}});
  for (const Estimator estimator : {Estimator::sample, Estimator::ledoit_wolf, Estimator::oas, Estimator::correlation,
                                    Estimator::mestre, Estimator::efron_morris, Estimator::ben_david})
    for (const double share : {1.0, 0.2})
      for (const auto& regions : {whole, some}) {
        const RegionOptions options{.estimator = estimator, .sample = share, .seed = 5};
        expect_equal_estimates(detail::estimates_in_blocks(set, image, regions, options, 7, 1),
                               detail::region_estimates(maps, set.names, regions, options, 7));
      }
}

TEST(Blocks, ResultsDoNotDependOnTheNumberOfThreads) {
  const Image image{made_texture(width, height, 4)};
  const FeatureSet set = parse_features("intensity,x,abs-dx,gabor:1x4");
  const std::vector<Region> regions = tile_regions({width, height}, {3, 2});
  const auto one = detail::estimates_in_blocks(set, image, regions, {}, 0, 1);
  for (const int threads : {2, 5}) {
    const auto several = detail::estimates_in_blocks(set, image, regions, {}, 0, threads);
    for (std::size_t r = 0; r < regions.size(); ++r) EXPECT_EQ(several[r].matrix, one[r].matrix);
  }
}

TEST(Blocks, RegionsThatCannotBeDescribedAreReported) {
  Image image{made_texture(width, height, 4)};
  image.grey.leftCols(300).setConstant(0.5);
  image.grey(290, 520) = std::numeric_limits<double>::infinity();
  // Features of one's own are computed in blocks too.
  FeatureSet set{{"grey", "square"}, {}};
  set.pixels = [](const Image& picture, const Region& region, std::span<double* const> out) {
    for (Index y = 0, k = 0; y < region.height; ++y)
      for (Index x = 0; x < region.width; ++x, ++k) {
        out[0][k] = picture.grey(region.y + y, region.x + x);
        out[1][k] = out[0][k] * out[0][k];
      }
  };
  set.maps = [pixels = set.pixels](const Image& picture) {
    std::vector<Matrix> maps(2, Matrix(picture.height(), picture.width()));
    pixels(picture, {0, 0, picture.width(), picture.height()}, std::vector<double*>{maps[0].data(), maps[1].data()});
    return maps;
  };
  const std::vector<Region> regions = tile_regions({width, height}, {2, 2});
  const auto found = detail::estimates_in_blocks(set, image, regions, {}, 0, 2);
  expect_equal_estimates(found, detail::region_estimates(feature_maps(set, image), set.names, regions, {}, 0));
  EXPECT_EQ(found[0].problem, "all features are constant");
  EXPECT_TRUE(found[1].good());
  EXPECT_EQ(found[3].problem, "feature grey contains NaN or Inf");
}

class LargePictures : public Scratch {};

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST_F(LargePictures, NeedLittleMoreMemoryThanThePicture) {
#ifdef DSK_SANITIZED
  GTEST_SKIP() << "the sanitizer does not return freed memory";
#endif
  // The maps of one of them would need 190 MB, the picture needs 8.
  const FeatureSet set = gabor_wavelets(1, 24);
  for (std::uint64_t k = 0; k < 2; ++k) write_texture(*this / fmt::format("p{}.pgm", k), 1000, 1000, k);
  const PictureFolder pictures = find_pictures(folder());
  PictureOptions options{.features = set, .threads = 2};
  const double before = peak_megabytes();
  const PictureResult result = describe_pictures(pictures, options);
  EXPECT_LT(peak_megabytes() - before, 90);
  ASSERT_EQ(result.data.size(), 2);
  const PicturePreview preview = preview_of(pictures, options, result);
  EXPECT_LT(peak_megabytes() - before, 190);
  EXPECT_EQ(preview.covariance, Matrix(result.data.matrices()[0]));
  ASSERT_EQ(preview.maps.size(), 24u);
  EXPECT_EQ(preview.maps[0].cols(), 500);
}

TEST_F(LargePictures, AreDescribedByAllThreads) {
  const FeatureSet set = gabor_wavelets(1, 3);
  ASSERT_TRUE(detail::uses_threads(set, 2112 * 2000));
  ASSERT_FALSE(detail::uses_threads(set, 1000 * 1000));
  ASSERT_FALSE(detail::uses_threads(texture_features(), 2112 * 2000));
  write_texture(*this / "a.pgm", 2112, 2000, 1);
  write_texture(*this / "b.pgm", 60, 50, 2);
  put("c.pgm", "P5 2112 2000 255 and no pixels");
  const PictureFolder pictures = find_pictures(folder());
  PictureOptions options{.features = set, .skip_bad = true, .threads = 1};
  const PictureResult one = describe_pictures(pictures, options);
  EXPECT_EQ(one.data.labels().names(), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(one.bad.size(), 1u);
  EXPECT_EQ(one.bad[0].problem, "is truncated");
  for (Index k = 0; k < 2; ++k) {
    const Image image = read_image(pictures.files[static_cast<std::size_t>(k)].path);
    const Region whole[] = {{0, 0, image.width(), image.height()}};
    EXPECT_EQ(Matrix(one.data.matrices()[k]), Matrix(region_covariance(set, image, whole)[0]));
  }
  Index done = 0;
  options.threads = 3;
  options.on_progress = [&](Index now, Index all) {
    EXPECT_EQ(now, ++done);
    EXPECT_EQ(all, 3);
  };
  const PictureResult several = describe_pictures(pictures, options);
  EXPECT_EQ(done, 3);
  EXPECT_TRUE(std::equal(one.data.matrices().values().begin(), one.data.matrices().values().end(),
                         several.data.matrices().values().begin()));
}

TEST_F(LargePictures, PreviewShowsEveryFewPixels) {
  const Image image{made_texture(700, 500, 1)};
  const FeatureSet set = gabor_wavelets(1, 25);
  const auto maps = feature_maps(set, image), small = detail::small_maps(set, image);
  ASSERT_EQ(small.size(), 25u);
  ASSERT_EQ(small[0].cols(), 350);
  ASSERT_EQ(small[0].rows(), 250);
  for (std::size_t f = 0; f < small.size(); f += 8)
    for (Index y = 0; y < 250; ++y)
      for (Index x = 0; x < 350; ++x) ASSERT_NEAR(small[f](y, x), maps[f](2 * y, 2 * x), 1e-13);
}

}  // namespace
}  // namespace dsk::test

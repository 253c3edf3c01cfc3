#include <dsk/describe.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>

#include "describe/pictures.hpp"
#include "files/scratch.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"
#include "support/oracle_covariance.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class Pictures : public Scratch {
 protected:
  /// Two folders, one per class, of three pictures each.
  void make_classes() const {
    for (std::uint64_t k = 0; k < 6; ++k)
      write_texture(*this / (k < 3 ? "bark" : "sand") / fmt::format("p{}.png", k), 24, 16, k);
  }
  PictureResult described(const PictureOptions& options = {}) const {
    return describe_pictures(find_pictures(folder()), options);
  }
};

TEST_F(Pictures, FoldersAreClasses) {
  make_classes();
  put("notes.txt", "no picture");
  put("bark/.hidden.png", "no picture");
  const PictureFolder found = find_pictures(folder());
  EXPECT_TRUE(found.class_per_folder);
  ASSERT_EQ(found.files.size(), 6u);
  const PictureResult result = described();
  ASSERT_EQ(result.data.size(), 6);
  EXPECT_EQ(result.data.dim(), 5);
  EXPECT_EQ(result.data.labels().names(), (std::vector<std::string>{"bark", "sand"}));
  EXPECT_EQ(result.data.labels().codes(), (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(result.data.has_groups());  // one matrix per picture
  EXPECT_TRUE(result.bad.empty());
}

TEST_F(Pictures, TilesOfAPictureFormAGroup) {
  make_classes();
  const PictureResult result = described({.tiles = Size{3, 2}});
  EXPECT_EQ(result.data.size(), 36);
  ASSERT_TRUE(result.data.has_groups());
  EXPECT_EQ(result.data.groups().names().size(), 6u);
  EXPECT_EQ(result.data.groups().names()[0], "bark/p0.png");
  EXPECT_EQ(result.data.groups()[6], 1);
}

TEST_F(Pictures, EqualNamesInDifferentFoldersAreDifferentGroups) {
  for (const std::string name : {"bark/s1/a.png", "bark/s2/a.png", "sand/s1/a.png"}) {
    std::filesystem::create_directories((*this / name).parent_path());
    write_texture(*this / name, 32, 32, static_cast<std::uint64_t>(name[6]));
  }
  EXPECT_EQ(described({.tiles = Size{2, 2}}).data.groups().names(),
            (std::vector<std::string>{"bark/s1/a.png", "bark/s2/a.png", "sand/s1/a.png"}));
}

TEST_F(Pictures, ASizeThatIsTooLargeIsRejected) {
  write_texture(*this / "a.png", 16, 16, 1);
  EXPECT_NE(message_of([&] {
              read_image(*this / "a.png", {.resize = Size{1000000, 1000000}});
            }).find("more than the limit of"),
            std::string::npos);
}

TEST_F(Pictures, WithoutFoldersEachPictureIsAClass) {
  write_texture(*this / "D1.png", 64, 64, 1);
  write_texture(*this / "D2.PNG", 64, 64, 2);
  const PictureResult result = described({.reading = {.resize = Size{32, 32}}, .tiles = Size{4, 4}});
  EXPECT_EQ(result.data.size(), 32);
  EXPECT_EQ(result.data.labels().names(), (std::vector<std::string>{"D1", "D2"}));
  EXPECT_FALSE(result.data.has_groups());  // a class of one picture cannot be split
  const PictureFolder single = find_pictures(*this / "D1.png");
  EXPECT_EQ(describe_pictures(single, {.tiles = Size{2, 2}}).data.size(), 4);
}

TEST_F(Pictures, DescriptorsAreCovariancesOfTheFeatures) {
  write_texture(*this / "a.png", 32, 32, 1);
  const PictureResult result = described({.reading = {.range = 255}, .tiles = Size{2, 2}});
  const Matrix grey = (read_image(*this / "a.png").grey * 255).array().round();
  const auto at = [&](Index x, Index y) { return grey(std::clamp<Index>(y, 0, 31), std::clamp<Index>(x, 0, 31)); };
  Matrix samples(256, 5);  // the second tile; derivatives use pixels beyond its edge
  for (Index i = 0; i < 256; ++i) {
    const Index x = 16 + i % 16, y = i / 16;
    samples.row(i) << at(x, y), std::abs(at(x + 1, y) - at(x - 1, y)), std::abs(at(x, y + 1) - at(x, y - 1)),
        std::abs(2 * at(x, y) - at(x - 1, y) - at(x + 1, y)), std::abs(2 * at(x, y) - at(x, y - 1) - at(x, y + 1));
  }
  const CovarianceOracle oracle(samples);
  for (Index r = 0; r < 5; ++r)
    for (Index c = 0; c < 5; ++c)
      EXPECT_NEAR(result.data.matrices()[1](r, c), static_cast<double>(oracle.sample(r, c)), tolerance(5, 1, 1e4));
}

TEST_F(Pictures, ResultsDoNotDependOnTheNumberOfThreads) {
  make_classes();
  for (const char* const features : {"intensity,abs-dx,abs-dy", "intensity,x,gabor:2x3"}) {
    PictureOptions options{.features = parse_features(features), .tiles = Size{2, 2}};
    options.regions = {.sample = 0.5, .seed = 9};
    options.threads = 1;
    const PictureResult one = described(options);
    for (const int threads : {2, 5}) {
      options.threads = threads;
      const PictureResult several = described(options);
      EXPECT_TRUE(std::equal(one.data.matrices().values().begin(), one.data.matrices().values().end(),
                             several.data.matrices().values().begin()));
    }
  }
}

TEST_F(Pictures, InvalidPicturesAreNamedAndCounted) {
  make_classes();
  put("bark/broken.png", "no picture");
  put("sand/cut.jpg", "\xff\xd8\xff");
  const std::string said = message_of([&] { described(); });
  EXPECT_SAYS(said, "2 of 8 pictures cannot be used: ");
  EXPECT_SAYS(said, "broken.png: is not a png");
  EXPECT_SAYS(said, "cut.jpg: is truncated");
  EXPECT_THROW(described(), BadPictures);
  const PictureResult result = described({.skip_bad = true});
  EXPECT_EQ(result.data.size(), 6);
  ASSERT_EQ(result.bad.size(), 2u);
  EXPECT_EQ(result.bad[0].path.filename(), "broken.png");
  EXPECT_FALSE(result.bad[0].region);
}

TEST_F(Pictures, TooFewPixelsAreReportedWithARemedy) {
  write_texture(*this / "a.png", 4, 3, 1);
  const PictureOptions options{.features = parse_features("intensity,x,y,gabor:5x8")};
  const std::string said = message_of([&] { described(options); });
  EXPECT_SAYS(said, "a.png: 12 samples for 43 features: use the estimator oas");
  EXPECT_THROW(described(options), RankDeficient);
  PictureOptions shrunk = options;
  shrunk.regions.estimator = Estimator::oas;
  EXPECT_EQ(described(shrunk).data.dim(), 43);
  PictureOptions skipping = options;
  skipping.skip_bad = true;
  EXPECT_SAYS(message_of([&] { described(skipping); }), "none of 1 pictures could be described");
}

TEST_F(Pictures, ConstantAndGreyPicturesAreReported) {
  write_picture(*this / "flat.png", cv::Mat(16, 16, CV_8U, cv::Scalar(7)));
  EXPECT_SAYS(message_of([&] { described(); }), "flat.png: all features are constant");
  cv::Mat half(16, 16, CV_8U, cv::Scalar(7));
  as_pixels(made_texture(8, 16, 1)).copyTo(half.colRange(0, 8));
  write_picture(*this / "flat.png", half);
  const PictureResult kept = described({.tiles = Size{4, 1}, .skip_bad = true});
  EXPECT_EQ(kept.data.size(), 2);
  ASSERT_EQ(kept.bad.size(), 2u);
  EXPECT_EQ(kept.bad[0].region, 2);  // its derivatives still see the edge
  EXPECT_SAYS(kept.bad[0].problem, "feature intensity is constant");
  EXPECT_EQ(kept.bad[1].region, 3);
  EXPECT_SAYS(kept.bad[1].problem, "all features are constant");
  const PictureOptions colours{.features = parse_features("red,green,blue")};
  EXPECT_SAYS(message_of([&] { described(colours); }),
              "feature green is a linear combination of the features before it");
  write_picture(*this / "flat.png", cv::Mat(1, 1, CV_8U, cv::Scalar(7)));
  EXPECT_SAYS(message_of([&] { described({.skip_bad = true}); }), "none of 1");
  EXPECT_SAYS(message_of([&] { described(); }), "a covariance needs at least 2 samples, not 1");
  EXPECT_SAYS(message_of([&] { described({.tiles = Size{8, 8}}); }), "cannot be cut into 8 x 8 tiles");
}

TEST_F(Pictures, AmbiguousFoldersAreRejected) {
  EXPECT_SAYS(message_of([&] { find_pictures(folder()); }), "contains no pictures");
  EXPECT_SAYS(message_of([&] { find_pictures(*this / "missing"); }), "no such folder");
  write_texture(*this / "a.png", 8, 8, 1);
  write_texture(*this / "a.bmp", 8, 8, 1);
  EXPECT_SAYS(message_of([&] { find_pictures(folder()); }), "have the same class name");
  std::filesystem::remove(*this / "a.bmp");
  write_texture(*this / "inner" / "b.png", 8, 8, 1);
  EXPECT_SAYS(message_of([&] { find_pictures(folder()); }), "contains both pictures and folders of pictures");
}

TEST_F(Pictures, InvalidOptionsAreRejected) {
  make_classes();
  EXPECT_SAYS(message_of([&] { described({.tiles = Size{2, 2}, .windows = Size{4, 4}, .step = 1}); }), "not both");
  EXPECT_SAYS(message_of([&] { described({.regions = {.sample = 0}}); }), "sample 0 must be above 0");
  EXPECT_SAYS(message_of([&] { described({.threads = -1}); }), "threads is -1");
  Index last = 0;
  described({.threads = 3, .on_progress = [&](Index done, Index all) {
               EXPECT_EQ(all, 6);
               EXPECT_EQ(done, ++last);
             }});
  EXPECT_EQ(last, 6);
  EXPECT_EQ(described({.windows = Size{8, 8}, .step = 4}).data.size(), 6 * 5 * 3);
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST_F(Pictures, OnlyAFewPicturesAreInMemoryAtOnce) {
#ifdef DSK_SANITIZED
  GTEST_SKIP() << "the sanitizer does not return freed memory";
#endif
  // All of them would need 100 MB, and their maps 500 MB.
  for (std::uint64_t k = 0; k < 50; ++k) write_texture(*this / fmt::format("p{}.pgm", k), 512, 512, k);
  const double before = peak_megabytes();
  EXPECT_EQ(described({.tiles = Size{8, 8}, .threads = 2}).data.size(), 3200);
  EXPECT_LT(peak_megabytes() - before, 80);
}

TEST_F(Pictures, PreviewShowsAValidPicture) {
  make_classes();
  put("bark/a_broken.png", "no picture");
  const PictureFolder pictures = find_pictures(folder());
  PictureOptions options{.tiles = Size{3, 2}, .skip_bad = true};
  options.regions = {.sample = 0.5, .seed = 3};
  const PictureResult result = describe_pictures(pictures, options);
  const PicturePreview preview = preview_of(pictures, options, result);
  EXPECT_EQ(preview.title, "p0.png");
  EXPECT_EQ(preview.regions.size(), 6u);
  EXPECT_EQ(preview.covariance, Matrix(result.data.matrices()[0]));
  const std::string png = preview_png(preview);
  const cv::Mat drawn = cv::imdecode(std::vector<uchar>(png.begin(), png.end()), cv::IMREAD_COLOR);
  EXPECT_GT(drawn.cols, 1000);
  EXPECT_GT(drawn.rows, 400);
  EXPECT_LT(cv::mean(drawn)[0], 250);  // not empty
  EXPECT_EQ(preview_png(preview), png);
  EXPECT_SAYS(message_of([] { preview_png(PicturePreview{}); }), "a preview needs a picture");
}

}  // namespace
}  // namespace dsk::test

#include <dsk/describe.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "files/scratch.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// A picture whose edge pixels are repeated beyond its edges.
struct Endless {
  const Matrix& values;
  double operator()(Index x, Index y) const {
    return values(std::clamp<Index>(y, 0, values.rows() - 1), std::clamp<Index>(x, 0, values.cols() - 1));
  }
};

double feature_oracle(const std::string& name, const Matrix& grey, Index x, Index y) {
  const Endless at{grey};
  const double dx = at(x + 1, y) - at(x - 1, y), dy = at(x, y + 1) - at(x, y - 1);
  const std::map<std::string, double> known = {
      {"intensity", at(x, y)},
      {"x", static_cast<double>(x)},
      {"y", static_cast<double>(y)},
      {"dx", dx},
      {"dy", dy},
      {"dxx", -at(x - 1, y) + 2 * at(x, y) - at(x + 1, y)},
      {"dyy", -at(x, y - 1) + 2 * at(x, y) - at(x, y + 1)},
      {"dxy", at(x + 1, y + 1) - at(x - 1, y + 1) - at(x + 1, y - 1) + at(x - 1, y - 1)},
      {"magnitude", std::hypot(dx, dy)},
      {"angle", std::atan2(std::abs(dy), std::abs(dx))},
  };
  if (name.starts_with("abs-")) return std::abs(known.at(name.substr(4)));
  return known.at(name);
}

TEST(Features, AgreeWithPlainLoops) {
  const std::string all = "intensity,x,y,dx,dy,dxx,dyy,dxy,abs-dx,abs-dy,abs-dxx,abs-dyy,abs-dxy,magnitude,angle";
  const FeatureSet set = parse_features(all);
  for (const auto& [width, height] : {std::pair<Index, Index>{1, 1}, {1, 6}, {6, 1}, {2, 2}, {3, 5}, {33, 17}}) {
    const Matrix grey = made_texture(width, height, 3);
    const auto maps = feature_maps(set, {grey});
    ASSERT_EQ(maps.size(), set.names.size());
    for (std::size_t f = 0; f < maps.size(); ++f)
      for (Index y = 0; y < height; ++y)
        for (Index x = 0; x < width; ++x)
          EXPECT_NEAR(maps[f](y, x), feature_oracle(set.names[f], grey, x, y), tolerance(1, 1)) << set.names[f];
  }
}

TEST(Features, SetsOfThePaperContainTheirFeatures) {
  const std::vector<std::string> texture = {"intensity", "abs-dx", "abs-dy", "abs-dxx", "abs-dyy"};
  EXPECT_EQ(texture_features().names, texture);
  const auto gabor = gabor_features().names;
  ASSERT_EQ(gabor.size(), 43u);
  EXPECT_EQ(gabor[0], "intensity");
  EXPECT_EQ(gabor[3], "gabor-0-0");
  EXPECT_EQ(gabor[42], "gabor-4-7");
}

TEST(Features, ColoursAreChannelsOrGrey) {
  const Matrix red = made_texture(4, 3, 1), green = made_texture(4, 3, 2), blue = made_texture(4, 3, 3);
  const auto maps = feature_maps(parse_features("blue,red,green"), {red, {red, green, blue}});
  EXPECT_EQ(maps[0], blue);
  EXPECT_EQ(maps[1], red);
  EXPECT_EQ(maps[2], green);
  EXPECT_EQ(feature_maps(parse_features("green"), {red})[0], red);
}

TEST(Features, UserDefinedSetsAreCalled) {
  const FeatureSet own{{"square", "grey"}, [](const Image& image) {
                         return std::vector<Matrix>{image.grey.cwiseAbs2(), image.grey};
                       }};
  const Matrix grey = made_texture(5, 5, 1);
  EXPECT_EQ(feature_maps(own, {grey})[0], Matrix(grey.cwiseAbs2()));
  const FeatureSet few{{"a", "b"}, [](const Image& image) { return std::vector<Matrix>{image.grey}; }};
  EXPECT_SAYS(message_of([&] { feature_maps(few, {grey}); }), "1 feature maps for 2 names");
  const FeatureSet small{{"a"}, [](const Image&) { return std::vector<Matrix>{Matrix(2, 2)}; }};
  EXPECT_SAYS(message_of([&] { feature_maps(small, {grey}); }),
              "map of feature a is 2 x 2 pixels, but the picture is 5 x 5");
  EXPECT_SAYS(message_of([&] { feature_maps({}, {grey}); }), "no features");
  EXPECT_SAYS(message_of([&] { feature_maps(own, {}); }), "no pixels");
}

TEST(Features, InvalidListsAreRejected) {
  for (const char* const bad : {"", "intensity,", "brightness", "gabor", "DX"})
    EXPECT_SAYS(message_of([&] { parse_features(bad); }), std::string("is unknown; use intensity, x, y"));
  EXPECT_SAYS(message_of([] { parse_features("x,dx,x"); }), "'x' is listed twice");
  EXPECT_SAYS(message_of([] { parse_features("gabor:2x3,gabor:1x3"); }), "is listed twice");
  for (const char* const bad : {"gabor:5", "gabor:0x8", "gabor:-1x2", "gabor:5x8x2"})
    EXPECT_SAYS(message_of([&] { parse_features(bad); }), "not a size");
  EXPECT_SAYS(message_of([] { parse_features("gabor:13x1"); }), "scales of Gabor wavelets is 13");
  EXPECT_SAYS(message_of([] { parse_features("gabor:12x1000"); }), "12 x 1000 Gabor wavelets are out of range");
  for (const NamedFeature& known : named_features())
    EXPECT_TRUE(known.name.starts_with("gabor") || parse_features(known.name).names.size() == 1) << known.name;
}

}  // namespace
}  // namespace dsk::test

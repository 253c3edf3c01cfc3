#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiment/made_textures.hpp"
#include "experiment/small_runs.hpp"

namespace dsk::test {
namespace {

/// Independent pixels of the levels 0, 1/3, 2/3 and 1, the darker the larger the exponent.
Matrix four_levels(int number, double exponent) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  Matrix values(256, 256);
  for (Index y = 0; y < values.rows(); ++y)
    for (Index x = 0; x < values.cols(); ++x)
      values(y, x) = std::round(3 * std::pow(static_cast<double>(random() >> 11) * 0x1p-53, exponent)) / 3;
  return values;
}

class PixelShares : public SmallRuns {
 protected:
  PixelShares() {
    double exponent = 0.7;
    for (const int number : paired_textures()) write_brodatz(folder(), number, four_levels(number, exponent *= 1.06));
  }

  const Study& study(const std::string& name) const {
    const auto found =
        std::find_if(studies().begin(), studies().end(), [&](const Study& one) { return one.name == name; });
    if (found == studies().end()) throw std::runtime_error("no study " + name);
    return *found;
  }
};

std::optional<Index> all_but_stein(const Asked& asked) {
  if (asked.method == "SK:knn" && !asked.study.name.ends_with("equalised")) return {};
  return asked.tested;
}

/// The sample variance of n numbers that are multiples of 1/3, times 9 n (n - 1), is 9 n sum x^2 - (3 sum x)^2.
bool can_be_of(double variance, double n) {
  const double product = 9 * n * (n - 1) * variance;
  return std::abs(product - std::round(product)) < 1e-6;
}

TEST_F(PixelShares, AreFractionsOfThe1024PixelsOfATile) {
  run_answered("brodatz-samples", quick(), [](const Asked& asked) { return asked.tested; });
  ASSERT_EQ(studies().size(), 2u * 3u * 4u);
  for (const auto& [share, pixels] : {std::pair{"0.05", 51}, std::pair{"0.25", 256}, std::pair{"1", 1024}}) {
    const Study& one = study(std::string("D43 and D44, ") + share + " of the pixels");
    for (const int n : {50, 51, 52, 255, 256, 257, 1023, 1024}) {
      int possible = 0;
      for (Index i = 0; i < one.data.size(); ++i) possible += can_be_of(one.data.matrices()[i](0, 0), n) ? 1 : 0;
      if (n == pixels)
        EXPECT_EQ(possible, 128) << share << " of the pixels";
      else
        EXPECT_LT(possible, 64) << share << " of the pixels, " << n;
    }
  }
}

TEST_F(PixelShares, OfAllPixelsAgreeWithTheExperimentOnPairs) {
  const Outcome shares = run_answered("brodatz-samples", quick(2), all_but_stein);
  expect_tables(shares);
  const OutcomeSection& table = shares.sections[0];
  EXPECT_EQ(row_names(table), (std::vector<std::string>{"5", "25", "100"}));
  const std::vector<Study> of_shares = studies();
  const Outcome pairs = run_answered("brodatz-pairs", quick(2), all_but_stein);
  for (std::size_t k = 0; k < 4; ++k) {
    const Study &whole = of_shares[8 + k], &pair = studies()[k];
    EXPECT_EQ(whole.name, pair.name + ", 1 of the pixels");
    EXPECT_TRUE(std::ranges::equal(whole.data.matrices().values(), pair.data.matrices().values())) << pair.name;
  }
  EXPECT_EQ(share_in(cell(table, "100", "SK")), share_in(cell(pairs.sections[0], "SK:knn", "ours, %")));
  EXPECT_LT(share_in(cell(table, "5", "SK")), share_in(cell(table, "25", "SK")));
  EXPECT_LT(share_in(cell(table, "25", "SK")), share_in(cell(table, "100", "SK")));
  EXPECT_EQ(cell(table, "5", "DSK-KA-p, as printed"), "100.00");
  EXPECT_EQ(table.lines.at(0).series.size(), 4u);
  EXPECT_EQ(table.lines[0].series[0].x, (std::vector<double>{5, 25, 100}));
}

/// 64 matrices are tested. SK has 32 correct; DSK-KA-p has more with few pixels, as many with some and fewer with all.
TEST_F(PixelShares, AppearInTheirRows) {
  const auto answer = [](const Asked& asked) -> Index {
    const auto of = [&](const char* share) { return asked.study.name.find(share) != std::string::npos; };
    const Index change = of("0.05 of the pixels") ? 8 : of("0.25 of the pixels") ? 0 : -8;
    return asked.method == "DSK-KA-p-printed:knn" ? 32 + change + asked.split
           : asked.method == "DSK-auto:knn"       ? 48
                                                  : 32 + asked.split;
  };
  const Outcome outcome = run_answered("brodatz-samples", quick(5), answer);
  const OutcomeSection& table = outcome.sections[0];
  EXPECT_EQ(cell(table, "5", "vs. SK"), "+12.50");
  EXPECT_EQ(cell(table, "25", "vs. SK"), "+0.00");
  EXPECT_EQ(cell(table, "100", "vs. SK"), "-12.50");
  EXPECT_EQ(cell(table, "5", "verdict"), "better");
  EXPECT_EQ(cell(table, "25", "verdict"), "-");
  EXPECT_EQ(cell(table, "100", "verdict"), "worse");
  for (const std::string row : {"5", "25", "100"}) {
    EXPECT_EQ(cell(table, row, "DSK-auto"), "75.00");
    EXPECT_EQ(cell(table, row, "majority"), "50.00");
  }
  const std::string told =
      "DSK-KA-p, learned as printed, is above SK for 1 of 3 numbers of pixels, significantly better for 1 and "
      "significantly worse for 1. In the paper it is above SK for all.";
  EXPECT_TRUE(std::any_of(table.text.begin(), table.text.end(), [](const std::string& one) {
    return one == "All classes are equally large, so that balanced accuracies are the same.";
  }));
  EXPECT_EQ(outcome.answer, told + " With equalised histograms: " + told);
  EXPECT_EQ(run_answered("brodatz-samples", quick(4), answer).answer,
            "Too few splits to compare. With equalised histograms: Too few splits to compare.");
}

/// Four people, with pictures of more than the 43 pixels that a matrix needs at the smallest share.
class FaceShares : public SmallRuns {
 protected:
  FaceShares() {
    for (int person = 0; person < 4; ++person)
      for (int picture = 0; picture < 4; ++picture)
        write_texture(folder() / "orl" / fmt::format("s{}", person) / fmt::format("{}.png", picture), 80, 80,
                      static_cast<std::uint64_t>(7 * person + 40 * picture));
  }
};

TEST_F(FaceShares, AreOfTheHardestPairsOfPeople) {
  const Outcome outcome = run_answered("faces-samples", quick(5), [](const Asked& asked) {
    return asked.method == "DSK-KA-p-printed:knn" ? asked.tested : asked.tested / 2;
  });
  expect_tables(outcome);
  ASSERT_EQ(studies().size(), 3u * 4u) << "four of the six pairs of four people";
  EXPECT_EQ(studies()[0].data.dim(), 43);
  EXPECT_EQ(studies()[0].data.size(), 8);
  EXPECT_TRUE(studies()[0].name.ends_with(", 0.02 of the pixels")) << studies()[0].name;
  EXPECT_NE(studies()[0].data.matrices()[0](0, 0), studies()[8].data.matrices()[0](0, 0));
  EXPECT_EQ(row_names(outcome.sections[0]), (std::vector<std::string>{"2", "10", "100"}));
  EXPECT_EQ(cell(outcome.sections[0], "10", "SK"), "50.00");
  EXPECT_EQ(cell(outcome.sections[0], "10", "DSK-KA-p, as printed"), "100.00");
  EXPECT_TRUE(outcome.answer.starts_with("DSK-KA-p, learned as printed, is above SK for 3 of 3 numbers of pixels, "))
      << outcome.answer;
}

}  // namespace
}  // namespace dsk::test

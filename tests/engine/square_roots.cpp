#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/engine.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

void expect_correctly_rounded(const std::vector<double>& values) {
  on_every_target([&] {
    std::vector<double> found = values;
    square_roots_in_place(found);
    for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(found[k], std::sqrt(values[k])) << values[k];
  });
}

TEST(SquareRoots, HaveTheBitsOfTheLibrarys) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  std::vector<double> values(10003);
  for (double& value : values) value = std::pow(10, exponent(random));
  expect_correctly_rounded(values);
}

TEST(SquareRoots, BetweenTwoNumbersHaveTheBitsOfTheLibrarys) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> root(1, 2);
  std::vector<double> values;
  for (int k = 0; k < 10000; ++k) {
    const long double between = root(random) + std::numeric_limits<double>::epsilon() / 2.0L;
    const auto square = static_cast<double>(between * between);
    values.insert(values.end(), {std::nextafter(square, 0), square, std::nextafter(square, 9)});
  }
  expect_correctly_rounded(values);
}

TEST(SquareRoots, OfLimitsOfDoubleAreExact) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values(8, 0.0);
  values.insert(values.end(), {1, 4, 0, Limits::min(), Limits::max(), Limits::denorm_min(), Limits::infinity(), 9});
  expect_correctly_rounded(values);
}

}  // namespace
}  // namespace dsk::test

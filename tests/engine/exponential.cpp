#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/engine.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

TEST(Exponential, IsWithinTwoUlpsOfTheLibrarys) {
  on_every_target([] {
    for (const Index size : {1, 7, 8, 9, 100}) {
      Matrix values(3, size);
      for (Index k = 0; k < values.size(); ++k) values.data()[k] = 0.37 * static_cast<double>(k);
      Matrix found = values;
      exponential_in_place(found, -1.5);
      for (Index k = 0; k < values.size(); ++k) {
        const double expected = std::exp(-1.5 * values.data()[k]);
        ASSERT_NEAR(found.data()[k], expected, 2 * std::numeric_limits<double>::epsilon() * expected);
      }
    }
  });
}

TEST(Exponential, OfZeroIsOneAndOfMuchIsZero) {
  on_every_target([] {
    Matrix values(1, 3);
    values << 0, 1e3, 1e300;
    exponential_in_place(values, -1);
    EXPECT_EQ(values(0, 0), 1);
    EXPECT_EQ(values(0, 1), 0);
    EXPECT_EQ(values(0, 2), 0);
  });
}

TEST(Exponential, GivesTheSameBitsForAnyPlaceAndNumberOfThreads) {
  Matrix one = Matrix::Constant(1200, 1001, 0.731), many = one;
  exponential_in_place(one, -2, 1);
  exponential_in_place(many, -2, 7);
  EXPECT_EQ(one, many);
  EXPECT_TRUE((one.array() == one(0, 0)).all());
}

}  // namespace
}  // namespace dsk::test

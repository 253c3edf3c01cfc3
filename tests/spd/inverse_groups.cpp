#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "spd/spd.hpp"
#include "support/assorted_matrices.hpp"
#include "support/oracle.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using detail::eigen_group;

/// The inverses of a batch of at most a group.
struct Inverses {
  explicit Inverses(const SpdBatch& x, double off_diagonal = 1, const double* units = nullptr)
      : dim(x.dim()), values(dim * (dim + 1) / 2 * eigen_group) {
    detail::AlignedArray<double> scratch(detail::check_scratch(dim));
    const detail::InverseForm form{.inverses = values.data(), .off_diagonal = off_diagonal, .units = units};
    found = detail::invert_group(x.values().data(), x.size(), dim, symmetry_tolerance, form, scratch.data());
  }
  double operator()(Index i, Index r, Index c) const { return values[(r * (r + 1) / 2 + c) * eigen_group + i]; }
  std::vector<std::uint64_t> bits_of(Index i) const {
    std::vector<double> numbers{found.logdets[i]};
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c <= r; ++c) numbers.push_back((*this)(i, r, c));
    return bits(numbers);
  }

  Index dim;
  detail::AlignedArray<double> values;
  detail::GroupInverse found;
};

TEST(InvertGroup, MeetsTheOracleForAllSizesAndConditionsOnEveryTarget) {
  for (const Index dim : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 32, 33, 63, 64})
    for (const double condition : {1e1, 1e4, 1e8, 1e12}) {
      if (dim == 1 && condition > 10) continue;
      SCOPED_TRACE(testing::Message() << "d = " << dim << ", condition " << condition);
      const SpdBatch x = random_spd({.count = 3, .dim = dim, .condition = condition, .scale = 1e-5, .seed = 6});
      std::vector<OracleMatrix> expected;
      for (const MatrixView& matrix : x) expected.push_back(inverse(OracleMatrix::of(matrix)));
      on_every_target([&] {
        const Inverses inverses(x);
        ASSERT_EQ(inverses.found.factored, 7U);
        EXPECT_EQ(inverses.found.check.exact, 7U);
        for (Index i = 0; i < x.size(); ++i) {
          const auto expected_logdet = static_cast<double>(logdet(OracleMatrix::of(x[i])));
          EXPECT_NEAR(inverses.found.logdets[i], expected_logdet, tolerance(dim, condition, std::abs(expected_logdet)));
          const OracleMatrix& oracle = expected[static_cast<std::size_t>(i)];
          double largest = 0;
          for (Index r = 0; r < dim; ++r) largest = std::max(largest, static_cast<double>(oracle(r, r)));
          for (Index r = 0; r < dim; ++r)
            for (Index c = 0; c <= r; ++c)
              EXPECT_NEAR(inverses(i, r, c) / largest, static_cast<double>(oracle(r, c)) / largest,
                          tolerance(dim, condition))
                  << r << " " << c;
        }
      });
    }
}

TEST(InvertGroup, GivesTheSameBitsBesideAnyOthers) {
  for (const Index dim : {1, 4, 7, 33}) {
    const SpdBatch all = random_spd({.count = eigen_group, .dim = dim, .condition = 1e3, .seed = 2});
    on_every_target([&] {
      const Inverses together(all);
      for (Index i = 0; i < all.size(); ++i)
        for (Index count = 1; i + count <= all.size(); ++count) {
          std::vector<Index> some;
          for (Index k = 0; k < count; ++k) some.push_back(i + k);
          EXPECT_EQ(Inverses(all.select(some)).bits_of(0), together.bits_of(i)) << dim << " " << count;
        }
    });
  }
}

TEST(InvertGroup, DividesByUnitsAndMultipliesWhatIsBesideTheDiagonal) {
  const SpdBatch x = random_spd({.count = 2, .dim = 6, .condition = 50});
  const double units[] = {0x1p-20, 0x1p90};
  on_every_target([&] {
    const Inverses plain(x), other(x, 2, units);
    for (Index i = 0; i < 2; ++i) {
      EXPECT_NEAR(other.found.logdets[i], plain.found.logdets[i] - 12 * std::log(units[i]), tolerance(6, 50, 1000));
      for (Index r = 0; r < 6; ++r)
        for (Index c = 0; c <= r; ++c)
          EXPECT_EQ(other(i, r, c), plain(i, r, c) * units[i] * units[i] * (r == c ? 1 : 2));
    }
  });
}

TEST(InvertGroup, TellsWhatHasNoFactorWithoutItsNeighbours) {
  for (const Index dim : {2, 9}) {
    const SpdBatch good = random_spd({.count = eigen_group, .dim = dim, .condition = 10});
    MatrixStack bad{good.size(), dim, {good.values().begin(), good.values().end()}};
    bad.values[static_cast<std::size_t>(3 * dim * dim + dim * dim - 1)] = -1;
    detail::AlignedArray<double> scratch(detail::check_scratch(dim)), inverses(dim * (dim + 1) / 2 * eigen_group);
    on_every_target([&] {
      const Inverses expected(good);
      const detail::GroupInverse found = detail::invert_group(bad.values.data(), eigen_group, dim, symmetry_tolerance,
                                                              {.inverses = inverses.data()}, scratch.data());
      EXPECT_EQ(found.factored, 0xffU & ~(1U << 3));
      EXPECT_EQ(found.check.valid, 0xffU & ~(1U << 3));
      for (Index i = 0; i < eigen_group; ++i)
        if (i != 3) {
          EXPECT_EQ(inverses[i], expected(i, 0, 0));
        }
    });
  }
}

}  // namespace
}  // namespace dsk::test

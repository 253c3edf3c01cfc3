#include <gtest/gtest.h>
#include <Eigen/QR>

#include <cmath>
#include <limits>

#include "spd/spd.hpp"
#include "support/simd_targets.hpp"

namespace dsk::test {
namespace {

constexpr Index group_sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 33, 64};

detail::GroupCheck check(const MatrixStack& stack) {
  detail::AlignedArray<double> scratch(detail::check_scratch(stack.dim));
  return detail::check_group(stack.values.data(), stack.count, stack.dim, symmetry_tolerance, scratch.data());
}

MatrixStack some_matrices(Index count, Index dim, double condition, double scale = 1) {
  const SpdBatch batch = random_spd({.count = count, .dim = dim, .condition = condition, .scale = scale, .seed = 4});
  return {count, dim, {batch.values().begin(), batch.values().end()}};
}

double& entry(MatrixStack& stack, Index i, Index r, Index c) {
  return stack.values[static_cast<std::size_t>((i * stack.dim + r) * stack.dim + c)];
}

TEST(CheckGroup, PassesWellConditionedMatricesInAnyUnitsAndNumber) {
  for (const Index dim : group_sizes)
    for (const double scale : {1e-280, 1.0, 1e280})
      for (Index count = 1; count <= detail::eigen_group; ++count)
        on_every_target([&] {
          const detail::GroupCheck found = check(some_matrices(count, dim, 30, scale));
          EXPECT_EQ(found.valid, (1U << count) - 1) << dim << " " << scale;
          EXPECT_EQ(found.exact & found.valid, (1U << count) - 1) << dim << " " << scale;
        });
}

TEST(CheckGroup, PassesNothingThatTheCheckOfOneMatrixRefuses) {
  for (const Index dim : group_sizes)
    for (const double condition : {1e4, 1e8, 1e12, 1e14, 1e15, 1e16, 1e17}) {
      const MatrixStack stack = [&] {
        // Without the check that random_spd makes: eigenvalues from 1 to 1 / condition in a random basis.
        MatrixStack made = some_matrices(detail::eigen_group, dim, 10);
        for (Index i = 0; i < made.count; ++i) {
          Eigen::Map<Matrix> x(made.values.data() + i * dim * dim, dim, dim);
          const Matrix basis = Eigen::HouseholderQR<Eigen::MatrixXd>(x).householderQ();
          Eigen::VectorXd values(dim);
          for (Index k = 0; k < dim; ++k)
            values[k] = std::pow(condition, -static_cast<double>(k) / static_cast<double>(std::max<Index>(1, dim - 1)));
          x = basis * values.asDiagonal() * basis.transpose();
          x = (x + x.transpose()).eval() / 2;
        }
        return made;
      }();
      detail::CheckedFactor one(dim);
      on_every_target([&] {
        const detail::GroupCheck found = check(stack);
        for (Index i = 0; i < stack.count; ++i)
          if ((found.valid >> i & 1U) != 0) {
            EXPECT_TRUE(one.check(stack[i].data(), symmetry_tolerance)) << dim << " " << condition;
          }
      });
    }
}

TEST(CheckGroup, RefusesBadMatricesWithoutTheirNeighbours) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const Index dim : group_sizes)
    for (Index bad = 0; bad < detail::eigen_group; ++bad) {
      const MatrixStack good = some_matrices(detail::eigen_group, dim, 100);
      const auto refused = [&](const MatrixStack& stack) {
        on_every_target([&] { EXPECT_EQ(check(stack).valid, 0xffU & ~(1U << bad)) << dim << " " << bad; });
      };
      const Index last = dim - 1;
      for (const double value : {nan, inf, -inf, -1.0, 0.0}) {
        MatrixStack stack = good;
        entry(stack, bad, last, last) = value;
        refused(stack);
      }
      if (dim == 1) continue;
      for (const double value : {nan, inf, -inf, 1e10}) {
        for (const bool upper : {false, true}) {
          MatrixStack stack = good;
          (upper ? entry(stack, bad, 0, last) : entry(stack, bad, last, 0)) = value;
          refused(stack);
        }
        MatrixStack both = good;
        entry(both, bad, 0, last) = entry(both, bad, last, 0) = value;
        refused(both);
      }
      MatrixStack deficient = good;
      for (Index k = 0; k < dim; ++k)
        entry(deficient, bad, last, k) = entry(deficient, bad, k, last) =
            entry(deficient, bad, 0, std::min(k, last - 1));
      entry(deficient, bad, last, 0) = entry(deficient, bad, 0, last) = entry(deficient, bad, 0, 0);
      entry(deficient, bad, last, last) = entry(deficient, bad, 0, 0);
      refused(deficient);
    }
}

TEST(CheckGroup, TellsRoundingFromExactSymmetry) {
  for (const Index dim : {2, 8, 9, 33}) {
    MatrixStack stack = some_matrices(detail::eigen_group, dim, 100);
    entry(stack, 3, dim - 1, 0) *= 1 + 1e-12;
    entry(stack, 5, 0, dim - 1) += 1e-3;
    on_every_target([&] {
      const detail::GroupCheck found = check(stack);
      EXPECT_EQ(found.valid, 0xffU & ~(1U << 5));
      EXPECT_EQ(found.exact, 0xffU & ~(1U << 5 | 1U << 3));
    });
  }
}

}  // namespace
}  // namespace dsk::test

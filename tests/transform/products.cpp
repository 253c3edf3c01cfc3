#include "transform/products.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"
#include "transform/transform.hpp"

namespace dsk::test {
namespace {

using Real = long double;

Matrix random_entries(Index rows, Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// The largest difference between a padded product and a sum over k of term(r, c, k), and what must be 0 in its
/// padding.
template <class Term>
double largest_error(const double* product, const Matrix& shape, Index terms, const Term& term) {
  double error = 0;
  for (Index r = 0; r < shape.rows(); ++r)
    for (Index c = 0; c < detail::padded(shape.cols()); ++c) {
      Real expected = 0;
      for (Index k = 0; k < terms && c < shape.cols(); ++k) expected += term(r, c, k);
      error = std::max(error, std::abs(product[r * detail::padded(shape.cols()) + c] - static_cast<double>(expected)));
    }
  return error;
}

TEST(Products, MeetTheirDefinitionsForAllSizesAndTargets) {
  for (const Index dim : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 70})
    for (const Index columns : {1, 2, 7, 8, 9, 15, 16, 17, 24, 33}) {
      if (columns > dim) continue;
      SCOPED_TRACE(testing::Message() << dim << " to " << columns);
      const Matrix entries = random_entries(dim, dim, 1), w = random_entries(dim, columns, 2),
                   g = random_entries(columns, columns, 3), before = random_entries(dim, columns, 4);
      Matrix x = entries + entries.transpose();
      // Nothing above the diagonal may be read.
      Matrix lower = x;
      lower.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
      const auto real = [](double value) { return static_cast<Real>(value); };
      const double allowed = tolerance(dim, 1, 100);
      on_every_target([&] {
        const auto padded_w = detail::padded_rows(w), padded_g = detail::padded_rows(g);
        const Index stride = detail::padded(columns);
        detail::AlignedArray<double> half(dim * stride), square(columns * stride);
        detail::multiply_symmetric(lower.data(), dim, padded_w.data(), stride, half.data());
        EXPECT_LE(largest_error(half.data(), w, dim,
                                [&](Index r, Index c, Index k) { return real(x(r, k)) * real(w(k, c)); }),
                  allowed);
        detail::multiply_transposed(padded_w.data(), half.data(), dim, columns, stride, square.data());
        EXPECT_LE(largest_error(square.data(), g, dim,
                                [&](Index r, Index c, Index k) { return real(w(k, r)) * real(half[k * stride + c]); }),
                  allowed);
        auto sum = detail::padded_rows(before);
        detail::add_product(half.data(), padded_g.data(), dim, columns, stride, sum.data());
        EXPECT_LE(largest_error(sum.data(), w, columns + 1,
                                [&](Index r, Index c, Index k) {
                                  return k == columns ? real(before(r, c)) : real(half[r * stride + k]) * real(g(k, c));
                                }),
                  allowed);
      });
    }
}

TEST(Products, OfManyColumnsAreThoseOfFew) {
  // Above 64 columns of a large matrix, products may be LAPACK's.
  const Index dim = 80;
  const SpdBatch x = random_spd({.count = 5, .dim = dim, .condition = 100, .seed = 6});
  MatrixStack g{5, dim, std::vector<double>(static_cast<std::size_t>(5 * dim * dim))};
  for (Index i = 0; i < 5; ++i) {
    const Matrix entries = random_entries(dim, dim, static_cast<unsigned>(i));
    Eigen::Map<Matrix>(g.values.data() + i * dim * dim, dim, dim) = entries + entries.transpose();
  }
  for (const Index columns : {20, 64, 65, 80}) {
    const Matrix w = random_entries(dim, columns, 7);
    MatrixStack part{5, columns, {}};
    Matrix pulled = Matrix::Zero(dim, columns);
    for (Index i = 0; i < 5; ++i) {
      const Matrix block = g[i].topLeftCorner(columns, columns);
      part.values.insert(part.values.end(), block.data(), block.data() + block.size());
      pulled += 2 * x[i] * w * block;
    }
    const MatrixStack z = detail::congruences(w, x, 1);
    for (Index i = 0; i < 5; ++i) {
      const Matrix expected = w.transpose() * x[i] * w;
      EXPECT_LE((z[i] - expected).cwiseAbs().maxCoeff(), tolerance(dim, 1, expected.norm()));
      EXPECT_EQ(z[i], z[i].transpose());
    }
    EXPECT_LE((detail::pull_back_projection(w, x, part, 1) - pulled).cwiseAbs().maxCoeff(),
              tolerance(dim, 1, pulled.norm()));
  }
}

TEST(Products, HaveTheSameBitsForAnyNumberOfThreads) {
  const SpdBatch x = random_spd({.count = 600, .dim = 24, .condition = 100, .seed = 2});
  const Matrix w = random_entries(24, 6, 1);
  const MatrixStack one = detail::congruences(w, x, 1), three = detail::congruences(w, x, 3);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(detail::pull_back_projection(w, x, one, 1), detail::pull_back_projection(w, x, one, 3));
}

}  // namespace
}  // namespace dsk::test

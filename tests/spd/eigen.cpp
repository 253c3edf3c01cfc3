#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "spd/spd.hpp"
#include "support/assorted_matrices.hpp"
#include "support/message.hpp"
#include "support/oracle_eigen.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// X = U diag(lam) U', U orthogonal, lam positive and descending.
void expect_decomposition(const SpdBatch& batch, const EigenBatch& found) {
  const Index dim = batch.dim();
  for (Index i = 0; i < batch.size(); ++i) {
    const Matrix u = found.vectors[i];
    const double largest = found.values(i, 0);
    const Matrix back = u * (found.values.row(i) / largest).asDiagonal() * u.transpose();
    EXPECT_LT((back - batch[i] / largest).norm(), tolerance(dim, 1));
    EXPECT_LT((u.transpose() * u - Matrix::Identity(dim, dim)).norm(), tolerance(dim, 1));
    for (Index k = 0; k + 1 < dim; ++k) EXPECT_GE(found.values(i, k), found.values(i, k + 1));
    EXPECT_GT(found.values(i, dim - 1), 0);
  }
}

TEST(EigenDecompose, HoldsForAllSizesAndConditions) {
  for (const Index dim : {1, 2, 3, 5, 16, 43, 100})
    for (const double condition : {1.0, 1e3, 1e8, 1e12}) {
      const SpdBatch batch = random_spd({.count = 2, .dim = dim, .condition = condition});
      const EigenBatch found = eigen_decompose(batch);
      expect_decomposition(batch, found);
      const double smallest = dim == 1 ? 1 : 1 / condition;
      EXPECT_NEAR(found.values(0, dim - 1) / smallest, 1, tolerance(dim, condition));
    }
}

TEST(EigenDecompose, HoldsInAnyUnits) {
  for (const double scale : {1e-300, 1e-12, 1e12, 1e150, 1e300}) {
    const SpdBatch batch = random_spd({.count = 3, .dim = 7, .condition = 1e4, .scale = scale});
    const EigenBatch found = eigen_decompose(batch);
    expect_decomposition(batch, found);
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(found.values(i, 0) / scale, 1, tolerance(7, 1));
  }
}

TEST(EigenDecompose, KeepsSmallEigenvaluesOfGradedMatrices) {
  const SpdBatch inner = random_spd({.count = 1, .dim = 6, .condition = 10});
  Eigen::VectorXd units(6);
  units << 1e-60, 1, 1e-60, 1e-30, 1e-90, 1e-30;
  Matrix x = units.asDiagonal() * inner[0] * units.asDiagonal();
  const SpdBatch batch(std::span<const double>(x.data(), 36), 1, 6);
  const EigenBatch found = eigen_decompose(batch);
  expect_decomposition(batch, found);
  auto expected = singular_values(cholesky(OracleMatrix::of(batch[0])));
  std::sort(expected.rbegin(), expected.rend());
  for (Index k = 0; k < 6; ++k) {
    const Real value = expected[static_cast<std::size_t>(k)] * expected[static_cast<std::size_t>(k)];
    EXPECT_NEAR(static_cast<double>(static_cast<Real>(found.values(0, k)) / value), 1, tolerance(6, 10)) << k;
  }
}

TEST(EigenDecompose, StaysPositiveAtTheEdgeOfTheCheck) {
  for (const double condition : {1e13, 1e14}) {
    const SpdBatch batch = random_spd({.count = 20, .dim = 8, .condition = condition});
    expect_decomposition(batch, eigen_decompose(batch));
  }
}

TEST(EigenDecompose, DoesNotDependOnThreads) {
  const SpdBatch batch = random_spd({.count = 300, .dim = 16});
  const EigenBatch one = eigen_decompose(batch, 1);
  for (const int threads : {2, 7}) {
    const EigenBatch several = eigen_decompose(batch, threads);
    EXPECT_EQ(one.values, several.values);
    EXPECT_EQ(one.vectors.values, several.vectors.values);
  }
  EXPECT_NE(message_of([&] { eigen_decompose(batch, -1); }).find("threads is -1"), std::string::npos);
}

std::vector<std::uint64_t> bits_of(const EigenBatch& eigen) {
  auto result = bits({eigen.values.data(), static_cast<std::size_t>(eigen.values.size())});
  const auto vectors = bits(eigen.vectors.values);
  result.insert(result.end(), vectors.begin(), vectors.end());
  return result;
}

TEST(EigenDecompose, HoldsOnEveryTarget) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 5, 8, 9, 16, 17, 43, 100, 129}) {
      for (const double condition : {1.0, 1e6, 1e12}) {
        const SpdBatch batch = random_spd({.count = dim > 50 ? 3 : 11, .dim = dim, .condition = condition});
        const EigenBatch found = eigen_decompose(batch);
        expect_decomposition(batch, found);
        const MatrixStack back = recompose(found.values, found.vectors);
        for (Index i = 0; i < batch.size(); ++i) {
          const double smallest = dim == 1 ? 1 : 1 / condition;
          EXPECT_NEAR(found.values(i, dim - 1) / smallest, 1, tolerance(dim, condition));
          EXPECT_LT((back[i] - batch[i]).norm(), tolerance(dim, 1));
          EXPECT_EQ(back[i], back[i].transpose());
        }
      }
      for (const double scale : {1e-300, 1e150})
        expect_decomposition(random_spd({.count = 3, .dim = dim, .condition = 1e4, .scale = scale}),
                             eigen_decompose(random_spd({.count = 3, .dim = dim, .condition = 1e4, .scale = scale})));
      expect_decomposition(assorted(dim), eigen_decompose(assorted(dim)));
    }
  });
}

TEST(EigenDecompose, DoesNotDependOnNeighboursOrThreads) {
  on_every_target([] {
    for (const Index dim : {1, 2, 3, 5, 8, 9, 16, 17, 43}) {
      const SpdBatch batch = assorted(dim);
      const EigenBatch together = eigen_decompose(batch, 1);
      const MatrixStack mapped = recompose(together.values, together.vectors, 1);
      for (Index i = 0; i < batch.size(); ++i) {
        const std::vector<Index> alone{i}, moved{(i + 5) % 12, (i + 3) % 12, i};
        const EigenBatch single = eigen_decompose(batch.select(alone)), third = eigen_decompose(batch.select(moved));
        const EigenBatch expected{together.values.row(i),
                                  {1, dim, {together.vectors[i].data(), together.vectors[i].data() + dim * dim}}};
        EXPECT_EQ(bits_of(single), bits_of(expected)) << i << " of dim " << dim;
        EXPECT_EQ(third.values.row(2), expected.values.row(0)) << i << " of dim " << dim;
        EXPECT_EQ(third.vectors[2], expected.vectors[0]) << i << " of dim " << dim;
        EXPECT_EQ(recompose(single.values, single.vectors)[0], mapped[i]);
      }
    }
    const SpdBatch many = random_spd({.count = 211, .dim = 43});
    const EigenBatch one = eigen_decompose(many, 1);
    const MatrixStack back = recompose(one.values, one.vectors, 1);
    for (const int threads : {2, 7}) {
      EXPECT_EQ(bits_of(eigen_decompose(many, threads)), bits_of(one));
      EXPECT_EQ(recompose(one.values, one.vectors, threads).values, back.values);
    }
  });
}

TEST(Recompose, InvertsTheDecompositionSymmetricToTheBit) {
  for (const Index dim : {1, 2, 5, 43}) {
    const SpdBatch batch = random_spd({.count = 4, .dim = dim, .condition = 100});
    const EigenBatch e = eigen_decompose(batch);
    const MatrixStack back = recompose(e.values, e.vectors);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_LT((back[i] - batch[i]).norm(), tolerance(dim, 1));
      EXPECT_EQ(back[i], back[i].transpose());
    }
  }
}

TEST(Recompose, RejectsEigenvaluesOfAnotherShape) {
  const EigenBatch e = eigen_decompose(random_spd({.count = 2, .dim = 3}));
  EXPECT_NE(message_of([&] { recompose(Matrix::Ones(3, 2), e.vectors); }).find("shape (3, 2), but there are"),
            std::string::npos);
}

}  // namespace
}  // namespace dsk::test

#include <dsk/metric.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <complex>
#include <random>

#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;
using ComplexMatrix = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<ComplexMatrix> random_hermitian(Index count, Index dim, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<ComplexMatrix> result;
  for (Index i = 0; i < count; ++i) {
    ComplexMatrix samples(dim, 3 * dim);
    for (Index k = 0; k < samples.size(); ++k) samples.data()[k] = {normal(generator), normal(generator)};
    ComplexMatrix product = samples * samples.adjoint() / static_cast<double>(3 * dim);
    result.push_back((product + product.adjoint()) / 2.0);
  }
  return result;
}

SpdBatch embedded_batch(const std::vector<ComplexMatrix>& matrices) {
  const Index dim = matrices[0].rows();
  std::vector<std::complex<double>> values;
  for (const ComplexMatrix& matrix : matrices)
    values.insert(values.end(), matrix.data(), matrix.data() + matrix.size());
  return SpdBatch(embed_hermitian(values, static_cast<Index>(matrices.size()), dim));
}

TEST(EmbedHermitian, ProductsAreThoseOfTheComplexMatrices) {
  for (const Index dim : {1, 2, 5}) {
    const std::vector<ComplexMatrix> x = random_hermitian(2, dim, 1);
    const SpdBatch real = embedded_batch(x);
    const ComplexMatrix product = x[0] * x[1];
    const Matrix real_product = real[0] * real[1];
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c < dim; ++c) {
        EXPECT_NEAR(real_product(2 * r, 2 * c), product(r, c).real(), tolerance(dim, 10));
        EXPECT_NEAR(real_product(2 * r + 1, 2 * c), product(r, c).imag(), tolerance(dim, 10));
      }
  }
}

TEST(EmbeddingFactor, TurnsDistancesIntoThoseOfTheComplexMatrices) {
  const std::vector<ComplexMatrix> x = random_hermitian(2, 4, 2);
  const SpdBatch real = embedded_batch(x);
  const auto found = [&](Metric metric, bool squared) {
    return pairwise_distances(real, {.metric = metric, .squared = squared})(0, 1) / embedding_factor(metric, squared);
  };
  const Eigen::VectorXcd eigenvalues = (x[0].inverse() * x[1]).eval().eigenvalues();
  const Eigen::ArrayXd logs = eigenvalues.real().array().log();
  EXPECT_NEAR(found(Metric::airm, true), logs.square().sum(), tolerance(4, 100, 10));
  EXPECT_NEAR(found(Metric::airm, false), std::sqrt(logs.square().sum()), tolerance(4, 100, 10));
  EXPECT_NEAR(found(Metric::thompson, false), logs.abs().maxCoeff(), tolerance(4, 100, 10));
  const double there = (x[1].inverse() * x[0]).trace().real(), back = (x[0].inverse() * x[1]).trace().real();
  EXPECT_NEAR(found(Metric::kullback, false), (there - 4 + logs.sum()) / 2, tolerance(4, 100, 10));
  EXPECT_NEAR(found(Metric::kullback_sym, false), (there + back) / 2 - 4, tolerance(4, 100, 10));
  EXPECT_NEAR(found(Metric::kullback_sym, true), std::pow((there + back) / 2 - 4, 2), tolerance(4, 100, 100));
  EXPECT_NEAR(found(Metric::euclidean, true), (x[0] - x[1]).squaredNorm(), tolerance(4, 100, 10));
}

TEST(EmbedHermitian, NamesTheEntriesThatAreNotConjugates) {
  std::vector<std::complex<double>> values{{1, 0}, {0, 1}, {0, -1}, {2, 0}, {1, 0}, {0.5, 1}, {0.5, 1}, {3, 0}};
  EXPECT_THAT(message_of([&] { embed_hermitian(values, 2, 2); }),
              HasSubstr("matrix 1 is not Hermitian: entry (1, 0) is 0.5+1i, but entry (0, 1) is 0.5+1i"));
  values[6] = {0.5, -1};
  EXPECT_EQ(embed_hermitian(values, 2, 2).dim, 4);
  EXPECT_THAT(message_of([&] { embed_hermitian(values, 3, 2); }), HasSubstr("8"));
}

}  // namespace
}  // namespace dsk::test

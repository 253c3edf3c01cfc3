#include <dsk/matrices.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/message.hpp"

namespace dsk::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// `count` identity matrices.
MatrixStack identities(Index count, Index dim) {
  MatrixStack stack{count, dim, std::vector<double>(static_cast<std::size_t>(count * dim * dim))};
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < dim; ++k) stack.values[static_cast<std::size_t>((i * dim + k) * dim + k)] = 1;
  return stack;
}

TEST(SpdBatch, KeepsTheValues) {
  const std::vector<double> values{2, 1, 1, 3, 5, 0, 0, 7};
  const SpdBatch batch(values, 2, 2);
  EXPECT_EQ(batch.size(), 2);
  EXPECT_EQ(batch.dim(), 2);
  EXPECT_EQ(batch[0](0, 1), 1);
  EXPECT_EQ(batch[1](1, 1), 7);
  EXPECT_EQ(std::vector<double>(batch.values().begin(), batch.values().end()), values);
}

TEST(SpdBatch, CopiesShareStorage) {
  const SpdBatch batch(identities(2, 3));
  const SpdBatch copy = batch;
  EXPECT_EQ(batch.values().data(), copy.values().data());
}

TEST(SpdBatch, MakesMatricesExactlySymmetric) {
  const std::vector<double> values{1, 0.5 + 4e-9, 0.5 - 4e-9, 1};
  const SpdBatch batch(values, 1, 2);
  EXPECT_EQ(batch[0](0, 1), batch[0](1, 0));
  EXPECT_NEAR(batch[0](0, 1), 0.5, 1e-15);
}

TEST(SpdBatch, SymmetrisesHugeEntriesWithoutOverflow) {
  const double huge = 1.5e308;
  const SpdBatch batch(std::vector<double>{huge, huge / 4, huge / 4 * (1 + 1e-9), huge}, 1, 2);
  EXPECT_TRUE(std::isfinite(batch[0](0, 1)));
}

TEST(SpdBatch, RejectsAsymmetryAboveTheTolerance) {
  const std::vector<double> values{1, 0, 0, 1, 1, 0.5, 0.25, 1};
  EXPECT_THAT(message_of([&] { SpdBatch(values, 2, 2); }),
              AllOf(HasSubstr("matrix 1"), HasSubstr("not symmetric"), HasSubstr("0.25"), HasSubstr("1e-08")));
}

TEST(SpdBatch, AcceptsTheRoundingOfFloat32) {
  const std::vector<float> rounded{1, 0.5F, 0.500001F, 1}, wrong{1, 0.5F, 0.501F, 1};
  const SpdBatch batch(rounded, 1, 2);
  EXPECT_EQ(batch[0](0, 1), batch[0](1, 0));
  EXPECT_THAT(message_of([&] { SpdBatch(wrong, 1, 2); }), HasSubstr("1e-05"));
}

TEST(SpdBatch, RejectsNanAndInf) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MatrixStack stack = identities(3, 4);
    stack.values[2 * 16 + 5] = bad;
    EXPECT_THAT(message_of([&] { SpdBatch(std::move(stack)); }),
                AllOf(HasSubstr("matrix 2"), HasSubstr("NaN or Inf"), HasSubstr("cannot be repaired")));
  }
}

TEST(SpdBatch, RejectsRankDeficiencyAndNamesRankAndRepairs) {
  // Four channels under average reference: rows sum to zero.
  Matrix x = Matrix::Identity(4, 4) - Matrix::Constant(4, 4, 0.25);
  const std::vector<double> values(x.data(), x.data() + x.size());
  EXPECT_THAT(message_of([&] { SpdBatch(values, 1, 4); }),
              AllOf(HasSubstr("matrix 0 is rank deficient"), HasSubstr("smallest eigenvalue"),
                    HasSubstr("numerical rank 3 of 4"), HasSubstr("ridge, shrink or clip")));
}

TEST(SpdBatch, RejectsAConstantChannel) {
  MatrixStack stack = identities(2, 3);
  stack.values[9 + 4] = 0;
  EXPECT_THAT(message_of([&] { SpdBatch(std::move(stack)); }),
              AllOf(HasSubstr("matrix 1 is rank deficient"), HasSubstr("rank 2 of 3")));
}

TEST(SpdBatch, RejectsIndefiniteMatrices) {
  EXPECT_THAT(message_of([] {
                SpdBatch(std::vector<double>{1, 2, 2, 1}, 1, 2);
              }),
              AllOf(HasSubstr("matrix 0 is indefinite"), HasSubstr("smallest eigenvalue -1"), HasSubstr("clip")));
  EXPECT_THAT(message_of([] { SpdBatch(std::vector<double>{1, 0, 0, -1}, 1, 2); }), HasSubstr("indefinite"));
}

TEST(SpdBatch, RejectsAllZeros) {
  EXPECT_THAT(message_of([] { SpdBatch(std::vector<double>(9, 0.0), 1, 3); }),
              AllOf(HasSubstr("all zeros"), HasSubstr("rank 0 of 3")));
}

TEST(SpdBatch, NamesTheFirstInvalidMatrix) {
  MatrixStack stack = identities(20000, 5);
  for (const Index bad : {19000, 12345, 15000}) stack.values[static_cast<std::size_t>(bad * 25)] = -1;
  EXPECT_THAT(message_of([&] { SpdBatch(std::move(stack)); }), HasSubstr("matrix 12345 "));
}

TEST(SpdBatch, RejectsInvalidShapes) {
  const std::vector<double> values(12, 1.0);
  EXPECT_THAT(message_of([&] { SpdBatch(values, 0, 2); }), HasSubstr("count is 0, but"));
  EXPECT_THAT(message_of([&] { SpdBatch(values, 3, 0); }), HasSubstr("matrix size is 0, but must be at least 1"));
  EXPECT_THAT(message_of([&] { SpdBatch(values, 2, 2); }), HasSubstr("12 values do not form 2 matrices of size 2 x 2"));
  EXPECT_THAT(message_of([&] { SpdBatch(values, -3, -2); }), HasSubstr("count is -3, but"));
  // count * dim * dim is 12 modulo 2^64.
  const Index wrapping = (Index{1} << 62) + 3;
  EXPECT_THAT(message_of([&] { SpdBatch(values, wrapping, 2); }), HasSubstr("do not form"));
}

TEST(SpdBatch, AcceptsAnyUnits) {
  for (const double scale : {1e-300, 1e-12, 1.0, 1e12, 1e150, 1e300})
    EXPECT_NO_THROW(random_spd({.count = 2, .dim = 5, .condition = 1e6, .scale = scale})) << scale;
  // Volts beside degrees: graded, yet well conditioned.
  EXPECT_NO_THROW(SpdBatch(std::vector<double>{1e-300, 1e-151, 1e-151, 1}, 1, 2));
  EXPECT_NO_THROW(SpdBatch(std::vector<double>{1e150, 1e-100, 1e-100, 1e-300}, 1, 2));
}

TEST(SpdBatch, AcceptsConditionNumbersUpTo1e12) {
  for (const Index dim : {1, 2, 3, 5, 16, 43, 100})
    for (const double condition : {1.0, 1e4, 1e8, 1e12})
      EXPECT_NO_THROW(random_spd({.count = 2, .dim = dim, .condition = condition})) << dim << " " << condition;
}

TEST(SpdBatch, SelectsInTheGivenOrderWithRepeats) {
  const SpdBatch batch = random_spd({.count = 4, .dim = 3});
  const std::vector<Index> indices{3, 0, 3};
  const SpdBatch chosen = batch.select(indices);
  ASSERT_EQ(chosen.size(), 3);
  EXPECT_EQ(chosen[0], batch[3]);
  EXPECT_EQ(chosen[1], batch[0]);
  EXPECT_EQ(chosen[2], batch[3]);
}

TEST(SpdBatch, RejectsIndicesOutOfRange) {
  const SpdBatch batch = random_spd({.count = 4, .dim = 3});
  EXPECT_THAT(message_of([&] { batch.select(std::vector<Index>{0, 4}); }), HasSubstr("index 4"));
  EXPECT_THAT(message_of([&] { batch.select(std::vector<Index>{-1}); }), HasSubstr("index -1"));
  EXPECT_THAT(message_of([&] { batch.select({}); }), HasSubstr("no indices given"));
}

TEST(SpdBatch, TakesAndGivesMatricesOfEigen) {
  Eigen::MatrixXd a(2, 2), b(2, 2);
  a << 2, 1, 1, 3;
  b << 5, 0.5, 0.5, 7;
  const SpdBatch batch(std::vector<Eigen::MatrixXd>{a, b});
  EXPECT_EQ(batch.size(), 2);
  EXPECT_EQ(batch[0], a);
  EXPECT_EQ(batch[1], b);
  EXPECT_THAT(batch.to_vector(), testing::ElementsAre(a, b));
  const SpdBatch fixed(std::vector<Eigen::Matrix2d>{a, b}), rows(std::vector<Matrix>{a, b});
  EXPECT_EQ(fixed[1], b);
  EXPECT_EQ(rows[1], b);
}

TEST(SpdBatch, ChecksMatricesOfEigen) {
  const Eigen::MatrixXd two = Eigen::MatrixXd::Identity(2, 2), three = Eigen::MatrixXd::Identity(3, 3);
  using Matrices = std::vector<Eigen::MatrixXd>;
  EXPECT_THAT(message_of([&] {
                SpdBatch(Matrices{two, three});
              }),
              AllOf(HasSubstr("matrix 1 has shape (3, 3)"), HasSubstr("2 x 2")));
  EXPECT_THAT(message_of([&] { SpdBatch(Matrices{two.topRows(1)}); }), HasSubstr("matrix 0 has shape (1, 2)"));
  EXPECT_THAT(message_of([&] { SpdBatch(Matrices{two, -two}); }), HasSubstr("matrix 1"));
  EXPECT_THAT(message_of([&] { SpdBatch(Matrices{}); }), HasSubstr("at least 1 matrix"));
  EXPECT_THAT(message_of([&] { SpdBatch(Matrices{Eigen::MatrixXd(), two}); }), HasSubstr("matrix 1"));
  Eigen::MatrixXd oblique = two;
  oblique(0, 1) = 0.5;
  EXPECT_THAT(message_of([&] { SpdBatch(Matrices{oblique}); }), HasSubstr("symmetric"));
}

TEST(SpdBatch, CanBeGoneThrough) {
  const SpdBatch batch = random_spd({.count = 5, .dim = 3});
  Index i = 0;
  for (const MatrixView matrix : batch) {
    EXPECT_EQ(matrix.data(), batch[i].data());
    EXPECT_EQ(matrix, batch[i++]);
  }
  EXPECT_EQ(i, 5);
  static_assert(std::forward_iterator<SpdBatch::Iterator>);
  EXPECT_EQ(std::distance(batch.begin(), batch.end()), 5);
  SpdBatch::Iterator at = batch.begin();
  EXPECT_EQ(*at++, batch[0]);
  EXPECT_EQ(*at, batch[1]);
}

}  // namespace
}  // namespace dsk::test

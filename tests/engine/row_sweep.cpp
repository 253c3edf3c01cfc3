#include <gtest/gtest.h>

#include <random>

#include "engine/engine.hpp"
#include "support/oracle.hpp"
#include "support/simd_targets.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

Matrix normal_rows(Index count, Index width) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(3, 1);
  return Matrix::NullaryExpr(count, width, [&] { return normal(random); });
}

Matrix weights_of_pairs(Index count) {
  Matrix weights = normal_rows(count, count);
  weights = (weights + weights.transpose()).eval() / 10;
  weights.diagonal().setZero();
  return weights;
}

std::vector<int> classes_in_turn(Index count) {
  std::vector<int> classes;
  for (Index i = 0; i < count; ++i) classes.push_back(static_cast<int>(i % 3));
  return classes;
}

/// sum over j of weights_ij (p_i - p_j), in long double.
Matrix oracle_differences(const Matrix& rows, const Matrix& weights) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index e = 0; e < rows.cols(); ++e) {
      Real sum = 0;
      for (Index j = 0; j < rows.rows(); ++j)
        sum += static_cast<Real>(weights(i, j)) * (static_cast<Real>(rows(i, e)) - static_cast<Real>(rows(j, e)));
      result(i, e) = static_cast<double>(sum);
    }
  return result;
}

TEST(RowSweep, SumsWeightedDifferencesOnEveryTarget) {
  for (const Index count : {1, 7, 64, 150})
    for (const Index width : {1, 8, 15, 136, 1500}) {
      const Matrix rows = normal_rows(count, width), weights = weights_of_pairs(count);
      const Matrix expected = oracle_differences(rows, weights);
      on_every_target([&] {
        const WeightedInverses found = PairSums(rows).weighted_inverses(weights);
        EXPECT_LE((found.differences - expected).cwiseAbs().maxCoeff(), tolerance(count, 10)) << count << ", " << width;
      });
    }
}

TEST(RowSweep, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix rows = normal_rows(300, 55), weights = weights_of_pairs(300);
  const WeightedInverses one = PairSums(rows, {.threads = 1}).weighted_inverses(weights);
  const WeightedInverses many = PairSums(rows, {.threads = 3}).weighted_inverses(weights);
  EXPECT_EQ(one.differences, many.differences);
  EXPECT_EQ(one.weight_sums, many.weight_sums);
}

TEST(RowSweep, ForgetsTheRowsItHadBefore) {
  const Matrix rows = normal_rows(90, 6), others = 2 * rows;
  PairSums sweep(rows);
  sweep.set_classes(classes_in_turn(90));
  const double theta = 0.1;
  (void)sweep.log_row_sums({&theta, 1});
  sweep.replace_rows(others);
  PairSums fresh(others);
  fresh.set_classes(classes_in_turn(90));
  EXPECT_EQ(sweep.log_row_sums({&theta, 1})[0].same, fresh.log_row_sums({&theta, 1})[0].same);
  EXPECT_EQ(sweep.divergences(), fresh.divergences());
}

TEST(RowSweep, RefusesRowsWhoseSquaresOverflow) {
  EXPECT_THROW(PairSums(Matrix::Constant(2, 3, 1e200)), NumericalFailure);
}

}  // namespace
}  // namespace dsk::test

#pragma once

#include "engine/sweep_suite.hpp"

namespace dsk::test {

/// What every place that compares rows must do: instantiated for the CPU and for CUDA.
class RowSweepSuite : public SweepSuite {};

TEST_P(RowSweepSuite, DistancesAreSumsOfSquares) {
  for (const Index count : {1, 3, 63, 64, 65, 130})
    for (const Index width : {1, 15, 16, 17, 136, 1500}) {
      const Matrix x = normal_rows(count, width, 1), y = normal_rows(count + 5, width, 2);
      const Matrix within = pairwise_squared_distances(x, where()), across = pairwise_squared_distances(x, y, where());
      const double allowed = tolerance(width, 1, static_cast<double>(4 * width));
      EXPECT_LE((within - oracle_squared_distances(x, x)).cwiseAbs().maxCoeff(), allowed) << count << ", " << width;
      EXPECT_LE((across - oracle_squared_distances(x, y)).cwiseAbs().maxCoeff(), allowed) << count << ", " << width;
      EXPECT_EQ(within, within.transpose());
      EXPECT_EQ(within.diagonal().cwiseAbs().maxCoeff(), 0);
      EXPECT_EQ(within, pairwise_squared_distances(x, x, where()));
    }
}

TEST_P(RowSweepSuite, CloseRowsLoseNoDigits) {
  Matrix x = Matrix::Constant(2, 10, 1e8);
  x(1, 3) += 1e-6;
  const double step = x(1, 3) - 1e8;
  EXPECT_EQ(pairwise_squared_distances(x, where())(0, 1), step * step);
}

TEST_P(RowSweepSuite, TilesHoldTheDistances) {
  const Matrix rows = normal_rows(150, 20);
  const PairSums sweep(rows, where());
  const Matrix expected = oracle_squared_distances(rows, rows);
  Matrix seen = Matrix::Constant(150, 150, -1);
  sweep.visit([&](const PairSweep::Tile& tile) {
    seen.block(tile.row, tile.column, tile.values.rows(), tile.values.cols()) = tile.values;
  });
  for (Index i = 0; i < 150; ++i)
    for (Index j = i; j < 150; ++j) EXPECT_NEAR(seen(i, j), expected(i, j), tolerance(20, 1, expected(i, j)));
  EXPECT_LE((sweep.divergences() - expected).cwiseAbs().maxCoeff(), tolerance(20, 1, 200));
}

TEST_P(RowSweepSuite, SumsWeightedDifferences) {
  for (const Index count : {1, 7, 64, 150})
    for (const Index width : {1, 8, 15, 136, 1500}) {
      const Matrix rows = normal_rows(count, width), weights = symmetric_weights(count);
      const WeightedInverses found = PairSums(rows, where()).weighted_inverses(weights);
      EXPECT_LE((found.differences - oracle_differences(rows, weights)).cwiseAbs().maxCoeff(), tolerance(count, 10))
          << count << ", " << width;
      EXPECT_LE((found.weight_sums - weights.rowwise().sum()).cwiseAbs().maxCoeff(), tolerance(count, 1));
      EXPECT_TRUE(found.sums.values.empty());
    }
}

TEST_P(RowSweepSuite, WeightsOfSumsAreThoseOfTheKernelMatrix) {
  const Index count = 90;
  const double theta = 0.03;
  const Matrix rows = normal_rows(count, 30);
  PairSums sweep(rows, where());
  sweep.set_classes(some_classes(count));
  const DirectSums direct(oracle_squared_distances(rows, rows), some_classes(count), theta);
  Matrix seen;
  const auto weigh = [&](const Matrix& sums) {
    seen = sums;
    return FormWeights{{0.3, -0.01, 2}, sums.row(2).transpose() / 10};
  };
  const WeightedInverses found =
      sweep.weighted_inverses(theta, {.forms = some_forms, .weigh = weigh, .weighs_rows = true});
  const FormWeights used = weigh(Matrix(seen));
  Matrix weights = Matrix::Zero(count, count);
  for (std::size_t m = 0; m < some_forms.size(); ++m) {
    const Matrix form = direct.form(some_forms[m]);
    EXPECT_LE((seen.row(static_cast<Index>(m)).transpose() - form.rowwise().sum()).cwiseAbs().maxCoeff(),
              tolerance(count, 10));
    weights += used.forms[m] * form;
  }
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) weights(i, j) += (used.rows[i] + used.rows[j]) * direct.kernel(i, j);
  EXPECT_LE((found.differences - oracle_differences(rows, weights)).cwiseAbs().maxCoeff(), tolerance(count, 100));
  EXPECT_LE((found.weight_sums - weights.rowwise().sum()).cwiseAbs().maxCoeff(), tolerance(count, 100));
  const Eigen::VectorXd times_distance = weights.cwiseProduct(direct.divergence).rowwise().sum();
  EXPECT_LE((found.divergence_sums - times_distance).cwiseAbs().maxCoeff(), tolerance(count, 1e4));
}

TEST_P(RowSweepSuite, ReplacedRowsAreTheOnesCompared) {
  const Matrix rows = normal_rows(90, 6), others = 2 * rows;
  PairSums sweep(rows, where()), fresh(others, where());
  for (PairSums* each : {&sweep, &fresh}) each->set_classes(some_classes(90));
  const double theta = 0.1;
  (void)sweep.log_row_sums({&theta, 1});
  sweep.replace_rows(others);
  EXPECT_EQ(sweep.log_row_sums({&theta, 1})[0].same, fresh.log_row_sums({&theta, 1})[0].same);
  EXPECT_EQ(sweep.divergences(), fresh.divergences());
  EXPECT_THROW(PairSums(Matrix::Constant(2, 3, 1e200), where()), NumericalFailure);
}

TEST_P(RowSweepSuite, PartsOfRanksAddUp) {
  const Matrix rows = normal_rows(100, 21), weights = symmetric_weights(100);
  const double theta = 0.1;
  const SummedForms forms{.forms = some_forms, .weigh = [](const Matrix& sums) {
                            return FormWeights{{1, 2, -1 / (1 + std::abs(sums.sum()))}};
                          }};
  const auto made = [&](const PairOptions& options) {
    PairSums sweep(rows, options);
    sweep.set_classes(some_classes(100));
    return sweep;
  };
  const PairSums alone = made(where());
  const WeightedInverses dense = alone.weighted_inverses(weights), summed = alone.weighted_inverses(theta, forms);
  const Matrix squared = alone.divergences();
  for (const int ranks : {2, 3})
    as_team(ranks, [&](const Team& team) {
      const PairSums shared = made({.threads = 1, .device = GetParam(), .team = &team});
      EXPECT_EQ(shared.divergences(), squared);
      for (const auto& [whole, part] : {std::pair(dense, shared.weighted_inverses(weights)),
                                        std::pair(summed, shared.weighted_inverses(theta, forms))}) {
        Matrix differences = part.differences;
        shared.add_up({differences.data(), static_cast<std::size_t>(differences.size())});
        EXPECT_LE((differences - whole.differences).cwiseAbs().maxCoeff(), tolerance(100, 10));
      }
    });
}

}  // namespace dsk::test

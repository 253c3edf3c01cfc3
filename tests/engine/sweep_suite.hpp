#pragma once

#include <dsk/engine.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "engine/engine.hpp"
#include "spd/spd.hpp"
#include "support/made_team.hpp"
#include "support/oracle.hpp"
#include "support/row_cases.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {

/// What every place that computes pairs must do, whichever it is: instantiated for the CPU and for CUDA.
class SweepSuite : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (GetParam() == Device::cuda && !cuda_status().usable) GTEST_SKIP() << "CUDA: " << cuda_status().text;
  }
  PairOptions where() const { return {.device = GetParam()}; }
};

inline std::string device_name(const testing::TestParamInfo<Device>& info) {
  return std::string(name(info.param));
}

/// sum over j of weights_ij ((X_i + X_j)/2)^-1, in long double.
inline MatrixStack oracle_sums(const SpdBatch& x, const Matrix& weights) {
  MatrixStack sums{x.size(), x.dim(), std::vector<double>(x.values().size())};
  for (Index i = 0; i < x.size(); ++i) {
    OracleMatrix sum(x.dim());
    for (Index j = 0; j < x.size(); ++j) {
      if (i == j) continue;
      const OracleMatrix term = inverse(mean(OracleMatrix::of(x[i]), OracleMatrix::of(x[j])));
      for (Index r = 0; r < x.dim(); ++r)
        for (Index c = 0; c < x.dim(); ++c) sum(r, c) += static_cast<Real>(weights(i, j)) * term(r, c);
    }
    for (Index r = 0; r < x.dim(); ++r)
      for (Index c = 0; c < x.dim(); ++c)
        sums.values[static_cast<std::size_t>((i * x.dim() + r) * x.dim() + c)] = static_cast<double>(sum(r, c));
  }
  return sums;
}

inline double largest_of(const MatrixStack& stack) {
  double result = 0;
  for (const double value : stack.values) result = std::max(result, std::abs(value));
  return result;
}

inline void expect_sums(const MatrixStack& found, const MatrixStack& expected, Index dim, double condition) {
  ASSERT_EQ(found.values.size(), expected.values.size());
  for (std::size_t k = 0; k < found.values.size(); ++k)
    ASSERT_NEAR(found.values[k], expected.values[k], tolerance(dim, condition, largest_of(expected))) << "entry " << k;
}

inline Matrix oracle_divergence_matrix(const SpdBatch& x, const SpdBatch& y) {
  Matrix result(x.size(), y.size());
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j < y.size(); ++j)
      result(i, j) = static_cast<double>(stein(OracleMatrix::of(x[i]), OracleMatrix::of(y[j])));
  return result;
}

TEST_P(SweepSuite, DivergencesMeetTheOracle) {
  for (const Index dim : {1, 2, 5, 8, 11, 16, 24, 43}) {
    const SpdBatch x = random_spd({.count = 12, .dim = dim, .condition = 100, .seed = 3}),
                   y = random_spd({.count = 5, .dim = dim, .condition = 100, .seed = 4});
    const double allowed = tolerance(dim, 100);
    const Matrix own = PairSweep(x, where()).divergences(), cross = PairSweep(x, y, where()).divergences();
    EXPECT_LE((own - oracle_divergence_matrix(x, x)).cwiseAbs().maxCoeff(), allowed) << "d = " << dim;
    EXPECT_LE((cross - oracle_divergence_matrix(x, y)).cwiseAbs().maxCoeff(), allowed) << "d = " << dim;
    EXPECT_EQ(own, own.transpose());
    EXPECT_EQ(own.diagonal().cwiseAbs().maxCoeff(), 0);
  }
}

TEST_P(SweepSuite, TilesHoldTheDivergences) {
  const SpdBatch x = random_spd({.count = 150, .dim = 6, .condition = 20});
  const PairSums sweep(x, where());
  const Matrix expected = sweep.divergences();
  Matrix seen = Matrix::Constant(150, 150, -1);
  sweep.visit([&](const PairSweep::Tile& tile) {
    seen.block(tile.row, tile.column, tile.values.rows(), tile.values.cols()) = tile.values;
  });
  for (Index i = 0; i < 150; ++i)
    for (Index j = i; j < 150; ++j) EXPECT_EQ(seen(i, j), expected(i, j));
}

TEST_P(SweepSuite, WeightedInversesMeetTheOracle) {
  for (const Index dim : {1, 3, 8, 9, 14, 15, 17, 24, 25, 30, 32, 33, 44, 45, 56, 64, 65, 72, 73, 104, 105}) {
    const Index count = dim <= 30 ? 20 : dim <= 65 ? 7 : 3;
    const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 100, .seed = 8});
    Matrix weights = symmetric_weights(count);
    for (const bool few : {false, true}) {
      if (few) weights = (weights.array().abs() > 0.8).select(weights, 0);
      const WeightedInverses found = PairSums(x, where()).weighted_inverses(weights);
      expect_sums(found.sums, oracle_sums(x, weights), dim, 100);
      EXPECT_LE((found.weight_sums - weights.rowwise().sum()).cwiseAbs().maxCoeff(), tolerance(count, 1));
    }
  }
}

TEST_P(SweepSuite, WeightedInversesOfIllConditionedMatricesMeetTheOracle) {
  for (const Index dim : {5, 12, 16, 24, 32, 43, 64, 70, 100, 105})
    for (const double condition : {1e4, 1e8}) {
      const Index count = dim <= 70 ? 6 : 3;
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 9});
      const Matrix weights = symmetric_weights(count);
      const WeightedInverses found = PairSums(x, where()).weighted_inverses(weights);
      expect_sums(found.sums, oracle_sums(x, weights), dim, condition);
    }
}

TEST_P(SweepSuite, FormsAreThoseOfWholeSums) {
  for (const Index dim : {2, 7, 20}) {
    const SpdBatch x = random_spd({.count = 15, .dim = dim, .condition = 30, .seed = 1});
    const EigenBatch eigen = eigen_decompose(x);
    const Matrix weights = symmetric_weights(15);
    const WeightedInverses forms = PairSums(x, eigen, where()).weighted_inverses(weights),
                           whole = PairSums(x, where()).weighted_inverses(weights);
    ASSERT_EQ(forms.forms.rows(), 15);
    EXPECT_TRUE(forms.sums.values.empty());
    for (Index i = 0; i < 15; ++i) {
      const Eigen::VectorXd expected = (eigen.vectors[i].transpose() * whole.sums[i] * eigen.vectors[i]).diagonal();
      EXPECT_LE((forms.forms.row(i).transpose() - expected).cwiseAbs().maxCoeff(),
                tolerance(dim, 30, largest_of(whole.sums)));
    }
  }
}

TEST_P(SweepSuite, ReplacedMatricesAreTheOnesCompared) {
  const SpdBatch x = random_spd({.count = 9, .dim = 5, .seed = 1}), y = random_spd({.count = 9, .dim = 5, .seed = 2});
  PairSums sweep(x, where());
  sweep.replace(y);
  EXPECT_EQ(sweep.divergences(), PairSweep(y, where()).divergences());
  const EigenBatch eigen = eigen_decompose(x);
  PairSums over_eigenvalues(x, eigen, where());
  const Matrix eigenvalues = eigen.values.array().square();
  over_eigenvalues.replace_eigenvalues(eigenvalues);
  const MatrixStack squared = recompose(eigenvalues, eigen.vectors);
  const Matrix expected = PairSweep(SpdBatch(squared.values, 9, 5), where()).divergences();
  EXPECT_LE((over_eigenvalues.divergences() - expected).cwiseAbs().maxCoeff(), tolerance(5, 100));
  EXPECT_THROW(over_eigenvalues.replace_eigenvalues(-eigenvalues), NumericalFailure);
}

/// The kernel with zeros on the diagonal, and forms of it as PairForm says.
struct DirectSums {
  DirectSums(const SpdBatch& x, std::vector<int> of, double theta)
      : DirectSums(oracle_divergence_matrix(x, x), std::move(of), theta) {}
  DirectSums(Matrix divergences, std::vector<int> of, double theta)
      : classes(std::move(of)), divergence(std::move(divergences)) {
    kernel = (-theta * divergence.array()).exp();
    kernel.diagonal().setZero();
  }
  bool same(Index i, Index j) const {
    return classes[static_cast<std::size_t>(i)] == classes[static_cast<std::size_t>(j)];
  }
  Matrix form(const PairForm& form) const {
    Matrix result(kernel.rows(), kernel.cols());
    for (Index i = 0; i < kernel.rows(); ++i)
      for (Index j = 0; j < kernel.cols(); ++j) {
        const auto own = static_cast<std::size_t>(classes[static_cast<std::size_t>(i)]);
        const double k = kernel(i, j);
        result(i, j) = (same(i, j) ? form.same[own] : form.other) * k + form.square * k * k;
      }
    return result;
  }
  std::vector<int> classes;
  Matrix divergence;
  Matrix kernel;
};

inline const std::vector<PairForm> some_forms{
    {.same = {1, 0.5, 2}, .other = -1}, {.same = {0, 0, 0}, .square = 1}, {.same = {1, 1, 1}, .other = 1}};

TEST_P(SweepSuite, SumsOfFormsAreThoseOfTheKernelMatrix) {
  for (const Index dim : {3, 12}) {
    const SpdBatch x = random_spd({.count = 70, .dim = dim, .condition = 20});
    PairSums sweep(x, where());
    sweep.set_classes(some_classes(70));
    const double thetas[] = {0.5, 3};
    const std::vector<Matrix> sums = sweep.form_sums(some_forms, thetas);
    const std::vector<LogRowSums> logs = sweep.log_row_sums(thetas);
    for (std::size_t t = 0; t < 2; ++t) {
      const DirectSums direct(x, some_classes(70), thetas[t]);
      for (std::size_t m = 0; m < some_forms.size(); ++m) {
        const Eigen::VectorXd expected = direct.form(some_forms[m]).rowwise().sum();
        EXPECT_LE((sums[t].row(static_cast<Index>(m)).transpose() - expected).cwiseAbs().maxCoeff(),
                  tolerance(dim, 20, 100 * thetas[t]));
      }
      const Eigen::VectorXd same = direct.form({.same = {1, 1, 1}}).rowwise().sum(),
                            other = direct.form({.same = {0, 0, 0}, .other = 1}).rowwise().sum();
      EXPECT_LE((logs[t].same.array().exp().matrix() - same).cwiseAbs().maxCoeff(),
                tolerance(dim, 20, 100 * thetas[t]));
      EXPECT_LE((logs[t].other.array().exp().matrix() - other).cwiseAbs().maxCoeff(),
                tolerance(dim, 20, 100 * thetas[t]));
    }
  }
}

/// Weights from all sums, for sizes that take one pass over the pairs and two, with and without weights of rows.
TEST_P(SweepSuite, WeightsOfFormsMeetTheOracle) {
  for (const Index dim : {4, 24})
    for (const bool rows : {false, true}) {
      const Index count = 30;
      const double theta = 1.5;
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 20, .seed = 2});
      PairSums sweep(x, where());
      sweep.set_classes(some_classes(count));
      Matrix seen;
      const auto weigh = [&](const Matrix& sums) {
        seen = sums;
        FormWeights weights{{0.3, -sums.row(1).sum() / 100, 2}};
        if (rows) weights.rows = sums.row(2).transpose() / 10;
        return weights;
      };
      const WeightedInverses found =
          sweep.weighted_inverses(theta, {.forms = some_forms, .weigh = weigh, .weighs_rows = rows});
      const DirectSums direct(x, some_classes(count), theta);
      const FormWeights used = weigh(Matrix(seen));
      Matrix weights = Matrix::Zero(count, count);
      for (std::size_t m = 0; m < 3; ++m) weights += used.forms[m] * direct.form(some_forms[m]);
      if (rows)
        for (Index i = 0; i < count; ++i)
          for (Index j = 0; j < count; ++j) weights(i, j) += (used.rows[i] + used.rows[j]) * direct.kernel(i, j);
      expect_sums(found.sums, oracle_sums(x, weights), dim, 1e3);
      EXPECT_LE((found.weight_sums - weights.rowwise().sum()).cwiseAbs().maxCoeff(), tolerance(dim, 20, 1e3));
      const Eigen::VectorXd times_divergence = weights.cwiseProduct(direct.divergence).rowwise().sum();
      EXPECT_LE((found.divergence_sums - times_divergence).cwiseAbs().maxCoeff(),
                tolerance(dim, 20, 1e3) * std::max(1.0, direct.divergence.maxCoeff()));
    }
}

TEST_P(SweepSuite, WeightsInLogarithmsMeetTheOracle) {
  const Index count = 25, dim = 6;
  const double theta = 2;
  const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = 20, .seed = 6});
  PairSums sweep(x, where());
  sweep.set_classes(some_classes(count));
  LogWeights how{theta, 0.25, Eigen::VectorXd::LinSpaced(count, -1, 1), Eigen::VectorXd::LinSpaced(count, 0.5, -2)};
  const DirectSums direct(x, some_classes(count), theta);
  Matrix weights = direct.kernel;
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) {
      const Eigen::VectorXd& offset = direct.same(i, j) ? how.same : how.other;
      weights(i, j) *= (direct.same(i, j) ? 1 : -1) * how.factor * (std::exp(offset[i]) + std::exp(offset[j]));
    }
  const WeightedInverses found = sweep.weighted_inverses(how);
  expect_sums(found.sums, oracle_sums(x, weights), dim, 1e2);
  const Eigen::VectorXd times_divergence = weights.cwiseProduct(direct.divergence).rowwise().sum();
  EXPECT_LE((found.divergence_sums - times_divergence).cwiseAbs().maxCoeff(), tolerance(dim, 20, 1e3));
}

TEST_P(SweepSuite, PartsOfRanksAddUp) {
  for (const Index dim : {5, 24}) {
    const SpdBatch x = random_spd({.count = 60, .dim = dim, .seed = 9});
    const Matrix weights = symmetric_weights(60);
    const double theta = 1;
    const SummedForms forms{.forms = some_forms, .weigh = [](const Matrix& sums) {
                              return FormWeights{{1, 2, -1 / (1 + std::abs(sums.sum()))}};
                            }};
    const auto made = [&](const PairOptions& options) {
      PairSums sweep(x, options);
      sweep.set_classes(some_classes(60));
      return sweep;
    };
    const PairSums alone = made(where());
    const WeightedInverses dense = alone.weighted_inverses(weights), summed = alone.weighted_inverses(theta, forms);
    const Matrix divergences = alone.divergences();
    for (const int ranks : {2, 3})
      as_team(ranks, [&](const Team& team) {
        const PairSums shared = made({.threads = 1, .device = GetParam(), .team = &team});
        EXPECT_EQ(shared.divergences(), divergences);
        for (const auto& [whole, part] : {std::pair(dense, shared.weighted_inverses(weights)),
                                          std::pair(summed, shared.weighted_inverses(theta, forms))}) {
          std::vector<double> sums = part.sums.values;
          Eigen::VectorXd weight_sums = part.weight_sums;
          shared.add_up(sums);
          shared.add_up({weight_sums.data(), static_cast<std::size_t>(weight_sums.size())});
          for (std::size_t k = 0; k < sums.size(); ++k)
            EXPECT_NEAR(sums[k], whole.sums.values[k], tolerance(dim, 10, largest_of(whole.sums)));
          EXPECT_LE((weight_sums - whole.weight_sums).cwiseAbs().maxCoeff(), tolerance(60, 1, 60));
        }
      });
  }
}

}  // namespace dsk::test

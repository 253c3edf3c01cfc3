#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <random>

#include "engine/cuda/engine.hpp"
#include "support/cuda_device.hpp"
#include "support/flat_matrices.hpp"
#include "support/made_team.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

class CudaInverseSums : public OnCuda {};

double largest_entry(const MatrixStack& stack) {
  return Eigen::Map<const Eigen::VectorXd>(stack.values.data(), static_cast<Index>(stack.values.size()))
      .cwiseAbs()
      .maxCoeff();
}

double largest_gap(const MatrixStack& a, const MatrixStack& b) {
  MatrixStack gap = a;
  for (std::size_t k = 0; k < gap.values.size(); ++k) gap.values[k] -= b.values.at(k);
  return largest_entry(gap);
}

TEST_F(CudaInverseSums, AgreeWithTheCpu) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const auto& [count, dim] : {std::pair<Index, Index>{1, 3},
                                   {2, 1},
                                   {301, 2},
                                   {190, 3},
                                   {90, 4},
                                   {210, 5},
                                   {100, 6},
                                   {100, 7},
                                   {170, 8},
                                   {50, 9},
                                   {90, 16},
                                   {60, 18},
                                   {50, 31},
                                   {40, 43},
                                   {12, 64},
                                   {10, 80},
                                   {9, 100},
                                   {7, 112},
                                   {6, 150},
                                   {5, 200},
                                   {4, 216},
                                   {3, 240}})
    for (const double condition : {1e1, 1e6}) {
      SCOPED_TRACE(testing::Message() << count << " of d = " << dim << ", condition " << condition);
      const SpdBatch x = random_spd({.count = count, .dim = dim, .condition = condition, .seed = 8});
      Matrix weights(count, count);
      for (Index i = 0; i < count; ++i)
        for (Index j = i; j < count; ++j) weights(i, j) = weights(j, i) = j % 5 == 0 ? 0 : uniform(random);
      const MatrixStack expected = inverse_sums(x, weights);
      const double allowed = tolerance(dim, condition, largest_entry(expected));
      const MatrixStack dense = inverse_sums(x, weights, cuda);
      EXPECT_LE(largest_gap(dense, expected), allowed);
      EXPECT_EQ(inverse_sums(x, weights, cuda).values, dense.values);
      for (Index i = 0; i < count; ++i) EXPECT_EQ(dense[i], dense[i].transpose());
      std::vector<WeightedPair> pairs;
      for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < i; ++j) pairs.push_back({i, j, weights(i, j)});
      EXPECT_EQ(inverse_sums(x, pairs, cuda).values, dense.values);
      if (condition > 1e3) continue;  // beyond a float's digits
      EXPECT_LE(largest_gap(inverse_sums(x, weights, cuda_single), expected),
                tolerance_float32(dim, condition, largest_entry(expected)));
    }
}

TEST_F(CudaInverseSums, FunctionSeesDivergencesAndKernelValues) {
  for (const Index dim : {4, 11}) {
    const SpdBatch x = random_spd({.count = 75, .dim = dim, .condition = 50, .seed = 12});
    const PairWeights weigh = [](const PairStrip& strip, std::span<double> weights) {
      for (std::size_t l = 0; l < strip.kernel.size(); ++l) {
        weights[l] = strip.kernel[l];
        weights[strip.kernel.size() + l] = -2 * strip.divergence[l];
      }
    };
    const auto expected = inverse_sums(x, weigh, {.forms = 2, .theta = 1.5});
    const auto found = inverse_sums(x, weigh, {.forms = 2, .theta = 1.5, .options = cuda});
    ASSERT_EQ(found.size(), 2U);
    for (std::size_t m = 0; m < 2; ++m)
      EXPECT_LE(largest_gap(found[m], expected[m]), tolerance(dim, 50, largest_entry(expected[m])));
  }
}

TEST_F(CudaInverseSums, AreTheSameBitsInStrips) {
  for (const Index dim : {5, 12, 30}) {
    const SpdBatch x = random_spd({.count = 90, .dim = dim});
    const Matrix weights = Matrix::Random(90, 90);
    const std::vector<double> ones(static_cast<std::size_t>(dim), 1);
    engine::cuda::SweepInput input;
    input.dim = static_cast<int>(dim);
    input.x = {x.values().data(), 90};
    input.factors = ones;
    const auto sweep = engine::cuda::make_sweep(input);
    const auto rows_of = [&](long first, long rows, Matrix& divergences, std::vector<double>& sums) {
      EXPECT_FALSE(sweep->compute(first, rows));
      divergences.resize(rows, 90);
      sweep->fetch(divergences.data());
      sweep->place_weights(first, rows, weights.data() + first * 90);
      EXPECT_FALSE(sweep->sum_inverses());
      sums.resize(static_cast<std::size_t>(rows * dim * dim));
      sweep->fetch_sums(sums.data());
    };
    Matrix whole, strip;
    std::vector<double> sums, of_strip;
    rows_of(0, 90, whole, sums);
    for (const auto& [first, rows] : {std::pair<long, long>{0, 1}, {1, 64}, {65, 25}}) {
      rows_of(first, rows, strip, of_strip);
      EXPECT_EQ(strip, whole.middleRows(first, rows)) << "d = " << dim << ", from row " << first;
      EXPECT_TRUE(std::equal(of_strip.begin(), of_strip.end(), sums.begin() + first * dim * dim))
          << "d = " << dim << ", from row " << first;
    }
  }
}

TEST_F(CudaInverseSums, OfATeamAddUp) {
  for (const Index dim : {5, 20}) {
    const SpdBatch x = random_spd({.count = 130, .dim = dim});
    const PairWeights weigh = [](const PairStrip& strip, std::span<double> weights) {
      std::copy(strip.kernel.begin(), strip.kernel.end(), weights.begin());
    };
    const Matrix dense = Matrix::Random(130, 130);
    const MatrixStack whole = inverse_sums(x, weigh, {.options = cuda})[0], of_dense = inverse_sums(x, dense, cuda);
    for (const int ranks : {2, 3})
      as_team(ranks, [&](const Team& team) {
        const PairOptions shared{.device = Device::cuda, .team = &team};
        MatrixStack sums = inverse_sums(x, weigh, {.options = shared})[0];
        team.sum(sums.values);
        EXPECT_LE(largest_gap(sums, whole), tolerance(dim, 10, largest_entry(whole)));
        sums = inverse_sums(x, dense, shared);
        team.sum(sums.values);
        EXPECT_LE(largest_gap(sums, of_dense), tolerance(dim, 10, largest_entry(of_dense)));
      });
  }
}

TEST_F(CudaInverseSums, OfATeamFailTogether) {
  const SpdBatch x = with_flat(random_spd({.count = 12, .dim = 5, .condition = 10}), {4, 10});
  as_team(3, [&](const Team& team) {
    const PairOptions shared{.precision = Precision::float32, .device = Device::cuda, .team = &team};
    try {
      inverse_sums(x, Matrix(Matrix::Ones(12, 12)), shared);
      ADD_FAILURE() << "nothing thrown";
    } catch (const PairFailure& failure) {
      EXPECT_EQ(failure.row(), 4);
      EXPECT_EQ(failure.column(), 10);
    }
  });
}

TEST_F(CudaInverseSums, NameTheFirstPairThatIsTooFlat) {
  for (const Index dim : {2, 5, 8}) {
    const SpdBatch x = with_flat(random_spd({.count = 12, .dim = dim, .condition = 10}), {4, 10});
    try {
      inverse_sums(x, Matrix(Matrix::Ones(12, 12)), cuda_single);
      FAIL() << "nothing thrown";
    } catch (const PairFailure& failure) {
      EXPECT_EQ(failure.row(), 4);
      EXPECT_EQ(failure.column(), 10);
    }
  }
}

}  // namespace
}  // namespace dsk::test

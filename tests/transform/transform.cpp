#include <dsk/transform.hpp>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "support/adjustment_cases.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

TEST(Transform, LeavesMatricesAsTheyAreAtFirst) {
  const SpdBatch x = random_spd({.count = 3, .dim = 4});
  EXPECT_TRUE(Transform().is_identity());
  EXPECT_EQ(Transform().parameters().size(), 0);
  EXPECT_TRUE(std::ranges::equal(Transform().apply(x).values(), x.values()));
  EXPECT_TRUE(Transform(EigenvalueAdjustment::none(4)).is_identity());
  EXPECT_TRUE(std::ranges::equal(Transform(EigenvalueAdjustment::none(4)).apply(x).values(), x.values()));
}

TEST(Transform, AppliesItsStepsInOrder) {
  const SpdBatch x = random_spd({.count = 5, .dim = 4, .condition = 50});
  const EigenvalueAdjustment first = uneven_adjustment(4, Adjustment::power),
                             second = uneven_adjustment(4, Adjustment::affine);
  const Transform both = Transform(first).then(Transform(second));
  EXPECT_FALSE(both.is_identity());
  ASSERT_EQ(both.steps().size(), 2U);
  EXPECT_EQ(both.parameters().size(), 4 + 8);
  EXPECT_TRUE(std::ranges::equal(both.apply(x).values(), adjust(adjust(x, first), second).values()));
  EXPECT_FALSE(std::ranges::equal(both.apply(x).values(), adjust(adjust(x, second), first).values()));
}

TEST(Transform, RefusesWhatDoesNotFit) {
  const Transform four(EigenvalueAdjustment::none(4)), three(EigenvalueAdjustment::none(3));
  EXPECT_EQ(message_of([&] { four.then(three); }),
            "a transform of matrices of size 3 cannot follow one that makes matrices of size 4");
  const SpdBatch x = random_spd({.count = 2, .dim = 4});
  EXPECT_EQ(message_of([&] { three.apply(x); }), "a kernel for matrices of size 3 cannot take matrices of size 4");
  EXPECT_EQ(message_of([&] {
              four.pull_back(x, {2, 3, std::vector<double>(18)});
            }),
            "derivatives of 2 matrices of size 3 do not fit 2 transformed ones of size 4");
}

/// J(Z) = sum_i <C_i, Z_i>, whose derivatives by Z are the C_i.
double linear(const SpdBatch& z, const MatrixStack& c) {
  double sum = 0;
  for (Index i = 0; i < z.size(); ++i) sum += z[i].cwiseProduct(c[i]).sum();
  return sum;
}

EigenvalueAdjustment moved(EigenvalueAdjustment adjustment, Index k, double by) {
  (k < adjustment.dim() ? adjustment.alpha[k] : adjustment.beta[k - adjustment.dim()]) += by;
  return adjustment;
}

Matrix some_projection(Index rows, Index columns) {
  return Matrix::NullaryExpr(rows, columns, [](Index r, Index c) {
    return std::sin(1.0 + 2.3 * static_cast<double>(r) + 4.1 * static_cast<double>(c));
  });
}

TEST(Projection, IsTheCongruenceByW) {
  const SpdBatch x = random_spd({.count = 3, .dim = 5, .condition = 100});
  const Matrix w = some_projection(5, 2);
  const SpdBatch z = project(x, {w});
  ASSERT_EQ(z.dim(), 2);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_LE((z[i] - w.transpose() * x[i] * w).cwiseAbs().maxCoeff(), tolerance(5, 1, z[i].norm()));
    EXPECT_EQ(z[i](0, 1), z[i](1, 0));
  }
  EXPECT_TRUE(Transform(Projection{Matrix::Identity(5, 5)}).is_identity());
  EXPECT_EQ(Transform(Projection{w}).result_dim(5), 2);
}

TEST(Projection, RefusesWhatIsNone) {
  EXPECT_EQ(message_of([] { Transform(Projection{some_projection(2, 3)}); }),
            "a projection has 1 to 2 columns for 2 rows, not 3");
  EXPECT_EQ(message_of([] { Transform(Projection{Matrix::Ones(3, 2)}); }),
            "the 2 columns of a projection are not linearly independent");
  EXPECT_EQ(message_of([] { Transform(Projection{Matrix::Constant(3, 1, std::nan(""))}); }),
            "a projection contains NaN or Inf");
  EXPECT_EQ(message_of([] { project(random_spd({.count = 1, .dim = 4}), {some_projection(3, 2)}); }),
            "a projection for matrices of size 3 cannot take matrices of size 4");
}

TEST(Projection, PullsAGradientBackBehindAnAdjustmentAndBeforeOne) {
  constexpr double step = 1e-5;
  const SpdBatch x = random_spd({.count = 4, .dim = 4, .condition = 20, .seed = 3});
  const MatrixStack c{4, 2, {1, 0.5, 0.5, 2, -1, 0.2, 0.2, 1, 0.3, 0, 0, 1, 2, -1, -1, 0.5}};
  const EigenvalueAdjustment first = uneven_adjustment(4, Adjustment::affine),
                             last = uneven_adjustment(2, Adjustment::power);
  const auto through = [&](const Matrix& w) {
    return Transform(first).then(Transform(Projection{w})).then(Transform(last));
  };
  const Matrix w = some_projection(4, 2);
  const Eigen::VectorXd pulled = through(w).pull_back(x, c);
  ASSERT_EQ(pulled.size(), 8 + 8 + 2);
  for (Index k = 0; k < w.size(); ++k) {
    Matrix up = w, down = w;
    up.data()[k] += step;
    down.data()[k] -= step;
    const double wanted = (linear(through(up).apply(x), c) - linear(through(down).apply(x), c)) / (2 * step);
    EXPECT_NEAR(pulled[8 + k], wanted, 1e-3 * step * std::max(1.0, pulled.cwiseAbs().maxCoeff()));
  }
}

TEST(Transform, PullsAGradientBackThroughAllSteps) {
  constexpr double step = 1e-4;
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 30, .seed = 2});
  MatrixStack c{4, 3, std::vector<double>(36)};
  for (Index i = 0; i < 4; ++i) {
    const Matrix random = Matrix::Random(3, 3);
    Eigen::Map<Matrix>(c.values.data() + 9 * i, 3, 3) = random + random.transpose();
  }
  for (const Adjustment first_kind : all_adjustments())
    for (const Adjustment second_kind : all_adjustments()) {
      const EigenvalueAdjustment first = uneven_adjustment(3, first_kind), second = uneven_adjustment(3, second_kind);
      const Eigen::VectorXd found = Transform(first).then(Transform(second)).pull_back(x, c);
      const Index of_first = Transform(first).parameters().size();
      for (Index k = 0; k < found.size(); ++k) {
        const auto value = [&](double by) {
          const Transform at = k < of_first ? Transform(moved(first, k, by)).then(Transform(second))
                                            : Transform(first).then(Transform(moved(second, k - of_first, by)));
          return linear(at.apply(x), c);
        };
        const double slope = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
        EXPECT_NEAR(found[k], slope, tolerance(3, 1 / step, 10 + std::abs(slope)))
            << name(first_kind) << ", " << name(second_kind) << ", parameter " << k;
      }
    }
}

TEST(SpatialPatterns, TellHowSourcesAppearInTheChannels) {
  // Sources of different strength, mixed by A: the filters are rows of its inverse, the patterns its columns.
  const Index dim = 5, count = 6;
  const Matrix mixing = Matrix::Identity(dim, dim) + 0.3 * Matrix::Random(dim, dim);
  MatrixStack stack{count, dim, {}};
  std::vector<double> weights;
  for (Index i = 0; i < count; ++i) {
    const Eigen::VectorXd strength = (1.5 + Eigen::ArrayXd::Random(dim)).matrix();
    const Matrix x = mixing * strength.asDiagonal() * mixing.transpose();
    stack.values.insert(stack.values.end(), x.data(), x.data() + x.size());
    weights.push_back(1 + static_cast<double>(i));
  }
  const SpdBatch x(std::move(stack));
  const Projection two{Matrix(mixing.inverse().transpose()).leftCols(2)};
  EXPECT_LT((spatial_patterns(two, x) - mixing.leftCols(2)).norm(), 1e-12);
  EXPECT_LT((spatial_patterns(two, x, weights) - mixing.leftCols(2)).norm(), 1e-12);
  // Weights are repetitions.
  const Projection any{Matrix::Random(dim, 2)};
  std::vector<Index> repeated;
  for (Index i = 0; i < count; ++i) repeated.insert(repeated.end(), static_cast<std::size_t>(i + 1), i);
  EXPECT_LT((spatial_patterns(any, x, weights) - spatial_patterns(any, x.select(repeated))).norm(), 1e-12);
  EXPECT_THROW(spatial_patterns({Matrix::Identity(4, 2)}, x), InvalidInput);
  EXPECT_THROW(spatial_patterns(any, x, std::vector<double>{1}), InvalidInput);
}

}  // namespace
}  // namespace dsk::test

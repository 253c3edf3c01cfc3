#include <dsk/learn.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/learn_cases.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using testing::HasSubstr;

Dataset labelled(const SpdBatch& matrices, const std::vector<long long>& labels) {
  return Dataset(matrices, Labels(labels));
}

/// n / tr S_W: how many digits the scatter within classes, a difference of sums near n, loses.
double cancellation(const Dataset& data, const LearnedKernel& kernel) {
  const Matrix values = kernel_matrix(kernel, data.matrices());
  const auto n = static_cast<double>(data.size());
  double within = n;
  for (std::size_t c = 0; c < data.labels().names().size(); ++c) {
    double sum = 0, members = 0;
    for (Index i = 0; i < data.size(); ++i) {
      if (data.labels()[i] != static_cast<int>(c)) continue;
      ++members;
      for (Index j = 0; j < data.size(); ++j)
        if (data.labels()[j] == static_cast<int>(c)) sum += values(i, j);
    }
    if (members > 0) within -= sum / members;
  }
  return n / within;
}

/// Learns in every way. The criterion that the fit reports must be that of the learned kernel, by the oracle, and the
/// objective no worse than that of the plain one.
void expect_learnable(const Dataset& data) {
  const OracleSet set(data);
  const double penalty = 0.1;
  for (const Criterion criterion : all_criteria())
    for (const Adjustment kind : all_adjustments()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", " << name(kind));
      const auto [kernel, fit] = fit_kernel(data, {.criterion = criterion, .adjustment = kind, .penalty = penalty});
      const OracleAdjustment adjustment = OracleAdjustment::of(kernel.adjustment());
      const double c = has_soft_margin(criterion) ? fit.c : 1;
      const auto expected = static_cast<double>(
          set.criteria(criterion, set.kernel(adjustment, kernel.theta()), static_cast<Real>(c)).value);
      const KernelRounding rounding{data.dim(), condition(set.spectra, adjustment), kernel.theta(),
                                    has_soft_margin(criterion) ? 1 + static_cast<double>(data.size()) * c : 1};
      const double lost = criterion == Criterion::separability ? cancellation(data, kernel) * (1 + expected) : 1;
      EXPECT_NEAR(fit.criterion, expected, rounding.tolerance(std::max(1.0, std::abs(expected)) * lost));
      const double sign = is_maximised(criterion) ? 1 : -1;
      EXPECT_GE(sign * fit.history.back(), sign * fit.history.front());
      EXPECT_TRUE(kernel_matrix(kernel, data.matrices()).allFinite());
    }
}

std::string one_line(const std::string& message) {
  EXPECT_NE(message, "");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

TEST(LearnKernel, TakesThreeMatrices) {
  for (const Index dim : {1, 2, 7}) {
    SCOPED_TRACE(dim);
    expect_learnable(made_classes({.sizes = {2, 1}, .dim = dim}));
  }
}

TEST(LearnKernel, TakesAClassWithOneMember) {
  expect_learnable(made_classes({.sizes = {8, 5, 1}, .dim = 3}));
}

TEST(LearnKernel, TakesDuplicatedMatrices) {
  const Dataset data = made_classes({.sizes = {5, 4}, .dim = 3});
  std::vector<Index> twice;
  for (Index i = 0; i < data.size(); ++i) twice.insert(twice.end(), {i, i});
  expect_learnable(data.select(twice));
}

TEST(LearnKernel, TakesADuplicateInAnotherClass) {
  const Dataset data = made_classes({.sizes = {5, 4}, .dim = 3});
  std::vector<Index> order;
  std::vector<long long> labels;
  for (Index i = 0; i < data.size(); ++i) {
    order.push_back(i);
    labels.push_back(data.labels()[i]);
  }
  order.push_back(0);
  labels.push_back(1 - data.labels()[0]);
  expect_learnable(labelled(data.matrices().select(order), labels));
}

TEST(LearnKernel, TakesAnyUnits) {
  for (const double scale : {1e-12, 1e12}) {
    SCOPED_TRACE(scale);
    expect_learnable(made_classes({.sizes = {8, 6}, .dim = 4, .scale = scale}));
  }
}

TEST(LearnKernel, TakesIllConditionedMatrices) {
  const SpdBatch x = random_spd({.count = 12, .dim = 5, .condition = 1e10});
  expect_learnable(labelled(x, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST(LearnKernel, TakesDiagonalMatrices) {
  MatrixStack stack{6, 3, {}};
  for (Index i = 0; i < 6; ++i)
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c < 3; ++c) stack.values.push_back(r == c ? static_cast<double>(1 + (i * (r + 2)) % 5) : 0);
  expect_learnable(labelled(SpdBatch(std::move(stack)), {0, 1, 0, 1, 0, 1}));
}

TEST(LearnKernel, RefusesASingleClass) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3});
  for (const Criterion criterion : all_criteria())
    EXPECT_EQ(message_of([&] {
                fit_kernel(labelled(x, {7, 7, 7, 7}), {.criterion = criterion});
              }),
              "training needs matrices of at least two classes; all 4 are of class '7'");
}

TEST(LearnKernel, RefusesDataWithoutLabels) {
  EXPECT_THAT(message_of([] { fit_kernel(Dataset(random_spd({.count = 4}))); }), HasSubstr("no labels"));
}

TEST(LearnKernel, RefusesNeighboursWhereEveryoneIsAlone) {
  const Dataset data = labelled(random_spd({.count = 3, .dim = 2}), {0, 1, 2});
  EXPECT_EQ(message_of([&] { fit_kernel(data, {.criterion = Criterion::neighbour}); }),
            "the neighbour criterion needs a class with at least two matrices");
}

TEST(LearnKernel, RefusesSeparabilityOfClassesWithoutSpread) {
  const SpdBatch two = random_spd({.count = 2, .dim = 3});
  const SpdBatch six = two.select(std::vector<Index>{0, 0, 0, 1, 1, 1});
  const auto refusal = [](const Dataset& data) {
    return one_line(message_of([&] { fit_kernel(data, {.criterion = Criterion::separability}); }));
  };
  EXPECT_THAT(refusal(labelled(six, {0, 0, 0, 1, 1, 1})), HasSubstr("are all matrices of each class equal"));
  EXPECT_THAT(refusal(labelled(two, {0, 1})), HasSubstr("are all matrices of each class equal"));
}

TEST(LearnKernel, RefusesSpreadOfEqualMatricesAndAdjustsNothingElse) {
  const SpdBatch same = random_spd({.count = 1, .dim = 3}).select(std::vector<Index>{0, 0, 0, 0});
  const Dataset data = labelled(same, {0, 0, 1, 1});
  for (const Criterion criterion : {Criterion::separability, Criterion::centred})
    EXPECT_THAT(one_line(message_of([&] { fit_kernel(data, {.criterion = criterion}); })),
                HasSubstr("are all matrices of each class equal"));
  // K is all ones: half of the pairs are of one class, and one of three neighbours.
  EXPECT_NEAR(fit_kernel(data, {.criterion = Criterion::alignment}).fit.criterion, 0, 1e-15);
  EXPECT_NEAR(fit_kernel(data, {.criterion = Criterion::neighbour}).fit.criterion, std::log(1.0 / 3), 1e-15);
  // K + I/C: |w|^2 = 2C and, each of the n = 4 points having 1/n, R^2 = (1 - 1/n)/C; tr S_T = (n - 1)/C.
  const Fit radius = fit_kernel(data, {.criterion = Criterion::radius_margin}).fit,
            trace = fit_kernel(data, {.criterion = Criterion::trace_margin}).fit;
  EXPECT_NEAR(radius.criterion, 4 * (1 - 0.25), 1e-9);
  EXPECT_NEAR(trace.criterion, 4 * (4 - 1), 1e-9);
  for (const Criterion criterion : {Criterion::alignment, Criterion::neighbour, Criterion::radius_margin}) {
    const Matrix kernel = kernel_matrix(fit_kernel(data, {.criterion = criterion}).kernel, data.matrices());
    EXPECT_EQ(kernel, Matrix::Ones(4, 4)) << name(criterion);
  }
}

}  // namespace
}  // namespace dsk::test

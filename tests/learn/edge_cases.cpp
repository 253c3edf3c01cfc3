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

/// Learns in every way; the result must be usable.
void expect_learnable(const Dataset& data) {
  for (const Criterion criterion : all_criteria())
    for (const Adjustment adjustment : all_adjustments()) {
      SCOPED_TRACE(testing::Message() << name(criterion) << ", " << name(adjustment));
      const auto [kernel, fit] = fit_kernel(data, {.criterion = criterion, .adjustment = adjustment, .penalty = 0.1});
      EXPECT_TRUE(std::isfinite(fit.criterion));
      for (const double objective : fit.history) EXPECT_TRUE(std::isfinite(objective));
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
              "learning needs matrices of at least two classes; all 4 are of class '7'");
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

TEST(LearnKernel, RefusesOrLearnsWhereAllMatricesAreEqual) {
  const SpdBatch same = random_spd({.count = 1, .dim = 3}).select(std::vector<Index>{0, 0, 0, 0});
  const Dataset data = labelled(same, {0, 0, 1, 1});
  for (const Criterion criterion : all_criteria()) {
    SCOPED_TRACE(name(criterion));
    const std::string message = message_of([&] {
      const auto [kernel, fit] = fit_kernel(data, {.criterion = criterion});
      EXPECT_TRUE(std::isfinite(fit.criterion));
      EXPECT_TRUE(kernel_matrix(kernel, data.matrices()).allFinite());
    });
    EXPECT_EQ(message.find('\n'), std::string::npos);
    if (criterion == Criterion::separability || criterion == Criterion::centred) {
      EXPECT_NE(message, "");
    }
  }
}

}  // namespace
}  // namespace dsk::test

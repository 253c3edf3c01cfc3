// What CONTRIBUTING.md says about adding a metric, a criterion and a transform: after these steps, the whole library
// knows them. See add_toys.cmake.

#include <dsk/dsk.hpp>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "files/scratch.hpp"
#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

double toy_distance(const MatrixView& a, const MatrixView& b) {
  double sum = 0;
  for (Index k = 0; k < a.rows(); ++k) sum += std::pow(std::log(a(k, k) / b(k, k)), 2);
  return std::sqrt(sum);
}

TEST(NewMetric, HasDistancesMeansAndKernels) {
  const SpdBatch x = random_spd({.count = 7, .dim = 5, .condition = 50});
  const Matrix found = pairwise_distances(x, {.metric = Metric::toy});
  const Matrix kernel = kernel_matrix(x, {.metric = Metric::toy, .theta = 0.3});
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j < x.size(); ++j) {
      const double wanted = toy_distance(x[i], x[j]);
      EXPECT_NEAR(found(i, j), wanted, tolerance(5, 50));
      EXPECT_NEAR(kernel(i, j), std::exp(-0.3 * wanted * wanted), tolerance(5, 50));
    }
  const Matrix mean = dsk::mean(x, {.metric = Metric::toy}).matrix;
  for (Index k = 0; k < x.dim(); ++k) {
    double logs = 0;
    for (const MatrixView one : x) logs += std::log(one(k, k));
    EXPECT_NEAR(mean(k, k), std::exp(logs / 7), tolerance(5, 50));
  }
}

TEST(NewMetric, IsReadAndListedByTheNamesInItsRow) {
  EXPECT_EQ(parse_metric("toy"), Metric::toy);
  EXPECT_EQ(parse_metric("diagonal"), Metric::toy);
  EXPECT_SAYS(metric_choices(), "toy (diagonal)");
  EXPECT_SAYS(message_of([] { parse_metric("nonsense"); }), "toy (diagonal)");
  EXPECT_SAYS(method_choices(), "TOY");
  EXPECT_TRUE(is_valid_theta(Metric::toy, 1e-3, 9));
}

class NewModels : public Scratch {};

TEST_F(NewModels, ClassifyAndAreSaved) {
  const Dataset data = made_classes({.sizes = {12, 9}, .dim = 3, .seed = 2});
  for (const char* const name : {"TOY:knn", "TOY:svm", "TOY:mean", "MDM-toy"}) {
    const Trained trained = train(data, {.method = Method::parse(name)});
    save(trained, *this / "toy.dsk");
    const SavedModel loaded = load_model(*this / "toy.dsk");
    EXPECT_EQ(predict(loaded.model, data.matrices()).labels.codes(), predict(trained, data.matrices()).labels.codes())
        << name;
  }
}

TEST(NewCriterion, IsReadAndListedByTheNamesInItsRow) {
  EXPECT_EQ(parse_criterion("contrast"), Criterion::contrast);
  EXPECT_EQ(parse_criterion("ct"), Criterion::contrast);
  EXPECT_SAYS(criterion_choices(), "contrast (ct)");
  EXPECT_EQ(Method::parse("DSK-CT-a:knn").full_name(), "DSK-CT-a:knn");
  EXPECT_EQ(Method::parse("DSK-CT-s:mean").full_name(), "DSK-CT-s:mean");
}

TEST(NewCriterion, HasTheGradientOfItsValue) {
  const Dataset data = made_classes({.sizes = {8, 6, 5}, .dim = 4, .seed = 3});
  const CriterionFunction function(Criterion::contrast, data, {.threads = 1});
  const auto at = [&](double first) {
    auto adjustment = EigenvalueAdjustment::none(4);
    adjustment.alpha[0] = first;
    return function(LearnedKernel(adjustment, 1.3));
  };
  constexpr double step = 1e-3;
  for (const double a : {0.6, 1.0, 1.4}) {
    const double slope =
        (8 * (at(a + step).value - at(a - step).value) - (at(a + 2 * step).value - at(a - 2 * step).value)) /
        (12 * step);
    EXPECT_NEAR(at(a).by_slope[0], slope, tolerance(4, 1 / step));
    EXPECT_GT(std::abs(slope), 1e-6);
  }
}

TEST(NewCriterion, LearnsKernelsAndSubspaces) {
  const Dataset data = made_classes({.sizes = {14, 12}, .dim = 4, .seed = 5});
  for (const Adjustment adjustment : all_adjustments()) {
    const LearnResult found =
        fit_kernel(data, {.criterion = Criterion::contrast, .adjustment = adjustment, .penalty = 1e-3});
    EXPECT_GT(found.fit.history.back(), found.fit.history.front()) << name(adjustment);
  }
  const Trained trained =
      train(data, {.method = Method::parse("DSK-CT-a:knn"), .selection = {.neighbours = {3}, .penalty = 1e-3}});
  EXPECT_EQ(trained.model.origin.criterion, "contrast");
  EXPECT_EQ(
      learn_subspace(data, {.subspace = {.criterion = Criterion::contrast}, .components = 2}).projection.result_dim(),
      2);
}

/// An adjustment of three eigenvalues, a ridge and a projection to two components, by their parameters.
Transform with_ridge(const Eigen::VectorXd& parameters) {
  auto adjustment = EigenvalueAdjustment::none(3);
  adjustment.alpha = parameters.head(3);
  const Matrix w = Eigen::Map<const Matrix>(parameters.data() + 4, 3, 2);
  return Transform(adjustment).then(Transform(Ridge{parameters[3], 3})).then(Transform(Projection{w}));
}

Eigen::VectorXd some_parameters() {
  Eigen::VectorXd parameters(10);
  parameters << 0.7, 1.2, 0.9, 0.4, 1, 0.2, -0.3, 1, 0.5, 0.1;
  return parameters;
}

TEST(NewTransform, IsAppliedAmongTheOthers) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 20, .seed = 2});
  const Transform transform = with_ridge(some_parameters());
  EXPECT_EQ(transform.parameters(), some_parameters());
  const SpdBatch found = transform.apply(x);
  const SpdBatch adjusted = adjust(x, std::get<EigenvalueAdjustment>(transform.steps()[0]));
  const Matrix w = std::get<Projection>(transform.steps()[2]).w;
  for (Index i = 0; i < x.size(); ++i) {
    const Matrix wanted = w.transpose() * (adjusted[i] + 0.4 * Matrix::Identity(3, 3)) * w;
    EXPECT_LE((found[i] - wanted).cwiseAbs().maxCoeff(), tolerance(3, 20) * wanted.cwiseAbs().maxCoeff());
  }
  EXPECT_SAYS(message_of([] { Transform(Ridge{-1, 3}); }), "a ridge must be");
}

/// Of J = sum_i log det Z_i, with dJ/dZ_i = Z_i^-1.
TEST(NewTransform, PullsAGradientBack) {
  const SpdBatch x = random_spd({.count = 4, .dim = 3, .condition = 20, .seed = 2});
  const Eigen::VectorXd at = some_parameters();
  MatrixStack by_result{x.size(), 2, {}};
  for (const MatrixView one : with_ridge(at).apply(x)) {
    const Matrix inverse = Matrix(one).inverse();
    by_result.values.insert(by_result.values.end(), inverse.data(), inverse.data() + inverse.size());
  }
  const Eigen::VectorXd found = with_ridge(at).pull_back(x, by_result);
  constexpr double step = 1e-3;
  for (Index k = 0; k < at.size(); ++k) {
    const auto value = [&](double change) {
      Eigen::VectorXd moved = at;
      moved[k] += change;
      double sum = 0;
      for (const MatrixView one : with_ridge(moved).apply(x)) sum += std::log(Matrix(one).determinant());
      return sum;
    };
    const double slope = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
    EXPECT_NEAR(found[k], slope, tolerance(3, 1 / step) * std::max(1.0, std::abs(slope))) << k;
  }
}

TEST_F(NewModels, WithANewTransformPredictAndAreSaved) {
  const Dataset data = made_classes({.sizes = {12, 9}, .dim = 3, .seed = 2});
  const Transform before = with_ridge(some_parameters());
  const Dataset moved = data.with_matrices(before.apply(data.matrices()));
  const Model model = Pipeline({{before, train_mdm(moved)}});
  const Prediction expected = predict(train_mdm(moved), moved.matrices());
  EXPECT_EQ(predict(model, data.matrices()).scores, expected.scores);
  save(model, *this / "toy.dsk");
  const Model loaded = load_model(*this / "toy.dsk").model;
  EXPECT_EQ(std::get<Pipeline>(loaded).members()[0].before.parameters(), some_parameters());
  EXPECT_EQ(predict(loaded, data.matrices()).scores, expected.scores);
  Predictor single(loaded);
  for (Index i = 0; i < data.size(); ++i) EXPECT_EQ(single(data.matrices()[i]), expected.labels[i]) << i;
}

}  // namespace
}  // namespace dsk::test

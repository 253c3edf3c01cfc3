#include <dsk/model.hpp>

#include <gtest/gtest.h>

#include <random>

#include "support/made_classes.hpp"
#include "support/some_kernel.hpp"

namespace dsk::test {
namespace {

std::vector<Model> models(Index dim) {
  const Dataset train = made_classes({.sizes = {12, 9, 7}, .dim = dim});
  std::vector<Model> result;
  for (const Metric metric :
       {Metric::airm, Metric::cholesky, Metric::euclidean, Metric::logeuclidean, Metric::powereuclidean, Metric::stein})
    result.emplace_back(train_knn({.metric = metric}, train, {.neighbours = 3}));
  result.emplace_back(train_knn(some_kernel(dim), train, {.neighbours = 50}));
  result.emplace_back(train_svm(Comparison{}, train, {.theta = 0.5, .probabilities = true}));
  result.emplace_back(train_svm(some_kernel(dim), train));
  result.emplace_back(train_mean(Comparison{}, train));
  result.emplace_back(train_mdm(train));
  result.emplace_back(train_logistic(train));
  result.emplace_back(train_tangent_svm(train));
  return result;
}

/// A batch that is mostly valid and sometimes contains one invalid number.
std::vector<double> request(std::mt19937& random, Index count, Index dim) {
  const SpdBatch good = random_spd({.count = count, .dim = dim, .condition = 50, .seed = random()});
  std::vector<double> values(good.values().begin(), good.values().end());
  constexpr double invalid[] = {
      0, -1, 1e300, -1e-300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  if (random() % 4 == 0) values[random() % values.size()] = invalid[random() % std::size(invalid)];
  return values;
}

/// Under a sanitizer, this also checks that no memory leaks or is overrun.
TEST(Requests, EndInPredictionsOrAOneLineError) {
  const Index dims[] = {3, 9};
  const std::vector<Model> known[] = {models(3), models(9)};
  std::vector<Predictor> predictors;
  for (const auto& of_dim : known)
    for (const Model& model : of_dim) predictors.emplace_back(model);
  std::mt19937 random(3);
  int predicted = 0, refused = 0;
  for (int number = 0; number < 10'000; ++number) {
    const Index dim = dims[random() % 2], count = 1 + static_cast<Index>(random() % 4);
    const std::vector<double> values = request(random, count, dim);
    const auto& of_dim = known[random() % 8 == 0 ? random() % 2 : dim == 3 ? 0 : 1];
    try {
      if (number % 3 == 0) {
        Predictor& predictor = predictors[random() % predictors.size()];
        const int code = predictor(MatrixView(values.data(), dim, dim));
        ASSERT_TRUE(code >= 0 && code < 3);
      } else {
        const SpdBatch x(values, count, dim);
        const Model& model = of_dim[random() % of_dim.size()];
        const Prediction found = predict(model, x);
        ASSERT_EQ(found.labels.size(), count);
        ASSERT_LT((found.scores.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
        ASSERT_GE(found.scores.minCoeff(), 0);
      }
      ++predicted;
    } catch (const InvalidInput& error) {
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    } catch (const NumericalFailure& error) {
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(predicted, 5000);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace dsk::test

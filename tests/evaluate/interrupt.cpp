#include <dsk/classify.hpp>
#include <dsk/errors.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <thread>

#include "evaluate/choose.hpp"

namespace dsk::test {
namespace {

/// Seconds of processor time, of all threads, that sanitized code may take; other code answers in tenths of one.
constexpr double patience = 20;

/// The work is done again and again. Seconds of processor time from asking for an interrupt, some time after it began,
/// to Interrupted: how busy the machine is does not matter.
double seconds_to_answer(const std::function<void()>& work) {
  constexpr auto head_start = std::chrono::milliseconds(200);
  std::clock_t asked = 0;
  std::thread asker([&] {
    std::this_thread::sleep_for(head_start);
    asked = std::clock();
    interrupt();
  });
  const auto forever = [&] {
    for (;;) work();
  };
  EXPECT_THROW(forever(), Interrupted);
  const std::clock_t ended = std::clock();
  asker.join();
  allow_computation();
  return static_cast<double>(ended - asked) / CLOCKS_PER_SEC;
}

Dataset data(Index per_class, Index dim) {
  return wishart_classes({.classes = 2, .per_class = per_class, .dim = dim, .degrees = 2 * dim, .seed = 3});
}

TEST(Interrupt, EndsEveryLongComputation) {
  const Dataset many = data(2000, 3), large = data(100, 300);
  for (const Metric metric : {Metric::stein, Metric::logeuclidean, Metric::airm}) {
    for (const Dataset* set : {&many, &large})
      EXPECT_LT(seconds_to_answer([&] { pairwise_distances(set->matrices(), {.metric = metric}); }), patience)
          << name(metric);
  }
  EXPECT_LT(seconds_to_answer([&] { data(1000, 200); }), patience);
  for (const Dataset* set : {&many, &large}) {
    const KnnClassifier knn = train_knn(Comparison{}, *set);
    EXPECT_LT(seconds_to_answer([&] { predict(knn, set->matrices()); }), patience);
  }
  EXPECT_LT(seconds_to_answer([&] { fit_kernel(many, {.tolerance = 1e-12}); }), patience);
  EXPECT_LT(seconds_to_answer([&] { choose_penalty(large, {}); }), patience);
  EvaluationOptions options;
  options.methods = Method::parse_list("DSK-KA-p:svm,DSK-RM-p:svm");
  EXPECT_LT(seconds_to_answer([&] { evaluate(data(200, 20), options); }), patience);
}

TEST(Interrupt, IsForgottenWhenComputationIsAllowedAgain) {
  const Dataset set = data(300, 5);
  const Matrix before = pairwise_distances(set.matrices());
  interrupt();
  EXPECT_THROW(pairwise_distances(set.matrices()), Interrupted);
  allow_computation();
  EXPECT_EQ(pairwise_distances(set.matrices()), before);
}

TEST(Interrupt, LeavesASupportVectorMachine) {
  const Dataset set = data(1500, 2);
  SvmTraining training;
  training.theta = 1000;
  training.c = 1e9;
  EXPECT_LT(seconds_to_answer([&] { train_svm(Comparison{}, set, training); }), patience);
}

}  // namespace
}  // namespace dsk::test

#include <dsk/classify.hpp>
#include <dsk/errors.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "evaluate/choose.hpp"

namespace dsk::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that a busy, sanitized machine may take; an idle one answers in tenths of one.
constexpr double patience = 20;

/// The work is done again and again. Seconds from asking for an interrupt, some time after it began, to Interrupted.
double seconds_to_answer(const std::function<void()>& work) {
  constexpr auto head_start = std::chrono::milliseconds(200);
  Clock::time_point asked;
  std::thread asker([&] {
    std::this_thread::sleep_for(head_start);
    asked = Clock::now();
    interrupt();
  });
  const auto forever = [&] {
    for (;;) work();
  };
  EXPECT_THROW(forever(), Interrupted);
  const Clock::time_point ended = Clock::now();
  asker.join();
  allow_computation();
  return std::chrono::duration<double>(ended - asked).count();
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

#include <dsk/classify.hpp>

#include <gtest/gtest.h>

#include "support/made_classes.hpp"
#include "support/message.hpp"
#include "support/some_kernel.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DSK_COUNTS_ALLOCATIONS 0
#else
#define DSK_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local long allocations = 0;
}

#if DSK_COUNTS_ALLOCATIONS
// Replaces the allocation functions of the C library to count calls.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  ++allocations;
  *result = __libc_memalign(alignment, size);
  return 0;
}
}
#endif

namespace dsk::test {
namespace {

TEST(KnnPredictor, AllocatesNoMemoryWhenPredicting) {
  if (!DSK_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer replaces the allocation functions";
  for (const Index dim : {5, 16, 43})
    for (const bool learned : {false, true}) {
      const Dataset train = made_classes({.sizes = {60, 50}, .dim = dim}), test = made_classes({.dim = dim, .seed = 1});
      const KnnClassifier model = learned ? train_knn(some_kernel(dim), train) : train_knn(Comparison{}, train);
      KnnPredictor predictor(model);
      const long before = allocations;
      for (Index i = 0; i < test.size(); ++i) predictor(test.matrices()[i]);
      EXPECT_EQ(allocations - before, 0) << "d = " << dim << (learned ? ", learned" : "");
      const std::vector<double> counted(1);
      EXPECT_EQ(allocations - before, 1);
    }
}

TEST(KnnPredictor, AgreesWithPredictingABatch) {
  for (const Index dim : {1, 3, 9, 20, 130}) {
    const Dataset train = made_classes({.sizes = {30, 25, 20}, .dim = dim}),
                  test = made_classes({.sizes = {8, 8, 8}, .dim = dim, .seed = 1});
    for (const Comparison& comparison :
         {Comparison{}, Comparison{.learned = some_kernel(dim)}, Comparison{.metric = Metric::airm},
          Comparison{.metric = Metric::logeuclidean}}) {
      const KnnClassifier model = train_knn(comparison, train, {.neighbours = 4});
      const Prediction expected = predict(model, test.matrices());
      KnnPredictor predictor(model);
      for (Index i = 0; i < test.size(); ++i)
        ASSERT_EQ(predictor(test.matrices()[i]), expected.labels[i]) << name(comparison.metric) << ", d = " << dim;
    }
  }
}

TEST(KnnPredictor, StaysUsableAfterABadMatrix) {
  const Dataset train = made_classes({.dim = 9});
  const KnnClassifier model = train_knn(Comparison{}, train, {.neighbours = 1});
  KnnPredictor predictor(model);
  const Matrix small = Matrix::Identity(3, 3);
  EXPECT_EQ(message_of([&] { predictor(MatrixView(small.data(), 3, 3)); }),
            "the model is for 9 x 9 matrices, not for 3 x 3");
  Matrix bad = Matrix::Identity(9, 9);
  bad(2, 7) = 0.5;
  EXPECT_NE(message_of([&] { predictor(MatrixView(bad.data(), 9, 9)); }).find("symmetric"), std::string::npos);
  const auto expect_the_message_of_a_batch = [&] {
    const std::string message = message_of([&] { SpdBatch({bad.data(), 81}, 1, 9); });
    EXPECT_NE(message, "");
    EXPECT_EQ(message_of([&] { predictor(MatrixView(bad.data(), 9, 9)); }), message);
  };
  bad = -Matrix::Identity(9, 9);
  expect_the_message_of_a_batch();
  for (const Index rank : {1, 5, 8}) {
    const Matrix factor = Matrix::Random(9, rank);
    bad = factor * factor.transpose();
    expect_the_message_of_a_batch();
  }
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_the_message_of_a_batch();
  EXPECT_EQ(predictor(train.matrices()[0]), train.labels()[0]);
}

}  // namespace
}  // namespace dsk::test

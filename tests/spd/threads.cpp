#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include "spd/spd.hpp"
#include "support/threads_started.hpp"

namespace dsk {
namespace {

constexpr Index count = 5000, dim = 10;

MatrixStack identities() {
  MatrixStack stack{count, dim, std::vector<double>(static_cast<std::size_t>(count * dim * dim))};
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < dim; ++k) stack.values[static_cast<std::size_t>((i * dim + k) * dim + k)] = 1;
  return stack;
}

TEST(ThreadsDeathTest, ABatchIsCheckedOnTheNumberOfThreadsAskedFor) {
  for (const int threads : {1, 2}) {
    test::expect_threads_started(threads - 1, [&] { SpdBatch(identities(), threads); });
    test::expect_threads_started(threads - 1, [&] { SpdBatch(identities().values, count, dim, threads); });
    test::expect_threads_started(threads - 1, [&] {
      const std::vector<double> values = identities().values;
      SpdBatch(std::vector<float>(values.begin(), values.end()), count, dim, threads);
    });
  }
  test::expect_threads_started(2, [] { SpdBatch{identities()}; });
}

TEST(ThreadsDeathTest, MatricesAreRepairedAndDiagnosedOnTheNumberOfThreadsAskedFor) {
  for (const int threads : {1, 2}) {
    test::expect_threads_started(threads - 1, [&] { repair(identities(), {Repair::Kind::shrink, 0.1}, threads); });
    test::expect_threads_started(threads - 1, [&] { repair(identities(), {}, threads); });
    test::expect_threads_started(threads - 1, [&] { diagnose(identities(), threads); });
  }
  test::expect_threads_started(2, [] { repair(identities(), {Repair::Kind::clip, 0.1}); });
}

TEST(ThreadsDeathTest, OneMatrixStartsNoThreadsHoweverLarge) {
  test::expect_threads_started(0, [] { random_spd({.count = 1, .dim = 200}); });
  test::expect_threads_started(0, [] {
    const MatrixStack one{1, 300, std::vector<double>(300 * 300)};
    diagnose(one);
  });
}

TEST(Threads, ANegativeNumberIsRefused) {
  EXPECT_THROW(SpdBatch(identities(), -1), InvalidInput);
  EXPECT_THROW(repair(identities(), {}, -1), InvalidInput);
}

}  // namespace
}  // namespace dsk

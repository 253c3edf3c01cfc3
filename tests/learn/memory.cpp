#include <dsk/learn.hpp>

#include <gtest/gtest.h>

#include "learn/learn.hpp"
#include "support/peak_memory.hpp"

namespace dsk::test {
namespace {

/// By how many megabytes learning from so many matrices raises the peak.
double learning_takes(Index per_class) {
  const Dataset data = wishart_classes({.classes = 2, .per_class = per_class, .dim = 8, .degrees = 20, .tau = 0.5});
  const double before = peak_megabytes();
  SubspaceLearner(data, {.max_iterations = 3}).learn(2);
  return peak_megabytes() - before;
}

TEST(SubspaceMemory, DoesNotGrowWithThePairs) {
#ifdef DSK_SANITIZED
  GTEST_SKIP() << "sanitizers keep memory that was freed";
#endif
  // Libraries and threads take memory when they are first used.
  learning_takes(200);
  // All pairs as one matrix would take 29 MB, then 259 MB more: 8 n^2 bytes.
  const double small = learning_takes(960), large = learning_takes(3000);
  EXPECT_LT(small, 20);
  EXPECT_LT(large, 40);
}

}  // namespace
}  // namespace dsk::test

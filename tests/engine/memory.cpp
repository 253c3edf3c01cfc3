#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <atomic>

#include "support/peak_memory.hpp"

namespace dsk::test {
namespace {

TEST(SteinMemory, DoesNotGrowWithThePairsIfTheVisitorDoesNot) {
  // All pairs as a matrix would take 800 MB.
  const Index count = 10'000;
  const SpdBatch x = random_spd({.count = count, .dim = 2, .condition = 10});
  const double before = peak_megabytes();
  std::atomic<Index> pairs = 0;
  PairSweep(x).visit([&](const PairSweep::Tile& tile) { pairs += tile.values.size(); });
  EXPECT_GE(pairs, count * (count + 1) / 2);
  EXPECT_LT(peak_megabytes() - before, 100);
}

}  // namespace
}  // namespace dsk::test

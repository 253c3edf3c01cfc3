#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>

namespace dsk::test {
namespace {

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

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

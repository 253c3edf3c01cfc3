#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "machine/parallel.hpp"
#include "support/limited_memory.hpp"

namespace dsk::test {
namespace {

// OpenMP's run time ends the program if it cannot start a thread.
TEST(LittleMemoryDeathTest, WorkIsDoneByTheThreadsThatCanBeStarted) {
#ifdef DSK_SANITIZED
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  EXPECT_EQ(detail::startable_threads(8), 8);
  for (const std::size_t megabytes : {0u, 4u, 16u, 40u})
    EXPECT_EXIT(
        {
          limit_memory(megabytes << 20);
          std::atomic<int> done = 0;
          detail::for_ranges(
              1000, 8, 1e5, [&](std::ptrdiff_t first, std::ptrdiff_t last) { done += static_cast<int>(last - first); });
          std::_Exit(done == 1000 ? 3 : 4);
        },
        ::testing::ExitedWithCode(3), "")
        << megabytes;
}

}  // namespace
}  // namespace dsk::test

#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace dsk::test {

/// Threads of this process, idle ones included.
inline std::ptrdiff_t thread_count() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

/// Checks that `work` starts `expected` threads in a fresh process in which OpenMP uses three threads unless told
/// otherwise. Threads of OpenMP stay alive when their work is done, so that they can be counted afterwards.
template <class Work>
void expect_threads_started(int expected, const Work& work) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ::setenv("OMP_NUM_THREADS", "3", 1);
  EXPECT_EXIT(
      {
        std::thread([] {}).join();  // a sanitizer may start a thread of its own with the first one
        const std::ptrdiff_t before = thread_count();
        work();
        std::_Exit(static_cast<int>(thread_count() - before));
      },
      testing::ExitedWithCode(expected), "");
  ::unsetenv("OMP_NUM_THREADS");
}

}  // namespace dsk::test

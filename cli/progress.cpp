#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include "progress.hpp"
#include "ranks.hpp"

namespace dsk::cli {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (!is_first() || ::isatty(STDERR_FILENO) == 0) return;
  terminal_ = ::fdopen(::dup(STDERR_FILENO), "w");
  if (terminal_ != nullptr) thread_ = std::thread([this] { count_seconds(); });
}

void Progress::report_progress(std::string state) {
  const std::scoped_lock lock(mutex_);
  state_ = std::move(state);
}

void Progress::end() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  thread_.join();
  std::fclose(terminal_);
}

void Progress::count_seconds() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
    fmt::print(terminal_, "\r\x1b[K{}{}{} ... {} s", what_, state_.empty() ? "" : ": ", state_, ++seconds);
    std::fflush(terminal_);
  }
  if (seconds > 0) fmt::print(terminal_, "\r\x1b[K");
}

}  // namespace dsk::cli

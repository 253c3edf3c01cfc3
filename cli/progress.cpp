#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "ranks.hpp"

namespace dsk::cli {
namespace {

bool quiet = false;

std::chrono::seconds between_lines() {
  const char* const text = std::getenv("DSK_PROGRESS_SECONDS");
  const long seconds = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return std::chrono::seconds(seconds > 0 ? seconds : 60);
}

}  // namespace

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} minutes left", seconds / 60);
  return fmt::format("{:.1f} hours left", seconds / 3600);
}

void add_quiet_flag(CLI::App& command) {
  command.add_flag("--quiet", quiet, "Do not show progress");
  for (CLI::App* const inner : command.get_subcommands({})) add_quiet_flag(*inner);
}

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (!is_first() || quiet) return;
  on_terminal_ = ::isatty(STDERR_FILENO) != 0;
  // A copy: readers of pictures have their messages, which come on stderr too, led away.
  stream_ = ::fdopen(::dup(STDERR_FILENO), "w");
  if (stream_ != nullptr) thread_ = std::thread([this] { count_seconds(); });
}

void Progress::report_progress(std::string state, double done) {
  const std::scoped_lock lock(mutex_);
  state_ = std::move(state);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  expected_seconds_ = done > 0 ? elapsed.count() / done : 0;
}

void Progress::end() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  thread_.join();
  std::fclose(stream_);
}

std::string Progress::line(long seconds) const {
  const double left = expected_seconds_ - static_cast<double>(seconds);
  return fmt::format("{}{}{} ... {} s{}", what_, state_.empty() ? "" : ": ", state_, seconds,
                     left > 0 ? ", " + time_left(left) : "");
}

void Progress::count_seconds() {
  std::unique_lock lock(mutex_);
  const auto step = on_terminal_ ? std::chrono::seconds(1) : between_lines();
  long shown = 0;
  for (auto next = start_ + step; !ended_.wait_until(lock, next, [this] { return done_; }); next += step) {
    const long seconds = std::chrono::duration_cast<std::chrono::seconds>(next - start_).count();
    if (on_terminal_)
      fmt::print(stream_, "\r\x1b[K{}", line(seconds));
    else
      fmt::print(stream_, "dsk: {}\n", line(seconds));
    std::fflush(stream_);
    ++shown;
  }
  if (on_terminal_ && shown > 0) fmt::print(stream_, "\r\x1b[K");
}

}  // namespace dsk::cli

#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace dsk::cli {

/// Adds --quiet, which stops all progress lines, to a command and those inside it.
void add_quiet_flag(CLI::App& command);

/// "40 s left", "12 minutes left".
std::string time_left(double seconds);

/// While it lives, says on stderr what is going on: on a terminal a line that counts the seconds, from the first second
/// on; elsewhere a line every minute, or as many seconds as DSK_PROGRESS_SECONDS says.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  /// The state to show from the next line on, and the part of all work that is done if it is known, from which the time
  /// left is judged. Called from any thread.
  void report_progress(std::string state, double done = 0);
  /// Ends it, and wipes the line of a terminal.
  void end();

 private:
  void count_seconds();
  std::string line(long seconds) const;

  std::string what_;
  std::string state_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double expected_seconds_ = 0;  ///< from the start to the end; 0: unknown
  bool on_terminal_ = false;
  std::FILE* stream_ = nullptr;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dsk::cli

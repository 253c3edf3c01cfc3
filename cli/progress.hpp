#pragma once

#include <CLI/CLI.hpp>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace dsk::cli {

/// Adds --quiet, which stops all progress lines, to a command and those inside it.
void add_quiet_flag(CLI::App& command);

/// While it lives, says on stderr what is going on: on a terminal a line that counts the seconds, from the first second
/// on; elsewhere a line every minute, or as many seconds as DSK_PROGRESS_SECONDS says.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  /// The state to show from the next line on. Called from any thread.
  void report_progress(std::string state);
  /// Ends it, and wipes the line of a terminal.
  void end();

 private:
  void count_seconds();
  std::string line(long seconds) const;

  std::string what_;
  std::string state_;
  bool on_terminal_ = false;
  std::FILE* stream_ = nullptr;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dsk::cli

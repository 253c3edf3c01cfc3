#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace dsk::cli {

/// While it lives, and after a second: a line on stderr that counts the seconds, if stderr is a terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  /// The state to show from the next second on. Called from any thread.
  void report_progress(std::string state);
  /// Wipes the line.
  void end();

 private:
  void count_seconds();

  std::string what_;
  std::string state_;
  std::FILE* terminal_ = nullptr;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dsk::cli

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace dsk::cli {

/// While it lives: after a second, a line on the terminal's stderr that counts the seconds. Nothing elsewhere.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

 private:
  void count_seconds();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dsk::cli

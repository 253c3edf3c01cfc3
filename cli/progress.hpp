#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace dsk::cli {

/// Until its end: after a second, a line on the terminal's stderr that counts the seconds. Nothing elsewhere. Goes to
/// what is stderr at its start.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { end(); }

  /// Says how far it is, from the next second on. From any thread.
  void tell(std::string how_far);
  /// Wipes the line.
  void end();

 private:
  void count_seconds();

  std::string what_;
  std::string how_far_;
  std::FILE* terminal_ = nullptr;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dsk::cli

#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>

namespace dsk::files {

/// Keeps other processes, and other threads of this one, from using the same results file, through a lock on the file
/// NAME.lock beside it. The system releases the lock when a process dies; the next user then removes its file.
class FileLock {
 public:
  /// Throws InvalidInput if the file is locked or cannot be. Devices are not locked.
  explicit FileLock(const std::filesystem::path& target);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { release(); }

  void release() noexcept;

 private:
  std::filesystem::path lock_;
  int descriptor_ = -1;
};

/// Results that are saved as they come, by one process at a time. What is held back is saved by `close_results` and
/// when this is destroyed.
class ResultsStore {
 public:
  /// `text` makes the content of the file. Throws InvalidInput if another run uses the file.
  ResultsStore(std::filesystem::path file, std::function<std::string()> text);
  ResultsStore(const ResultsStore&) = delete;
  ResultsStore& operator=(const ResultsStore&) = delete;
  ~ResultsStore();

  /// Calls `change`, which alone may change what `text` reads, and saves at once unless saving would take more than a
  /// tenth of the time. Called from any thread.
  void change(const std::function<void()>& change);
  /// The same, and saves in any case.
  void change_and_save(const std::function<void()>& change);
  /// Saves what was held back, and nothing later; false if that failed. Gives up the lock.
  bool close() noexcept;

 private:
  void save();

  std::filesystem::path file_;
  std::function<std::string()> text_;
  FileLock lock_;
  std::mutex mutex_;
  bool pending_ = false;
  bool closed_ = false;
  std::chrono::steady_clock::time_point next_save_ = {};
};

}  // namespace dsk::files

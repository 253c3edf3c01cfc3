#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace dsk::files {

/// Counts the files that are being written, also while their constructors run.
struct WritingMark {
  WritingMark() { ++count; }
  WritingMark(const WritingMark&) = delete;
  WritingMark& operator=(const WritingMark&) = delete;
  ~WritingMark() { --count; }
  inline static std::atomic<int> count{0};
};

/// Writes a file atomically: to a temporary file in the same folder, which `commit` flushes to disk and renames.
/// Without `commit` the temporary file is removed. Every failure throws InvalidInput with the file name and the reason.
/// A target that is not a regular file, such as a device, is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// The name of the temporary file, for libraries that write to a path. Throws if the target is a device.
  const std::filesystem::path& temporary_path() const;

  void commit();

 private:
  [[noreturn]] void fail(int error_number) const;
  void open_temporary();
  void check_abandoned() const;

  WritingMark mark_;                   // first, so that it goes last
  std::filesystem::path target_;       // as given by the caller
  std::filesystem::path destination_;  // with symbolic links resolved
  std::filesystem::path temporary_;    // empty if the target is written directly
  int descriptor_ = -1;
};

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

/// The text of a results file, which is compressed if its name ends in .gz. Throws InvalidInput if it cannot be read.
std::string read_results(const std::filesystem::path& file);
/// Writes it, to the same bytes for the same text.
void save_results(std::string_view text, const std::filesystem::path& file);

/// Whether lists or objects are nested deeper in this JSON than in any that dsk writes. Check it before parsing: deep
/// nests take much memory, and copies of them overflow the stack.
bool is_nested_too_deeply(std::string_view json);

/// Results that are saved as they come, by one process at a time. What is held back is saved by `close_results` and
/// when this is destroyed.
class ResultsStore {
 public:
  /// `text` makes the content of the file, which is compressed if its name ends in .gz. Throws InvalidInput if another
  /// run uses the file.
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

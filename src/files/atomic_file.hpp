#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>
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

}  // namespace dsk::files

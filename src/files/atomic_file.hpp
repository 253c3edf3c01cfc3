#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace dsk::files {

/// A file that appears whole or not at all: written under a temporary name in the same folder, made safe on the disk
/// and renamed by `commit`. Without `commit` the temporary file is removed. Every failure throws InvalidInput with the
/// file's name and the reason. A target that is no regular file, such as a device, is written to directly.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// For libraries that write to a path: the temporary file's name. Throws if the target is a device.
  const std::filesystem::path& temporary_path() const;

  void commit();

 private:
  [[noreturn]] void fail(int error_number) const;
  void open_temporary();
  void check_abandoned() const;

  std::filesystem::path target_;       // as the caller names it
  std::filesystem::path destination_;  // behind symbolic links
  std::filesystem::path temporary_;    // empty: written to directly
  int descriptor_ = -1;
};

}  // namespace dsk::files

#pragma once

#include <string>

#include "files/byte_source.hpp"

namespace dsk::files {

/// CRC-32, as zip has it.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  /// Eight hexadecimal digits.
  std::string text() const;

 private:
  unsigned long value_ = 0;
};

/// Another source, with a check sum of what was read of it.
class ChecksumSource : public files::ByteSource {
 public:
  explicit ChecksumSource(files::ByteSource& whole) : whole_(whole) {}

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return whole_.remaining(); }
  const std::filesystem::path& name() const override { return whole_.name(); }
  std::string checksum() const { return checksum_.text(); }

 private:
  files::ByteSource& whole_;
  Checksum checksum_;
};

}  // namespace dsk::files

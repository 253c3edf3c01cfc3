#pragma once

#include <io/byte_source.hpp>
#include <string>

namespace dsk::model {

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
class ChecksumSource : public io::ByteSource {
 public:
  explicit ChecksumSource(io::ByteSource& whole) : whole_(whole) {}

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return whole_.remaining(); }
  const std::filesystem::path& name() const override { return whole_.name(); }
  std::string checksum() const { return checksum_.text(); }

 private:
  io::ByteSource& whole_;
  Checksum checksum_;
};

}  // namespace dsk::model

#pragma once

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace dsk::files {

/// A sequence of bytes that is read once: a file, part of a file or a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Reads up to bytes.size() bytes and returns their number, which is smaller only at the end.
  virtual std::size_t read(std::span<std::byte> bytes) = 0;

  /// Upper bound of the number of bytes left. Readers never allocate more memory than this allows.
  virtual std::uint64_t remaining() const = 0;

  /// The name used in messages.
  virtual const std::filesystem::path& name() const = 0;

  /// Fills `bytes`. Throws InvalidInput if the source ends before that.
  void read_all(std::span<std::byte> bytes);
  void skip(std::uint64_t count);
};

/// A regular file. Throws InvalidInput with the reason if it cannot be opened or read.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override;

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return size_ - position_; }
  const std::filesystem::path& name() const override { return path_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

/// The next `limit` bytes of another source.
class LimitedSource : public ByteSource {
 public:
  LimitedSource(ByteSource& whole, std::uint64_t limit) : whole_(whole), left_(limit) {}

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override;
  const std::filesystem::path& name() const override { return whole_.name(); }

 private:
  ByteSource& whole_;
  std::uint64_t left_;
};

std::string read_text(ByteSource& source);

/// Deflate compresses at most about 1032 bytes into one. A larger size in a header must be wrong.
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  return packed_bytes > (std::uint64_t{1} << 52) ? 0 : 1100 * packed_bytes + 4096;
}

/// Decompresses a zlib stream.
class InflateSource : public ByteSource {
 public:
  explicit InflateSource(ByteSource& packed);
  InflateSource(const InflateSource&) = delete;
  InflateSource& operator=(const InflateSource&) = delete;
  ~InflateSource() override;

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return left_; }
  const std::filesystem::path& name() const override { return packed_.name(); }

 private:
  ByteSource& packed_;
  std::array<std::byte, 1 << 16> buffer_;
  z_stream stream_{};
  std::uint64_t left_;  // upper bound; the format does not store the size
  bool ended_ = false;
};

}  // namespace dsk::files

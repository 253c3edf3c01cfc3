#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace dsk::files {

/// Bytes read from front to back: a file, a part of one, a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `bytes` from the front and returns how many there were; fewer only at the end.
  virtual std::size_t read(std::span<std::byte> bytes) = 0;

  /// How many bytes are left at most; memory is asked for only within this.
  virtual std::uint64_t remaining() const = 0;

  /// How messages name this source.
  virtual const std::filesystem::path& name() const = 0;

  /// As `read`, but throws InvalidInput if the source ends before `bytes` is full.
  void read_all(std::span<std::byte> bytes);
  void skip(std::uint64_t count);
};

/// A regular file. Throws InvalidInput, with the reason, if it cannot be opened or read.
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

/// The first bytes of a source as a source of its own.
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

}  // namespace dsk::files

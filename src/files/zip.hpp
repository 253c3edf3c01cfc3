#pragma once

#include <zip.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/files.hpp"
#include "files/raw_data.hpp"

namespace dsk::files {

/// A member of an archive, decompressed while it is read.
class ZipMember : public ByteSource {
 public:
  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return left_; }
  const std::filesystem::path& name() const override { return name_; }

  /// To be called after the last byte. Throws InvalidInput if there are more bytes or the checksum is wrong.
  void finish();

 private:
  friend class ZipReader;
  struct Close {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };
  std::filesystem::path name_;
  std::unique_ptr<zip_file_t, Close> file_;
  std::uint64_t left_ = 0;
};

/// Reads a zip archive. Throws InvalidInput if the file is not a zip archive, two members have the same name, or
/// members share bytes, which would let a small file unpack to any size.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);

  const std::vector<std::string>& names() const { return names_; }
  bool contains(const std::string& name) const;

  std::uint64_t file_bytes() const { return file_size_; }
  /// The sum of the sizes of all members, as their headers say.
  std::uint64_t unpacked_bytes() const { return unpacked_size_; }

  /// Throws InvalidInput if there is no such member, or if its size is impossible for its compressed size.
  ZipMember open(const std::string& name) const;

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  std::filesystem::path path_;
  std::uint64_t file_size_ = 0;
  std::uint64_t unpacked_size_ = 0;
  std::unique_ptr<zip_t, Discard> archive_;
  std::vector<std::string> names_;
};

/// Writes a zip archive atomically. Members are stored without compression, as NumPy does.
class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path);

  /// Adds a member that consists of `first_bytes` and `data`. `data` must stay valid until `commit`.
  void add(const std::string& name, std::string first_bytes, std::span<const std::byte> data = {});
  void commit();

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  std::filesystem::path path_;
  AtomicFile file_;
  std::vector<std::unique_ptr<std::string>> first_bytes_;
  std::unique_ptr<zip_t, Discard> archive_;
};

}  // namespace dsk::files

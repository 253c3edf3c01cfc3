#pragma once

#include <zip.h>

#include <memory>
#include <string>
#include <vector>

#include "files/byte_source.hpp"

namespace dsk::files {

/// One member of an archive, unpacked as it is read.
class ZipMember : public ByteSource {
 public:
  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return left_; }
  const std::filesystem::path& name() const override { return name_; }

  /// After the last byte: throws InvalidInput if more follow or the check sum is wrong.
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

/// A zip archive opened for reading. Throws InvalidInput if it is none, or has two members of one name.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);

  const std::vector<std::string>& names() const { return names_; }
  bool contains(const std::string& name) const;

  /// Refuses a member that claims more bytes than its packed size can hold.
  ZipMember open(const std::string& name) const;

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  std::filesystem::path path_;
  std::uint64_t file_size_ = 0;
  std::unique_ptr<zip_t, Discard> archive_;
  std::vector<std::string> names_;
};

}  // namespace dsk::files

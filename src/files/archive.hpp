#pragma once

#include <dsk/matrices.hpp>

#include <span>
#include <string>
#include <string_view>

#include "files/byte_source.hpp"
#include "files/fields.hpp"
#include "files/zip.hpp"

namespace dsk::files {

/// CRC-32 as in zip archives.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  /// The checksum as eight hexadecimal digits.
  std::string text() const;

 private:
  unsigned long value_ = 0;
};

/// Reads from another source and computes the checksum of what was read.
class ChecksumSource : public ByteSource {
 public:
  explicit ChecksumSource(ByteSource& whole) : whole_(whole) {}

  std::size_t read(std::span<std::byte> bytes) override;
  std::uint64_t remaining() const override { return whole_.remaining(); }
  const std::filesystem::path& name() const override { return whole_.name(); }
  std::string checksum() const { return checksum_.text(); }

 private:
  ByteSource& whole_;
  Checksum checksum_;
};

/// The format of .dsk files: a zip archive of meta.json and .npy arrays. meta.json contains "format": "dsk", the
/// version of the format, the kind of the saved object and the checksums of the arrays; its own checksum is that of the
/// zip member. Its other fields depend on the kind. Version 2 has support vector machines with sparse coefficients and
/// with projections; all other content is written as version 1, which older programs read.
constexpr long long newest_version = 2;

struct NamedArray {
  std::string name;  ///< without .npy
  std::vector<Index> shape;
  std::span<const double> values;
};

/// Writes the file atomically. Throws InvalidInput if it cannot be written or its name does not end in .dsk.
void write_archive(const std::filesystem::path& file, std::string_view kind, const nlohmann::ordered_json& fields,
                   std::span<const NamedArray> arrays, long long version = 1);

class ArchiveReader {
 public:
  /// Throws InvalidInput if the file is incomplete, is not a .dsk file or has a newer version.
  explicit ArchiveReader(const std::filesystem::path& file);

  std::string kind() const { return fields().text("kind"); }
  Fields fields() const { return {meta_, meta_name_}; }

  static constexpr Index any_size = -1;
  /// The array NAME.npy, which must be of type float64 and of this shape. The size of the file is checked before memory
  /// is allocated.
  std::vector<double> read(const std::string& name, const std::vector<Index>& shape) const;

 private:
  ZipReader zip_;
  std::filesystem::path meta_name_;
  nlohmann::json meta_;
};

}  // namespace dsk::files

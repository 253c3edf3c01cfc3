#pragma once

#include <dsk/errors.hpp>
#include <dsk/matrices.hpp>

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "files/file_errors.hpp"
#include "files/json_fields.hpp"
#include "files/raw_data.hpp"
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
/// with projections, version 3 kernels learned for other metrics than Stein's and training sets with weights, version 4
/// combined kernels, version 5 pipelines of several classifiers of which one votes; all other content is written as
/// version 1, which older programs read.
constexpr long long newest_version = 5;

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

/// What is written of one value: fields of meta.json, and arrays that are views of the value or of numbers stored here.
class ArchiveContent {
 public:
  nlohmann::ordered_json fields;
  long long version = 1;  ///< the oldest version of the format that has all of it

  void add(NamedArray array) { arrays_.push_back(std::move(array)); }
  void add(std::string name, std::vector<Index> shape, std::vector<double> values);
  /// The arrays of a part, with `prefix` before their names.
  void add_arrays(ArchiveContent&& part, const std::string& prefix);
  std::span<const NamedArray> arrays() const { return arrays_; }

 private:
  std::vector<NamedArray> arrays_;
  std::deque<std::vector<double>> kept_;
};

/// Where one value is read from: its fields, and the arrays whose names start with `prefix`.
struct Section {
  const ArchiveReader& archive;
  Fields fields;
  std::filesystem::path file;
  int threads = 0;
  std::string prefix = {};

  std::vector<double> read(const std::string& name, const std::vector<Index>& shape) const {
    return archive.read(prefix + name, shape);
  }
  Matrix read_matrix(const std::string& name, Index rows, Index columns) const {
    return Eigen::Map<const Matrix>(read(name, {rows, columns}).data(), rows, columns);
  }
  Eigen::VectorXd read_vector(const std::string& name, Index size) const {
    return Eigen::Map<const Eigen::VectorXd>(read(name, {size}).data(), size);
  }
};

/// The numbers of a dense vector or matrix.
std::span<const double> numbers(const auto& dense) {
  return {dense.data(), static_cast<std::size_t>(dense.size())};
}

/// Adds the file's name to the message of an InvalidInput that `make` throws.
template <class Make>
auto checked(const std::filesystem::path& file, const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw file_error(file, error.what());
  }
}

}  // namespace dsk::files

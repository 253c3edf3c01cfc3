#pragma once

#include <dsk/matrices.hpp>

#include <span>
#include <string_view>

#include "files/fields.hpp"
#include "files/zip_reader.hpp"

namespace dsk::files {

/// The container of everything saved: a zip of meta.json and .npy arrays. meta.json says "format": "dsk", the version
/// of the format, the kind of the thing saved and the check sums of the arrays; its own check sum is the zip's. The
/// other fields are the kind's.
constexpr long long newest_version = 1;

struct NamedArray {
  std::string name;  ///< without .npy
  std::vector<Index> shape;
  std::span<const double> values;
};

/// The file appears whole or not at all. Throws InvalidInput if it cannot be written or does not end in .dsk.
void write_archive(const std::filesystem::path& file, std::string_view kind, const nlohmann::ordered_json& fields,
                   std::span<const NamedArray> arrays);

class ArchiveReader {
 public:
  /// Throws InvalidInput unless the file is whole, has the format and no newer version.
  explicit ArchiveReader(const std::filesystem::path& file);

  std::string kind() const { return fields().text("kind"); }
  Fields fields() const { return {meta_, meta_name_}; }

  static constexpr Index any_size = -1;
  /// The array NAME.npy, which must hold float64 of this shape. Memory is asked for only after the file was seen to
  /// cover it.
  std::vector<double> read(const std::string& name, const std::vector<Index>& shape) const;

 private:
  files::ZipReader zip_;
  std::filesystem::path meta_name_;
  nlohmann::json meta_;
};

}  // namespace dsk::files

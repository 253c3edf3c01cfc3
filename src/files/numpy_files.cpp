#include <fmt/format.h>

#include "files/file_error.hpp"
#include "files/interpret.hpp"
#include "files/npy.hpp"
#include "files/readers.hpp"
#include "files/zip_reader.hpp"

namespace dsk::files {
namespace {

void check_matrix_header(const NpyHeader& header, const std::filesystem::path& file, std::string_view what) {
  if (header.type.kind != ElementKind::floating) {
    throw file_error(file, fmt::format("{} has type {}, not float64 or float32", what, in_quotes(header.descr)));
  }
}

RawArray read_member(const ZipReader& archive, const std::string& name) {
  ZipMember member = archive.open(name);
  RawArray array = read_npy(member);
  member.finish();
  return array;
}

std::optional<RawArray> read_optional_member(const ZipReader& archive, const std::string& name) {
  if (!archive.contains(name)) return {};
  return read_member(archive, name);
}

/// X, or else the only three-dimensional array in the archive.
std::string find_matrices(const ZipReader& archive, const std::filesystem::path& path) {
  if (archive.contains("X.npy")) return "X.npy";
  std::string found;
  for (const std::string& name : archive.names()) {
    if (!name.ends_with(".npy") || name == "y.npy" || name == "groups.npy") continue;
    ZipMember member = archive.open(name);
    if (read_npy_header(member).shape.size() != 3) continue;
    if (!found.empty()) throw file_error(path, "has no array X and more than one three-dimensional array");
    found = name;
  }
  if (found.empty()) throw file_error(path, "has no array X and no other three-dimensional array");
  return found;
}

}  // namespace

RawDataset read_npy_file(const std::filesystem::path& path, const RowChoice& rows) {
  FileSource source(path);
  NpyHeader header = read_npy_header(source);
  check_matrix_header(header, path, "the array");
  RawDataset result;
  result.single_precision = header.type.bytes == 4;
  if (rows && header.shape.size() == 3 && !header.column_major) {
    const auto [first, last] = chosen_rows(rows, header.shape[0], path);
    const Index bytes = header.shape[1] * header.shape[2] * static_cast<Index>(header.type.bytes);
    source.seek(source.position() + static_cast<std::uint64_t>(first * bytes));
    result.unread = header.shape[0] - (last - first);
    header.shape[0] = last - first;
  }
  result.matrices = as_matrices(read_npy_values(source, header), path, "the array");
  return result;
}

RawDataset read_npz_file(const std::filesystem::path& path) {
  const ZipReader archive(path);
  const std::string name = find_matrices(archive, path);
  const std::string what = name.substr(0, name.size() - std::string_view(".npy").size());
  ZipMember member = archive.open(name);
  const NpyHeader header = read_npy_header(member);
  check_matrix_header(header, path, what);
  RawArray matrices = read_npy_values(member, header);
  member.finish();
  return {as_matrices(std::move(matrices), path, what), read_optional_member(archive, "y.npy"),
          read_optional_member(archive, "groups.npy"), header.type.bytes == 4};
}

}  // namespace dsk::files

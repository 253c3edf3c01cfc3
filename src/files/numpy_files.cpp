#include <fmt/format.h>

#include <algorithm>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/formats.hpp"
#include "files/unicode.hpp"
#include "files/zip.hpp"

namespace dsk::files {
namespace {

void check_matrix_header(const NpyHeader& header, const std::filesystem::path& file, std::string_view what) {
  if (header.type.is_text()) {
    throw file_error(file, fmt::format("{} has type {}, not numbers", what, in_quotes(header.descr)));
  }
}

bool is_single_precision(const NpyHeader& header) {
  return (header.type.kind == ElementKind::floating && header.type.bytes == 4) ||
         (header.type.kind == ElementKind::complex_number && header.type.bytes == 8);
}

bool is_complex(const NpyHeader& header) {
  return header.type.kind == ElementKind::complex_number;
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

/// The name of the array X or, if there is none, of the only three-dimensional array.
std::string find_matrices(const ZipReader& archive, const std::filesystem::path& path) {
  if (archive.contains("X.npy")) return "X.npy";
  std::string found;
  for (const std::string& name : archive.names()) {
    if (!name.ends_with(".npy") || name == "y.npy" || name == "groups.npy" || name == "channels.npy") continue;
    ZipMember member = archive.open(name);
    if (read_npy_header(member).shape.size() != 3) continue;
    if (!found.empty()) throw file_error(path, "has no array X and more than one three-dimensional array");
    found = name;
  }
  if (found.empty()) throw file_error(path, "has no array X and no other three-dimensional array");
  return found;
}

/// The array `channels` or, if there is none, `names`, of as many texts as the matrices have rows; others may be of
/// something else.
std::optional<RawArray> read_channels(const ZipReader& archive, Index dim) {
  for (const std::string name : {"channels.npy", "names.npy"}) {
    if (!archive.contains(name)) continue;
    ZipMember member = archive.open(name);
    try {
      const NpyHeader header = read_npy_header(member);
      if (header.type.is_text() && header.shape == std::vector<Index>{dim}) return read_member(archive, name);
    } catch (const InvalidInput&) {
      continue;
    }
  }
  return {};
}

std::string bytes_of(const auto& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A .npy file of strings, padded to the longest. `what` each of them is.
std::string npy_texts(std::span<const std::string> texts, const std::filesystem::path& path, std::string_view what) {
  std::vector<std::u32string> decoded;
  std::size_t width = 1;
  for (const std::string& text : texts) {
    const auto characters = from_utf8(text);
    if (!characters)
      throw file_error(path, fmt::format("cannot be written: {} {} is not UTF-8", what, in_quotes(text)));
    width = std::max(width, characters->size());
    decoded.push_back(*characters);
  }
  std::string result = npy_header(fmt::format("<U{}", width), {std::ssize(texts)});
  for (std::u32string& text : decoded) {
    text.resize(width);
    result += bytes_of(text);
  }
  return result;
}

/// A .npy file of the labels: int64, or strings padded to the longest label.
std::string npy_labels(const Labels& labels, const std::filesystem::path& path) {
  if (labels.integral()) return npy_header("<i8", {labels.size()}) + bytes_of(integers(labels));
  std::vector<std::string> names;
  for (const int code : labels.codes()) names.push_back(labels.names()[static_cast<std::size_t>(code)]);
  return npy_texts(names, path, "label");
}

/// A .npy file of a single string.
std::string npy_text(std::string_view text, const std::filesystem::path& path) {
  const auto characters = from_utf8(std::string(text));
  if (!characters) throw file_error(path, "cannot be written: the description is not UTF-8");
  return npy_header(fmt::format("<U{}", characters->size()), {}) + bytes_of(*characters);
}

}  // namespace

RawDataset read_npy_file(const std::filesystem::path& path, const RowChoice& rows) {
  FileSource source(path);
  NpyHeader header = read_npy_header(source);
  check_matrix_header(header, path, "the array");
  RawDataset result;
  result.single_precision = is_single_precision(header);
  if (rows && header.shape.size() == 3 && !header.column_major) {
    const auto [first, last] = chosen_rows(rows, header.shape[0], path);
    const Index bytes = header.shape[1] * header.shape[2] * static_cast<Index>(header.type.bytes);
    source.seek(source.position() + static_cast<std::uint64_t>(first * bytes));
    result.unread = header.shape[0] - (last - first);
    header.shape[0] = last - first;
  }
  result.matrices = as_matrices(read_npy_values(source, header), path, "the array");
  result.is_complex = is_complex(header);
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
  MatrixStack stack = as_matrices(std::move(matrices), path, what);
  const Index dim = stack.dim;
  return {.matrices = std::move(stack),
          .labels = read_optional_member(archive, "y.npy"),
          .groups = read_optional_member(archive, "groups.npy"),
          .single_precision = is_single_precision(header),
          .is_complex = is_complex(header),
          .channels = read_channels(archive, dim)};
}

void write_npy_file(const FileContent& content, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(npy_header("<f8", content.numbers.shape));
  file.write(std::as_bytes(content.numbers.values));
  file.commit();
}

void write_npy_labels(const Labels& labels, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(npy_labels(labels, path));
  file.commit();
}

void write_npz_file(const FileContent& content, const std::filesystem::path& path) {
  ZipWriter archive(path);
  archive.add("X.npy", npy_header("<f8", content.numbers.shape), std::as_bytes(content.numbers.values));
  if (content.labels != nullptr) archive.add("y.npy", npy_labels(*content.labels, path));
  if (content.groups != nullptr) archive.add("groups.npy", npy_labels(*content.groups, path));
  if (!content.channels.empty()) archive.add("channels.npy", npy_texts(content.channels, path, "channel"));
  if (!content.description.empty()) archive.add("description.npy", npy_text(content.description, path));
  archive.commit();
}

}  // namespace dsk::files

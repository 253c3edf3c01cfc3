#include <fmt/format.h>

#include <algorithm>

#include "files/atomic_file.hpp"
#include "files/file_error.hpp"
#include "files/npy.hpp"
#include "files/unicode.hpp"
#include "files/writers.hpp"
#include "files/zip_writer.hpp"

namespace dsk::files {
namespace {

std::string bytes_of(const auto& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A whole .npy file: int64, or text of as many characters as the longest label has.
std::string npy_labels(const Labels& labels, const std::filesystem::path& path) {
  if (labels.integral()) return npy_header("<i8", {labels.size()}) + bytes_of(integers(labels));
  std::vector<std::u32string> names;
  std::size_t width = 1;
  for (const std::string& name : labels.names()) {
    const auto characters = from_utf8(name);
    if (!characters) throw file_error(path, fmt::format("cannot be written: label {} is not UTF-8", in_quotes(name)));
    width = std::max(width, characters->size());
    names.push_back(*characters);
  }
  std::string result = npy_header(fmt::format("<U{}", width), {labels.size()});
  for (const int code : labels.codes()) {
    std::u32string padded = names[static_cast<std::size_t>(code)];
    padded.resize(width);
    result += bytes_of(padded);
  }
  return result;
}

/// A text as an array without dimensions.
std::string npy_text(std::string_view text, const std::filesystem::path& path) {
  const auto characters = from_utf8(std::string(text));
  if (!characters) throw file_error(path, "cannot be written: its description is not UTF-8");
  return npy_header(fmt::format("<U{}", characters->size()), {}) + bytes_of(*characters);
}

}  // namespace

void write_npy_file(const FileContent& content, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write(npy_header("<f8", content.numbers.shape));
  file.write(std::as_bytes(content.numbers.values));
  file.commit();
}

void write_npz_file(const FileContent& content, const std::filesystem::path& path) {
  ZipWriter archive(path);
  archive.add("X.npy", npy_header("<f8", content.numbers.shape), std::as_bytes(content.numbers.values));
  if (content.labels != nullptr) archive.add("y.npy", npy_labels(*content.labels, path));
  if (content.groups != nullptr) archive.add("groups.npy", npy_labels(*content.groups, path));
  if (!content.description.empty()) archive.add("description.npy", npy_text(content.description, path));
  archive.commit();
}

}  // namespace dsk::files

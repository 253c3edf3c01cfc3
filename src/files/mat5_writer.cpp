#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "files/atomic_file.hpp"
#include "files/formats.hpp"
#include "files/mat_file.hpp"
#include "files/text.hpp"

namespace dsk::files {
namespace {

constexpr std::uint64_t most_element_bytes = std::numeric_limits<std::uint32_t>::max() - 1024;

void append_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 0xff));
}

void append_tag(std::string& bytes, Mat5Storage storage, std::size_t size) {
  append_word(bytes, static_cast<std::uint32_t>(storage));
  append_word(bytes, static_cast<std::uint32_t>(size));
}

std::size_t padding(std::size_t size) {
  return (8 - size % 8) % 8;
}

void append_padded(std::string& bytes, Mat5Storage storage, std::string_view data) {
  append_tag(bytes, storage, data.size());
  bytes.append(data).append(padding(data.size()), '\0');
}

enum class ArrayClass : std::uint32_t { cell = 1, text = 4, float64 = 6, int64 = 14 };

/// The part of a matrix element between its tag and its values.
std::string matrix_header(ArrayClass array_class, const std::vector<Index>& dims, std::string_view name) {
  std::string bytes;
  append_tag(bytes, Mat5Storage::uint32, 8);
  append_word(bytes, static_cast<std::uint32_t>(array_class));
  append_word(bytes, 0);
  std::string sizes;
  for (const Index size : dims) append_word(sizes, static_cast<std::uint32_t>(size));
  append_padded(bytes, Mat5Storage::int32, sizes);
  append_padded(bytes, Mat5Storage::int8, name);
  return bytes;
}

std::string as_matrix(const std::string& content) {
  std::string bytes;
  append_tag(bytes, Mat5Storage::matrix, content.size());
  return bytes + content;
}

std::string label_matrix(const Labels& labels, std::string_view name, const std::filesystem::path& path) {
  const std::vector<Index> dims{labels.size(), 1};
  if (labels.integral()) {
    std::string content = matrix_header(ArrayClass::int64, dims, name);
    const auto values = integers(labels);
    const auto bytes = std::as_bytes(std::span(values));
    append_padded(content, Mat5Storage::int64, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return as_matrix(content);
  }
  std::vector<std::string> cells;
  for (const std::string& label : labels.names()) {
    const auto characters = from_utf8(label);
    if (!characters) throw file_error(path, fmt::format("cannot be written: label {} is not UTF-8", in_quotes(label)));
    const std::u16string units = to_utf16(*characters);
    const auto bytes = std::as_bytes(std::span(units));
    std::string cell = matrix_header(ArrayClass::text, {units.empty() ? 0 : 1, static_cast<Index>(units.size())}, "");
    append_padded(cell, Mat5Storage::uint16, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    cells.push_back(as_matrix(cell));
  }
  std::string content = matrix_header(ArrayClass::cell, dims, name);
  for (const int code : labels.codes()) content += cells[static_cast<std::size_t>(code)];
  return as_matrix(content);
}

std::string file_header() {
  std::string header = "MATLAB 5.0 MAT-file, written by dsk";
  header.resize(124, ' ');
  header.replace(116, 8, 8, '\0');
  return header + std::string("\0\1IM", 4);
}

/// Values in column-major order.
std::vector<double> transposed(const NumbersView& numbers) {
  const Eigen::Map<const Matrix> rows(numbers.values.data(), numbers.shape[0], numbers.shape[1]);
  std::vector<double> result(numbers.values.size());
  Eigen::Map<Eigen::MatrixXd>(result.data(), rows.rows(), rows.cols()) = rows;
  return result;
}

}  // namespace

void write_mat_file(const FileContent& content, const std::filesystem::path& path) {
  const bool is_stack = content.numbers.shape.size() == 3;
  std::vector<Index> dims = content.numbers.shape;
  if (is_stack) std::reverse(dims.begin(), dims.end());
  const std::vector<double> copy = is_stack ? std::vector<double>{} : transposed(content.numbers);
  const auto values = std::as_bytes(is_stack ? content.numbers.values : std::span<const double>(copy));
  const auto largest = std::max_element(dims.begin(), dims.end());
  if (values.size() > most_element_bytes || *largest > std::numeric_limits<std::int32_t>::max()) {
    throw file_error(path, "cannot be written: a MAT-file can store at most 4 GB; use .npz");
  }
  const std::string header = matrix_header(ArrayClass::float64, dims, "X");

  AtomicFile file(path);
  file.write(file_header());
  std::string tags;
  append_tag(tags, Mat5Storage::matrix, header.size() + 8 + values.size());
  tags += header;
  append_tag(tags, Mat5Storage::float64, values.size());
  file.write(tags);
  file.write(values);
  if (content.labels != nullptr) file.write(label_matrix(*content.labels, "y", path));
  if (content.groups != nullptr) file.write(label_matrix(*content.groups, "groups", path));
  file.commit();
}

}  // namespace dsk::files

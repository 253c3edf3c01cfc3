// Data sets in MATLAB's files.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/formats.hpp"
#include "files/raw_data.hpp"
#include "files/unicode.hpp"

namespace dsk::files {
namespace {

/// Whether this is HDF5, which may begin after a block of the user's.
bool is_hdf5(const std::filesystem::path& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  for (const std::uint64_t start : {0U, 512U, 1024U, 2048U}) {
    FileSource file(path);
    if (file.size() < start + signature.size()) return false;
    file.seek(start);
    std::array<char, signature.size()> found{};
    file.read(std::as_writable_bytes(std::span(found)));
    if (std::string_view(found.data(), found.size()) == signature) return true;
  }
  return false;
}

std::unique_ptr<MatFile> open_mat(const std::filesystem::path& path) {
  return is_hdf5(path) ? open_mat73(path) : open_mat5(path);
}

std::optional<std::size_t> find(const MatFile& file, std::string_view name) {
  const auto& variables = file.variables();
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const auto& variable) { return variable.name == name; });
  if (found == variables.end()) return {};
  return static_cast<std::size_t>(found - variables.begin());
}

bool has_numbers(MatKind kind) {
  return kind == MatKind::floating || kind == MatKind::integer;
}

std::optional<std::size_t> only_stack(const MatFile& file) {
  std::optional<std::size_t> found;
  const auto& variables = file.variables();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!has_numbers(variables[i].kind) || variables[i].dims.size() != 3) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

MatrixStack stack_of_cells(const std::vector<MatValue>& cells, const std::filesystem::path& path,
                           const std::string& name) {
  MatrixStack stack;
  for (const MatValue& cell : cells) {
    const auto wrong = [&](std::string_view why) {
      return file_error(path, fmt::format("{}: cell {} {}", name, stack.count + 1, why));
    };
    if (!has_numbers(cell.kind)) throw wrong("is not a matrix of numbers");
    if (cell.dims.size() != 2 || cell.dims[0] != cell.dims[1] || cell.numbers.empty()) {
      throw wrong(fmt::format("has size {}: not a square matrix", describe_shape(cell.dims)));
    }
    if (stack.count == 0) stack.dim = cell.dims[0];
    if (cell.dims[0] != stack.dim) {
      throw wrong(fmt::format("has size {0} x {0}, but the first cell has size {1} x {1}", cell.dims[0], stack.dim));
    }
    stack.values.insert(stack.values.end(), cell.numbers.begin(), cell.numbers.end());
    ++stack.count;
  }
  if (stack.count == 0) throw file_error(path, fmt::format("{} contains no matrices", name));
  return stack;
}

/// Accepts (d, d, n) as in MATLAB, (n, d, d) as in other programs, and (d, d) for a single matrix.
MatrixStack stack_of_array(MatValue value, const std::filesystem::path& path, const std::string& name) {
  auto& dims = value.dims;
  if (!has_numbers(value.kind)) throw file_error(path, fmt::format("{} must contain real numbers", name));
  if (dims.size() == 2 && dims[0] == dims[1]) dims.push_back(1);
  const bool stacked_last = dims.size() == 3 && dims[0] == dims[1];
  const bool stacked_first = dims.size() == 3 && dims[1] == dims[2];
  if (!stacked_last && !stacked_first) {
    throw file_error(path, fmt::format("{} has size {}, not (d, d, n) or (n, d, d)", name, describe_shape(dims)));
  }
  if (stacked_last) {
    // Column-major (d, d, n) is row-major (n, d, d) because the matrices are symmetric.
    std::reverse(dims.begin(), dims.end());
    return as_matrices({dims, std::move(value.numbers)}, path, name);
  }
  return as_matrices({dims, from_column_major(value.numbers, dims)}, path, name);
}

std::string text_of_row(const MatValue& text, Index row, const std::filesystem::path& path) {
  std::u16string units;
  for (Index i = row; i < static_cast<Index>(text.characters.size()); i += text.dims[0]) {
    units.push_back(text.characters[static_cast<std::size_t>(i)]);
  }
  const auto result = from_utf16(units);
  if (!result) throw file_error(path, "contains text that is not valid Unicode");
  return *result;
}

/// Accepts a vector of numbers, a cell array of strings or of numbers, and a character array with one padded row per
/// label.
RawArray label_array(MatValue value, const std::filesystem::path& path, const std::string& name) {
  const auto wrong = [&] {
    return file_error(path, fmt::format("{} must be a vector of numbers or a cell array of strings", name));
  };
  if (has_numbers(value.kind)) return {value.dims, std::move(value.numbers)};
  std::vector<std::string> texts;
  if (value.kind == MatKind::text && value.dims.size() == 2) {
    for (Index row = 0; row < value.dims[0] && !value.characters.empty(); ++row) {
      texts.push_back(text_of_row(value, row, path));
      texts.back().erase(texts.back().find_last_not_of(' ') + 1);
    }
    return {{static_cast<Index>(texts.size())}, std::move(texts)};
  }
  if (value.kind != MatKind::cell) throw wrong();
  std::vector<double> numbers;
  for (const MatValue& cell : value.cells) {
    const bool is_text = cell.kind == MatKind::text && cell.dims.size() == 2 && cell.dims[0] <= 1;
    if (!is_text && cell.numbers.size() != 1) throw wrong();
    if (is_text) texts.push_back(cell.characters.empty() ? "" : text_of_row(cell, 0, path));
    if (!is_text) numbers.push_back(cell.numbers[0]);
  }
  if (!texts.empty() && !numbers.empty()) throw wrong();
  if (texts.empty()) return {value.dims, std::move(numbers)};
  return {value.dims, std::move(texts)};
}

}  // namespace

RawDataset read_mat_file(const std::filesystem::path& path, bool test_part) {
  const auto file = open_mat(path);
  const std::string part = test_part ? "test" : "train";
  auto matrices = find(*file, test_part ? part + "_data" : "X");
  std::string label_name = test_part ? part + "_label" : "y";
  if (!matrices && (matrices = find(*file, part + "_data"))) label_name = part + "_label";
  if (!matrices && !test_part) matrices = only_stack(*file);
  if (!matrices) {
    throw file_error(path, fmt::format("has no variable {0}{1}_data; it must have X (d, d, n) with labels y, or cell "
                                       "arrays {1}_data and {1}_label",
                                       test_part ? "" : "X or ", part));
  }
  const auto labels = [&](const std::string& name) -> std::optional<RawArray> {
    const auto variable = find(*file, name);
    if (!variable) return {};
    return label_array(file->read(*variable), path, name);
  };
  const std::string& name = file->variables()[*matrices].name;
  const MatKind kind = file->variables()[*matrices].kind;
  if (kind == MatKind::other) throw file_error(path, fmt::format("{} must contain real numbers", name));
  MatValue value = file->read(*matrices);
  return {
      kind == MatKind::cell ? stack_of_cells(value.cells, path, name) : stack_of_array(std::move(value), path, name),
      labels(label_name), labels("groups"), file->variables()[*matrices].single_precision};
}

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

#include "files/formats.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "files/file_errors.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 16;

/// Parses the header of a .npy file, a dictionary of Python literals.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::filesystem::path& file) : text_(text), file_(file) {}

  void parse(NpyHeader& header) {
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        header.descr = descr();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        header.column_major = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = shape();
        has_shape = true;
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty() || !has_descr || !has_order || !has_shape) fail();
  }

 private:
  [[noreturn]] void fail() const { throw file_error(file_, "has an invalid .npy header"); }

  void skip_space() {
    const auto start = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  bool accept(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail();
  }

  std::string string() {
    skip_space();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail();
    const auto end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail();
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }

  std::string descr() {
    skip_space();
    if (text_.starts_with('['))
      throw file_error(file_, "contains records (a structured dtype), not plain numbers or text");
    return string();
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    fail();
  }

  std::vector<Index> shape() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      skip_space();
      Index size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error == std::errc::result_out_of_range) throw file_error(file_, "has a size that exceeds any memory");
      if (error != std::errc{}) fail();
      if (size < 0) throw file_error(file_, fmt::format("has a negative size ({})", size));
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view text_;
  const std::filesystem::path& file_;
};

ElementType parse_descr(const std::string& descr, const std::filesystem::path& file) {
  const auto refuse = [&](std::string_view why) {
    return file_error(file, fmt::format("has type {}; {}", in_quotes(descr), why));
  };
  constexpr std::string_view wanted =
      "supported are float64, float32, complex128, complex64 (matrices only), integers and text";
  if (descr.size() < 2) throw refuse(wanted);
  if (descr.find('O') != std::string::npos) throw refuse("Python objects (pickles) are not supported");
  ElementType type;
  type.big_endian = descr[0] == '>';
  if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos) throw refuse(wanted);
  const char* const end = descr.data() + descr.size();
  const auto [parsed, error] = std::from_chars(descr.data() + 2, end, type.bytes);
  if (error != std::errc{} || parsed != end) throw refuse(wanted);
  const auto among = [&](std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
      if (type.bytes == size) return;
    }
    throw refuse(wanted);
  };
  switch (descr[1]) {
    case 'f':
      type.kind = ElementKind::floating;
      among({4, 8});
      break;
    case 'c':
      type.kind = ElementKind::complex_number;
      among({8, 16});
      break;
    case 'i':
      type.kind = ElementKind::signed_integer;
      among({1, 2, 4, 8});
      break;
    case 'u':
      type.kind = ElementKind::unsigned_integer;
      among({1, 2, 4, 8});
      break;
    case 'b':
      type.kind = ElementKind::unsigned_integer;
      among({1});
      break;
    case 'U':
      type.kind = ElementKind::utf32_text;
      if (__builtin_mul_overflow(type.bytes, std::size_t{4}, &type.bytes)) throw refuse(wanted);
      break;
    case 'S':
      type.kind = ElementKind::byte_text;
      break;
    default:
      throw refuse(wanted);
  }
  return type;
}

std::size_t read_header_length(ByteSource& source) {
  std::array<std::byte, 8> start;
  if (source.read(start) != start.size() ||
      std::string_view(reinterpret_cast<const char*>(start.data()), magic.size()) != magic) {
    throw file_error(source.name(), "is not a .npy array");
  }
  const auto version = std::to_integer<int>(start[6]);
  if (version < 1 || version > 3)
    throw file_error(source.name(), fmt::format("has .npy format version {}; supported are 1 to 3", version));
  std::array<std::byte, 4> length{};
  source.read_all(std::span(length).first(version == 1 ? 2 : 4));
  std::size_t result = 0;
  for (std::size_t i = length.size(); i-- > 0;) result = result << 8 | std::to_integer<std::size_t>(length[i]);
  if (result > longest_header || result > source.remaining())
    throw file_error(source.name(), "has an invalid .npy header");
  return result;
}

/// Pairs of real and imaginary parts in row-major order.
std::vector<double> complex_values(std::vector<double>&& stored, const NpyHeader& header) {
  if (!header.column_major) return std::move(stored);
  // The two parts of an entry are neighbours, as if they were the first axis of a column-major array.
  std::vector<Index> shape{2};
  shape.insert(shape.end(), header.shape.begin(), header.shape.end());
  const std::vector<double> parts = from_column_major(stored, shape);
  const std::size_t count = parts.size() / 2;
  for (std::size_t k = 0; k < count; ++k) stored[2 * k] = parts[k], stored[2 * k + 1] = parts[count + k];
  return std::move(stored);
}

// Strings of size 0 take memory, but no space in the file. This limits their number.
constexpr std::uint64_t most_empty_strings = 1 << 24;

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  const std::size_t length = read_header_length(source);
  std::string text(length, '\0');
  source.read_all(std::as_writable_bytes(std::span(text)));
  NpyHeader header;
  HeaderText(text, source.name()).parse(header);
  header.type = parse_descr(header.descr, source.name());

  auto bytes = element_count(header.shape);
  std::uint64_t total = 0;
  if (!bytes || __builtin_mul_overflow(*bytes, std::uint64_t{header.type.bytes}, &total)) {
    throw file_error(source.name(),
                     fmt::format("has shape {}, which exceeds any memory", describe_shape(header.shape)));
  }
  if (total != source.remaining()) {
    throw file_error(source.name(), fmt::format("{}: shape {} of {} needs {} bytes, but {} follow the header",
                                                total > source.remaining() ? "is truncated" : "has extra data",
                                                describe_shape(header.shape), header.descr, total, source.remaining()));
  }
  return header;
}

std::string npy_header(const std::string& descr, const std::vector<Index>& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, describe_shape(shape));
  constexpr std::size_t alignment = 64;
  const std::size_t before = magic.size() + 4;
  const std::size_t padded = (before + text.size() + 1 + alignment - 1) / alignment * alignment;
  text.append(padded - before - text.size() - 1, ' ').push_back('\n');
  std::string header(magic);
  header.push_back(1);
  header.push_back(0);
  header.push_back(static_cast<char>(text.size() & 0xff));
  header.push_back(static_cast<char>(text.size() >> 8));
  return header + text;
}

RawArray read_npy(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  if (header.type.kind == ElementKind::complex_number)
    throw file_error(source.name(), fmt::format("has type {}; only matrices may be complex", in_quotes(header.descr)));
  return read_npy_values(source, header);
}

RawArray read_npy_values(ByteSource& source, const NpyHeader& header) {
  const auto count = element_count(header.shape).value();
  RawArray array{header.shape, {}};
  if (header.type.is_text()) {
    if (header.type.bytes == 0 && count > most_empty_strings)
      throw file_error(source.name(), "contains too many empty strings");
    array.values = read_texts(source, header.type, count);
  } else if (header.type.kind == ElementKind::complex_number) {
    const ElementType part{ElementKind::floating, header.type.bytes / 2, header.type.big_endian};
    array.values = complex_values(read_doubles(source, part, 2 * count), header);
    array.is_complex = true;
    return array;
  } else if (header.type.kind == ElementKind::floating) {
    array.values = read_doubles(source, header.type, count);
  } else {
    array.values = read_integers(source, header.type, count);
  }
  if (header.column_major) {
    if (auto* numbers = std::get_if<std::vector<double>>(&array.values)) {
      *numbers = from_column_major(*numbers, header.shape);
    }
  }
  return array;
}

}  // namespace dsk::files

#include "files/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "files/file_errors.hpp"
#include "files/raw_data.hpp"
#include "files/unicode.hpp"

namespace dsk::files {
namespace {

constexpr std::uint32_t most_dimensions = 16;
constexpr std::uint32_t longest_name = 256;
constexpr std::uint32_t complex_flag = 0x0800;
constexpr std::uint32_t single_class = 7;

MatKind kind_of_class(std::uint32_t array_class) {
  if (array_class == 1) return MatKind::cell;
  if (array_class == 4) return MatKind::text;
  if (array_class == 6 || array_class == 7) return MatKind::floating;
  if (array_class >= 8 && array_class <= 15) return MatKind::integer;
  return MatKind::other;
}

constexpr std::uint64_t header_bytes = 128;

class Mat5File : public MatFile {
 public:
  explicit Mat5File(const std::filesystem::path& path) : file_(path) {
    std::array<std::byte, header_bytes> header;
    if (file_.read(header) != header.size()) throw file_error(path, "is not a MAT-file");
    const auto mark = [&](char first, char second) {
      return header[126] == static_cast<std::byte>(first) && header[127] == static_cast<std::byte>(second);
    };
    big_endian_ = mark('M', 'I');
    if (!big_endian_ && !mark('I', 'M')) throw file_error(path, "is not a MAT-file of version 5 to 7.3");
    if (header[big_endian_ ? 124 : 125] != std::byte{1}) throw file_error(path, "is not a complete MAT-file");
    while (file_.remaining() > 0) add_variable();
  }

  const std::vector<MatVariable>& variables() const override { return variables_; }

  MatValue read(std::size_t variable) override {
    file_.seek(positions_.at(variable));
    return with_next_matrix([](Mat5Elements& elements) {
      const MatVariable header = elements.header();
      return elements.values(header);
    });
  }

 private:
  /// Calls `use` with the content of the matrix that starts here, compressed or not.
  template <class Use>
  std::invoke_result_t<Use, Mat5Elements&> with_next_matrix(const Use& use) {
    const Mat5Tag outer = Mat5Elements(file_, big_endian_).tag();
    LimitedSource content(file_, outer.bytes);
    if (outer.storage != Mat5Storage::compressed) {
      Mat5Elements elements(content, big_endian_);
      return use(elements);
    }
    InflateSource unpacked(content);
    const Mat5Tag tag = Mat5Elements(unpacked, big_endian_).tag();
    if (tag.storage != Mat5Storage::matrix)
      throw file_error(file_.name(), "contains compressed data of an unknown kind");
    LimitedSource matrix(unpacked, tag.bytes);
    Mat5Elements elements(matrix, big_endian_);
    return use(elements);
  }

  void add_variable() {
    const std::uint64_t start = file_.position();
    const Mat5Tag outer = Mat5Elements(file_, big_endian_).tag();
    const std::uint64_t end = file_.position() + outer.bytes;
    if (outer.storage == Mat5Storage::matrix || outer.storage == Mat5Storage::compressed) {
      file_.seek(start);
      variables_.push_back(with_next_matrix([](Mat5Elements& elements) { return elements.header(); }));
      positions_.push_back(start);
    }
    file_.seek(end);
  }

  FileSource file_;
  bool big_endian_ = false;
  std::vector<MatVariable> variables_;
  std::vector<std::uint64_t> positions_;
};

}  // namespace

std::uint32_t Mat5Elements::word() {
  return static_cast<std::uint32_t>(read_integers(source_, {ElementKind::unsigned_integer, 4, big_endian_}, 1).front());
}

Mat5Tag Mat5Elements::tag() {
  Mat5Tag tag;
  const std::uint32_t first = word();
  tag.small = first >> 16 != 0;
  tag.storage = static_cast<Mat5Storage>(tag.small ? first & 0xffff : first);
  tag.bytes = tag.small ? first >> 16 : word();
  if ((tag.small && tag.bytes > 4) || tag.bytes > source_.remaining()) {
    throw file_error(source_.name(), "is truncated: an element is longer than the rest of the file");
  }
  return tag;
}

void Mat5Elements::skip_padding(const Mat5Tag& tag) {
  const std::uint32_t unit = tag.small ? 4 : 8;
  const std::uint32_t padding = (unit - tag.bytes % unit) % unit;
  // The last element of a file may have no padding.
  source_.skip(std::min<std::uint64_t>(padding, source_.remaining()));
}

MatVariable Mat5Elements::header() {
  const auto broken = [&] { return file_error(source_.name(), "has an invalid variable header"); };
  MatVariable variable;
  const Mat5Tag flags_tag = tag();
  if (flags_tag.storage != Mat5Storage::uint32 || flags_tag.bytes != 8) throw broken();
  const std::uint32_t flags = word();
  word();
  variable.kind = (flags & complex_flag) != 0 ? MatKind::other : kind_of_class(flags & 0xff);
  variable.single_precision = (flags & 0xff) == single_class;
  // Objects of MATLAB classes have no sizes, only a name.
  if ((flags & 0xff) == 17) return variable;

  const Mat5Tag dims_tag = tag();
  const std::uint32_t rank = dims_tag.bytes / 4;
  if (dims_tag.storage != Mat5Storage::int32 || dims_tag.bytes % 4 != 0 || rank < 2 || rank > most_dimensions) {
    throw broken();
  }
  for (std::uint32_t i = 0; i < rank; ++i) {
    const auto size = static_cast<std::int32_t>(word());
    if (size < 0) throw file_error(source_.name(), fmt::format("has a negative size ({})", size));
    variable.dims.push_back(size);
  }
  skip_padding(dims_tag);

  const Mat5Tag name_tag = tag();
  if (name_tag.storage != Mat5Storage::int8 || name_tag.bytes > longest_name) throw broken();
  variable.name = read_texts(source_, {ElementKind::byte_text, name_tag.bytes, false}, 1).front();
  skip_padding(name_tag);
  return variable;
}

ElementType Mat5Elements::element_type(const Mat5Tag& tag) const {
  switch (tag.storage) {
    case Mat5Storage::int8:
      return {ElementKind::signed_integer, 1, big_endian_};
    case Mat5Storage::uint8:
      return {ElementKind::unsigned_integer, 1, big_endian_};
    case Mat5Storage::int16:
      return {ElementKind::signed_integer, 2, big_endian_};
    case Mat5Storage::uint16:
    case Mat5Storage::utf16:
      return {ElementKind::unsigned_integer, 2, big_endian_};
    case Mat5Storage::int32:
      return {ElementKind::signed_integer, 4, big_endian_};
    case Mat5Storage::uint32:
      return {ElementKind::unsigned_integer, 4, big_endian_};
    case Mat5Storage::int64:
      return {ElementKind::signed_integer, 8, big_endian_};
    case Mat5Storage::uint64:
      return {ElementKind::unsigned_integer, 8, big_endian_};
    case Mat5Storage::float32:
      return {ElementKind::floating, 4, big_endian_};
    case Mat5Storage::float64:
      return {ElementKind::floating, 8, big_endian_};
    default:
      throw file_error(source_.name(), "contains values of an unknown type");
  }
}

std::vector<double> Mat5Elements::numbers() {
  const Mat5Tag data = tag();
  const ElementType type = element_type(data);
  if (data.bytes % type.bytes != 0) throw file_error(source_.name(), "contains an incomplete number");
  auto result = read_doubles(source_, type, data.bytes / type.bytes);
  skip_padding(data);
  return result;
}

std::u16string Mat5Elements::characters() {
  const Mat5Tag data = tag();
  std::u16string result;
  if (data.storage == Mat5Storage::utf8) {
    std::string bytes(data.bytes, '\0');
    source_.read_all(std::as_writable_bytes(std::span(bytes)));
    const auto text = from_utf8(bytes);
    if (!text) throw file_error(source_.name(), "contains text that is not valid Unicode");
    result = to_utf16(*text);
  } else {
    const ElementType type = element_type(data);
    if (type.kind == ElementKind::floating || type.bytes > 2) {
      throw file_error(source_.name(), "contains text of an unknown type");
    }
    for (const long long unit : read_integers(source_, type, data.bytes / type.bytes)) {
      result.push_back(static_cast<char16_t>(unit & (type.bytes == 1 ? 0xff : 0xffff)));
    }
  }
  skip_padding(data);
  return result;
}

MatValue Mat5Elements::cells(const MatVariable& variable) {
  MatValue value{variable.kind, variable.dims, {}, {}, {}};
  constexpr std::uint64_t smallest_element = 8;
  const auto count = element_count(variable.dims);
  if (!count || *count > source_.remaining() / smallest_element) {
    throw file_error(source_.name(), fmt::format("is truncated: a cell array has size {}, more than the file can hold",
                                                 describe_shape(variable.dims)));
  }
  for (std::uint64_t i = 0; i < *count; ++i) {
    const Mat5Tag element = tag();
    if (element.storage != Mat5Storage::matrix) throw file_error(source_.name(), "has an invalid cell array");
    if (element.bytes == 0) {
      throw file_error(source_.name(), fmt::format("{}: cell {} is empty", in_quotes(variable.name), i + 1));
    }
    LimitedSource content(source_, element.bytes);
    Mat5Elements inner(content, big_endian_);
    const MatVariable header = inner.header();
    if (header.kind == MatKind::cell || header.kind == MatKind::other) {
      throw file_error(source_.name(),
                       fmt::format("{} contains a cell that is neither an array nor text", in_quotes(variable.name)));
    }
    value.cells.push_back(inner.values(header));
    content.skip(content.remaining());
  }
  return value;
}

MatValue Mat5Elements::values(const MatVariable& variable) {
  if (variable.kind == MatKind::cell) return cells(variable);
  MatValue value{variable.kind, variable.dims, {}, {}, {}};
  std::size_t found = 0;
  if (variable.kind == MatKind::text) {
    value.characters = characters();
    found = value.characters.size();
  } else {
    value.numbers = numbers();
    found = value.numbers.size();
  }
  if (element_count(variable.dims) != found) {
    throw file_error(source_.name(), fmt::format("{} has size {}, but contains {} values", in_quotes(variable.name),
                                                 describe_shape(variable.dims), found));
  }
  return value;
}

std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path) {
  return std::make_unique<Mat5File>(path);
}

}  // namespace dsk::files

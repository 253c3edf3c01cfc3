#include "files/raw_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "files/text.hpp"

namespace dsk::files {
namespace {

static_assert(std::endian::native == std::endian::little, "the readers swap bytes for little-endian machines");

constexpr std::size_t chunk_bytes = 1 << 16;

template <class Stored>
Stored stored_value(const std::byte* bytes, bool big_endian) {
  std::array<std::byte, sizeof(Stored)> copy;
  std::copy_n(bytes, sizeof(Stored), copy.begin());
  if (big_endian) std::reverse(copy.begin(), copy.end());
  return std::bit_cast<Stored>(copy);
}

/// Reads and converts elements chunk by chunk.
template <class Stored, class Result, class Convert>
std::vector<Result> read_converted(ByteSource& source, bool big_endian, std::size_t count, const Convert& convert) {
  std::vector<Result> values;
  values.reserve(count);
  std::vector<std::byte> chunk(std::min(count * sizeof(Stored), chunk_bytes));
  while (values.size() < count) {
    const std::size_t step = std::min(count - values.size(), chunk_bytes / sizeof(Stored));
    source.read_all(std::span(chunk).first(step * sizeof(Stored)));
    for (std::size_t i = 0; i < step; ++i) {
      values.push_back(convert(stored_value<Stored>(chunk.data() + i * sizeof(Stored), big_endian)));
    }
  }
  return values;
}

template <class Result, class Convert>
std::vector<Result> read_any(ByteSource& source, const ElementType& type, std::size_t count, const Convert& convert) {
  const auto as = [&]<class Stored>(Stored) {
    return read_converted<Stored, Result>(source, type.big_endian, count, convert);
  };
  switch (type.kind) {
    case ElementKind::floating:
      return type.bytes == 4 ? as(float{}) : as(double{});
    case ElementKind::signed_integer:
      if (type.bytes == 1) return as(std::int8_t{});
      if (type.bytes == 2) return as(std::int16_t{});
      if (type.bytes == 4) return as(std::int32_t{});
      return as(std::int64_t{});
    case ElementKind::unsigned_integer:
      if (type.bytes == 1) return as(std::uint8_t{});
      if (type.bytes == 2) return as(std::uint16_t{});
      if (type.bytes == 4) return as(std::uint32_t{});
      return as(std::uint64_t{});
    default:
      throw file_error(source.name(), "contains text instead of numbers");
  }
}

}  // namespace

std::optional<std::uint64_t> element_count(const std::vector<Index>& shape) {
  std::uint64_t count = 1;
  for (const Index size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return {};
  }
  return count;
}

std::string describe_shape(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape) {
  if (shape.size() < 2 || values.empty()) return values;
  const auto rows = static_cast<std::size_t>(shape.front());
  const std::size_t columns = values.size() / rows;

  // Position of each stored column (all indices but the first) within a row-major row.
  std::vector<std::size_t> place(columns);
  std::vector<Index> index(shape.size(), 0);
  for (std::size_t& position : place) {
    position = 0;
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
      position = position * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(index[axis]);
    }
    for (std::size_t axis = 1; axis < shape.size() && ++index[axis] == shape[axis]; ++axis) index[axis] = 0;
  }

  std::vector<double> result(values.size());
  constexpr std::size_t strip = 64;  // number of rows that fit into the cache together
  for (std::size_t first = 0; first < rows; first += strip) {
    const std::size_t last = std::min(first + strip, rows);
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t row = first; row < last; ++row) {
        result[row * columns + place[column]] = values[column * rows + row];
      }
    }
  }
  return result;
}

std::vector<double> read_doubles(ByteSource& source, const ElementType& type, std::size_t count) {
  if (type.kind == ElementKind::floating && type.bytes == 8 && !type.big_endian) {
    std::vector<double> values(count);
    source.read_all(std::as_writable_bytes(std::span(values)));
    return values;
  }
  return read_any<double>(source, type, count, [](auto value) { return static_cast<double>(value); });
}

std::vector<long long> read_integers(ByteSource& source, const ElementType& type, std::size_t count) {
  return read_any<long long>(source, type, count, [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      if (!std::in_range<long long>(value)) throw file_error(source.name(), "contains an integer above 2^63");
    }
    return static_cast<long long>(value);
  });
}

std::vector<std::string> read_texts(ByteSource& source, const ElementType& type, std::size_t count) {
  std::vector<std::byte> element(type.bytes);
  std::vector<std::string> texts;
  texts.reserve(count);
  while (texts.size() < count) {
    source.read_all(element);
    std::string text;
    if (type.kind == ElementKind::byte_text) {
      text.assign(reinterpret_cast<const char*>(element.data()), element.size());
    } else {
      for (std::size_t i = 0; i + 4 <= element.size(); i += 4) {
        if (!append_utf8(text, stored_value<std::uint32_t>(element.data() + i, type.big_endian))) {
          throw file_error(source.name(), "contains text that is not valid Unicode");
        }
      }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace dsk::files

#include "files/element_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "files/file_error.hpp"
#include "files/unicode.hpp"

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

/// Reads elements a chunk at a time, so that memory grows only as bytes arrive, and converts each.
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
      throw file_error(source.name(), "holds text where numbers are needed");
  }
}

}  // namespace

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
      if (!std::in_range<long long>(value)) throw file_error(source.name(), "holds a whole number above 2^63");
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
          throw file_error(source.name(), "holds text that is not Unicode");
        }
      }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace dsk::files

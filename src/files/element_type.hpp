#pragma once

#include <string>
#include <vector>

#include "files/byte_source.hpp"

namespace dsk::files {

enum class ElementKind { floating, signed_integer, unsigned_integer, utf32_text, byte_text };

/// How one element of an array lies in a file.
struct ElementType {
  ElementKind kind = ElementKind::floating;
  std::size_t bytes = 8;
  bool big_endian = false;

  bool is_text() const { return kind == ElementKind::utf32_text || kind == ElementKind::byte_text; }
};

/// The caller has checked that `count` elements are no more than the source can hold.
std::vector<double> read_doubles(ByteSource& source, const ElementType& type, std::size_t count);

/// Throws InvalidInput for an unsigned number that does not fit.
std::vector<long long> read_integers(ByteSource& source, const ElementType& type, std::size_t count);

/// Texts of a fixed number of bytes each, as UTF-8 without the zeros at their ends.
std::vector<std::string> read_texts(ByteSource& source, const ElementType& type, std::size_t count);

}  // namespace dsk::files

#pragma once

#include <dsk/matrices.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "files/byte_source.hpp"

namespace dsk::files {

/// An array read from a file, in row-major order.
struct RawArray {
  std::vector<Index> shape;
  std::variant<std::vector<double>, std::vector<long long>, std::vector<std::string>> values;
  bool is_complex = false;  ///< two doubles per entry, the real part first
};

/// The content of a data file, not checked yet.
struct RawDataset {
  MatrixStack matrices;
  std::optional<RawArray> labels;
  std::optional<RawArray> groups;
  bool single_precision = false;  ///< stored as float32, so only symmetric up to its rounding
  Index unread = 0;               ///< number of other matrices in the file
  bool is_complex = false;        ///< the matrices are embedded Hermitian ones, of twice the size
};

/// Given the number of matrices in the file, returns the range [first, last) of those to read. Empty: all.
using RowChoice = std::function<std::pair<Index, Index>(Index count)>;

/// The product of the sizes, or nothing if a size is negative or the product overflows.
std::optional<std::uint64_t> element_count(const std::vector<Index>& shape);

/// The shape as text, such as "(200, 5, 5)".
std::string describe_shape(const std::vector<Index>& shape);

/// Converts values from column-major to row-major order.
std::vector<double> from_column_major(const std::vector<double>& values, const std::vector<Index>& shape);

enum class ElementKind { floating, complex_number, signed_integer, unsigned_integer, utf32_text, byte_text };

/// How the elements of an array are stored in a file.
struct ElementType {
  ElementKind kind = ElementKind::floating;
  std::size_t bytes = 8;
  bool big_endian = false;

  bool is_text() const { return kind == ElementKind::utf32_text || kind == ElementKind::byte_text; }
};

/// The caller must have checked that the source has enough bytes for `count` elements.
std::vector<double> read_doubles(ByteSource& source, const ElementType& type, std::size_t count);

/// Throws InvalidInput if an unsigned integer is too large.
std::vector<long long> read_integers(ByteSource& source, const ElementType& type, std::size_t count);

/// Strings of a fixed size, converted to UTF-8 without trailing zeros.
std::vector<std::string> read_texts(ByteSource& source, const ElementType& type, std::size_t count);

}  // namespace dsk::files

#pragma once

#include "files/element_type.hpp"
#include "files/mat_file.hpp"

namespace dsk::files {

/// The numbers MAT-files use for how data lie in the file.
enum class Mat5Storage : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  float64 = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15,
  utf8 = 16,
  utf16 = 17
};

struct Mat5Tag {
  Mat5Storage storage{};
  std::uint32_t bytes = 0;
  bool small = false;  ///< the data share the tag's eight bytes
};

/// Reads the parts of a matrix element in the order in which they lie in the file.
class Mat5Elements {
 public:
  Mat5Elements(ByteSource& source, bool big_endian) : source_(source), big_endian_(big_endian) {}

  /// Throws InvalidInput if the tag promises more bytes than the source has.
  Mat5Tag tag();

  /// Flags, sizes and name; the values are next.
  MatVariable header();

  /// The values that follow `header`. A cell may hold arrays but no further cells.
  MatValue values(const MatVariable& variable);

 private:
  MatValue cells(const MatVariable& variable);
  std::u16string characters();
  std::vector<double> numbers();
  std::uint32_t word();
  void skip_padding(const Mat5Tag& tag);
  ElementType element_type(const Mat5Tag& tag) const;

  ByteSource& source_;
  bool big_endian_;
};

}  // namespace dsk::files

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/raw_array.hpp"

namespace dsk::files {

enum class MatKind { floating, integer, text, cell, other };

/// The header of a variable in a MAT-file.
struct MatVariable {
  std::string name;
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  bool single_precision = false;
};

/// The values of a variable, in column-major order.
struct MatValue {
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  std::vector<double> numbers;
  std::u16string characters;
  std::vector<MatValue> cells;
};

/// A MAT-file of any version.
class MatFile {
 public:
  virtual ~MatFile() = default;
  virtual const std::vector<MatVariable>& variables() const = 0;
  virtual MatValue read(std::size_t variable) = 0;
};

/// Versions 5 to 7. Allocates no more memory than the file can fill, whatever it claims.
std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path);

/// Version 7.3, which is HDF5, as MATLAB writes it and, without MATLAB's header and attributes, as h5py does.
std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path);

/// Storage types, as numbered in MAT-files.
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
  bool small = false;  ///< the data are stored within the eight bytes of the tag
};

/// Reads the parts of a matrix element in file order.
class Mat5Elements {
 public:
  Mat5Elements(ByteSource& source, bool big_endian) : source_(source), big_endian_(big_endian) {}

  /// Throws InvalidInput if the element is longer than the rest of the source.
  Mat5Tag tag();

  /// Reads flags, sizes and name. The values follow.
  MatVariable header();

  /// Reads the values, after `header`. Cells may contain arrays, but not cells.
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

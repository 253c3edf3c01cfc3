#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "files/raw_array.hpp"

namespace dsk::files {

enum class MatKind { floating, integer, text, cell, other };

/// What a MAT-file says of a variable before its values are read.
struct MatVariable {
  std::string name;
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  bool single_precision = false;
};

/// A variable's values, first position running fastest, as in MATLAB.
struct MatValue {
  MatKind kind = MatKind::other;
  std::vector<Index> dims;
  std::vector<double> numbers;
  std::u16string characters;
  std::vector<MatValue> cells;
};

/// A MAT-file of either format.
class MatFile {
 public:
  virtual ~MatFile() = default;
  virtual const std::vector<MatVariable>& variables() const = 0;
  virtual MatValue read(std::size_t variable) = 0;
};

/// Version 5 to 7. Read here and not by matio, which asks for the memory that a broken file claims to need.
std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path);

/// Version 7.3, which is HDF5, by matio.
std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path);

}  // namespace dsk::files

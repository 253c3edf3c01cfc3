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

/// Versions 5 to 7. Does not use matio, which allocates as much memory as an invalid file claims to need.
std::unique_ptr<MatFile> open_mat5(const std::filesystem::path& path);

/// Version 7.3, which is HDF5, as MATLAB writes it and, without MATLAB's header and attributes, as h5py does.
std::unique_ptr<MatFile> open_mat73(const std::filesystem::path& path);

}  // namespace dsk::files

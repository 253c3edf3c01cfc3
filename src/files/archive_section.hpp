#pragma once

#include <dsk/errors.hpp>

#include <deque>
#include <utility>

#include "files/archive.hpp"
#include "files/file_error.hpp"

namespace dsk::files {

/// What is written of one value: fields of meta.json, and arrays that are views of the value or of numbers stored here.
class ArchiveContent {
 public:
  nlohmann::ordered_json fields;
  long long version = 1;  ///< the oldest version of the format that has all of it

  void add(NamedArray array) { arrays_.push_back(std::move(array)); }
  void add(std::string name, std::vector<Index> shape, std::vector<double> values);
  /// The arrays of a part, with `prefix` before their names.
  void add_arrays(ArchiveContent&& part, const std::string& prefix);
  std::span<const NamedArray> arrays() const { return arrays_; }

 private:
  std::vector<NamedArray> arrays_;
  std::deque<std::vector<double>> kept_;
};

/// Where one value is read from: its fields, and the arrays whose names start with `prefix`.
struct Section {
  const ArchiveReader& archive;
  Fields fields;
  std::filesystem::path file;
  int threads = 0;
  std::string prefix = {};

  std::vector<double> read(const std::string& name, const std::vector<Index>& shape) const {
    return archive.read(prefix + name, shape);
  }
  Matrix read_matrix(const std::string& name, Index rows, Index columns) const {
    return Eigen::Map<const Matrix>(read(name, {rows, columns}).data(), rows, columns);
  }
  Eigen::VectorXd read_vector(const std::string& name, Index size) const {
    return Eigen::Map<const Eigen::VectorXd>(read(name, {size}).data(), size);
  }
};

/// The numbers of a dense vector or matrix.
std::span<const double> numbers(const auto& dense) {
  return {dense.data(), static_cast<std::size_t>(dense.size())};
}

/// Adds the file's name to the message of an InvalidInput that `make` throws.
template <class Make>
auto checked(const std::filesystem::path& file, const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw file_error(file, error.what());
  }
}

}  // namespace dsk::files

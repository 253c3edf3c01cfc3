#pragma once

#include <dsk/classify.hpp>

#include <deque>

#include "files/archive.hpp"
#include "files/file_error.hpp"

namespace dsk::files {

/// What an archive of a classifier holds. Arrays look into the classifier or into numbers kept here.
class ArchiveContent {
 public:
  nlohmann::ordered_json fields;

  void add(NamedArray array) { arrays_.push_back(std::move(array)); }
  void add(std::string name, std::vector<Index> shape, std::vector<double> values);
  std::span<const NamedArray> arrays() const { return arrays_; }

 private:
  std::vector<NamedArray> arrays_;
  std::deque<std::vector<double>> kept_;
};

/// Names the file in what `make` throws.
template <class Make>
auto checked(const std::filesystem::path& file, const Make& make) {
  try {
    return make();
  } catch (const InvalidInput& error) {
    throw files::file_error(file, error.what());
  }
}

/// The comparison and the matrices with their classes, which all classifiers have.
ArchiveContent shared_content(const Comparison& comparison, const Dataset& matrices);
Comparison read_comparison(const ArchiveReader& archive, const std::filesystem::path& file);
Dataset read_matrices(const ArchiveReader& archive, const std::filesystem::path& file, int threads);
/// Positions of classes, one for each of `count` matrices.
std::vector<int> read_codes(const ArchiveReader& archive, const std::string& array, Index count,
                            const std::filesystem::path& file);

ArchiveContent content(const KnnClassifier& knn);
ArchiveContent content(const SvmClassifier& svm);

/// Throw InvalidInput, with the file's name, if the archive's fields and arrays make no such classifier.
KnnClassifier read_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads);
SvmClassifier read_svm(const ArchiveReader& archive, const std::filesystem::path& file, int threads);

}  // namespace dsk::files

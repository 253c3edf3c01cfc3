#pragma once

#include <dsk/classify/knn.hpp>
#include <dsk/classify/svm.hpp>

#include <deque>
#include <model/archive.hpp>

namespace dsk::model {

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

ArchiveContent content(const KnnClassifier& knn);
ArchiveContent content(const SvmClassifier& svm);

/// Throw InvalidInput, with the file's name, if the archive's fields and arrays make no such classifier.
KnnClassifier read_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads);
SvmClassifier read_svm(const ArchiveReader& archive, const std::filesystem::path& file, int threads);

}  // namespace dsk::model

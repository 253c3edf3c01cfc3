#pragma once

#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>

#include <deque>

#include "files/archive.hpp"

namespace dsk::files {

/// The fields of meta.json and the arrays of a learned kernel. The arrays are views of the kernel.
nlohmann::ordered_json kernel_fields(const LearnedKernel& kernel);
std::vector<NamedArray> kernel_arrays(const LearnedKernel& kernel);

/// Throws InvalidInput, with the file name, if the fields and arrays are not those of a valid kernel.
LearnedKernel read_kernel(const ArchiveReader& archive, const Fields& fields, const std::filesystem::path& file);

/// The content of the archive of a classifier. Arrays are views of the classifier or of numbers stored here.
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
ArchiveContent content(const NystromKnn& knn);

/// Throw InvalidInput, with the file name, if the fields and arrays of the archive are not those of a valid classifier.
KnnClassifier read_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads);
SvmClassifier read_svm(const ArchiveReader& archive, const std::filesystem::path& file, int threads);
NystromKnn read_nystrom_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads);

}  // namespace dsk::files

#pragma once

#include <dsk/kernel.hpp>
#include <dsk/model.hpp>

#include "files/dsk_archive.hpp"

namespace dsk::files {

/// The steps of a transform as fields, and their arrays, whose names start with `prefix`. The arrays are views of the
/// steps.
nlohmann::ordered_json add_steps(ArchiveContent& content, std::span<const Transform::Step> steps,
                                 const std::string& prefix);
/// Throws InvalidInput, with the file name, for fields and arrays that are not those of a valid transform.
Transform read_steps(const Section& section, const std::vector<Fields>& steps, const std::string& prefix);

/// The fields of a learned kernel, and its arrays, which are views of the kernel.
nlohmann::ordered_json add_kernel(ArchiveContent& content, const LearnedKernel& kernel);
/// Throws InvalidInput, with the file name, if the fields and arrays are not those of a valid kernel.
LearnedKernel read_kernel(const Section& section, const Fields& fields);

/// A combined kernel as the fields of its parts, and their arrays.
nlohmann::ordered_json add_combined(ArchiveContent& content, const CombinedKernel& kernel);
/// Throws InvalidInput, with the file name, if the fields and arrays are not those of a valid combined kernel.
CombinedKernel read_combined(const Section& section, const std::vector<Fields>& parts);

/// How matrices are compared, as fields, and the arrays of a learned kernel.
void add_comparison(ArchiveContent& content, const Comparison& comparison);

/// What classifiers with stored matrices have: the comparison, and labelled matrices.
ArchiveContent matrices_content(const Comparison& comparison, const Dataset& matrices);
/// The matrices alone.
void add_matrices(ArchiveContent& content, const Dataset& matrices);
Comparison read_comparison(const Section& section);
Dataset read_matrices(const Section& section);

std::vector<double> as_doubles(const std::vector<int>& values);
/// Class codes, one for each of `count` matrices.
std::vector<int> read_codes(const Section& section, const std::string& array, Index count);

ArchiveContent content(const KnnClassifier& knn);
ArchiveContent content(const SvmClassifier& svm);
ArchiveContent content(const NystromKnn& knn);
ArchiveContent content(const MdmClassifier& mdm);
ArchiveContent content(const MeanClassifier& mean);
ArchiveContent content(const TangentClassifier& tangent);
ArchiveContent content(const Pipeline& pipeline);

/// Throw InvalidInput, with the file name, if the fields and arrays are not those of a valid classifier.
KnnClassifier read_knn(const Section& section);
SvmClassifier read_svm(const Section& section);
NystromKnn read_nystrom_knn(const Section& section);
MdmClassifier read_mdm(const Section& section);
MeanClassifier read_mean(const Section& section);
TangentClassifier read_tangent(const Section& section, bool pairwise);
Pipeline read_pipeline(const Section& section);

/// The kind of a model as stored in files, and the model of a kind that is no pipeline. Throws InvalidInput, with the
/// file name, for an unknown kind.
std::string_view stored_kind(const Model& model);
SimpleModel read_simple_model(const Section& section, const std::string& kind);

}  // namespace dsk::files

#include "files/dsk_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "classify/classify.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view linear_name = "linear";
constexpr std::string_view squared_name = "squared";

using Coefficients = Eigen::SparseMatrix<double>;

/// As a matrix or, where that is at most half as long, as rows of three numbers: support matrix, pair of classes, and
/// the coefficient.
void add_coefficients(ArchiveContent& content, const Coefficients& coefficients) {
  const bool sparse = 6 * coefficients.nonZeros() <= coefficients.size();
  std::vector<double> values;
  if (!sparse) {
    const Matrix dense(coefficients);
    values.assign(dense.data(), dense.data() + dense.size());
    content.add("coefficients", {dense.rows(), dense.cols()}, std::move(values));
    return;
  }
  content.version = std::max(content.version, 2LL);
  content.fields["sparse"] = true;
  for (Index pair = 0; pair < coefficients.cols(); ++pair)
    for (Coefficients::InnerIterator entry(coefficients, pair); entry; ++entry)
      values.insert(values.end(), {static_cast<double>(entry.row()), static_cast<double>(pair), entry.value()});
  content.add("coefficients", {coefficients.nonZeros(), 3}, std::move(values));
}

Coefficients read_coefficients(const Section& section, Index support, Index pairs) {
  if (!section.fields.contains("sparse"))
    return Matrix(section.read_matrix("coefficients", support, pairs)).sparseView();
  const std::vector<double> rows = section.read("coefficients", {ArchiveReader::any_size, 3});
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(rows.size() / 3);
  const auto position = [&](std::size_t k, Index count) {
    const double value = rows[k];
    if (!(value >= 0 && value < static_cast<double>(count) && value == std::floor(value)))
      throw file_error(section.file,
                       fmt::format("coefficient {} has position {}, not a whole number below {}", k / 3, value, count));
    return static_cast<int>(value);
  };
  for (std::size_t k = 0; k < rows.size(); k += 3)
    entries.emplace_back(position(k, support), position(k + 1, pairs), rows[k + 2]);
  Coefficients result(support, pairs);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace

ArchiveContent content(const SvmClassifier& svm) {
  ArchiveContent content;
  if (svm.combined() != nullptr) {
    add_matrices(content, svm.support());
    content.fields["combined"] = add_combined(content, *svm.combined());
  } else {
    content = matrices_content(svm.comparison(), svm.support());
    content.fields["theta"] = svm.theta();
  }
  const SvmTraining& training = svm.training();
  const PairwiseSvm& machine = detail::parts_of(svm).machine;
  const Index pairs = machine.offsets().size();
  content.fields["c"] = training.c;
  content.fields["margin"] = training.margin == SoftMargin::linear ? linear_name : squared_name;
  content.fields["allow_indefinite"] = training.allow_indefinite;
  content.fields["balanced"] = training.balanced;
  content.fields["probabilities"] = svm.has_probabilities();
  if (svm.smallest_eigenvalue()) content.fields["smallest_eigenvalue"] = *svm.smallest_eigenvalue();
  add_coefficients(content, machine.coefficients());
  if (detail::parts_of(svm).projection.size() > 0) {
    content.version = std::max(content.version, 2LL);
    content.fields["projected"] = true;
    content.add(
        {"projection", {svm.support().size(), svm.support().size()}, numbers(detail::parts_of(svm).projection)});
  }
  content.add({"offsets", {pairs}, numbers(machine.offsets())});
  content.add({"class_weights", {static_cast<Index>(training.class_weights.size())}, training.class_weights});
  if (!svm.has_probabilities()) return content;
  std::vector<double> sigmoids;
  for (const auto& [slope, intercept] : detail::parts_of(svm).sigmoids)
    sigmoids.insert(sigmoids.end(), {slope, intercept});
  content.add("sigmoids", {pairs, 2}, std::move(sigmoids));
  return content;
}

SvmClassifier read_svm(const Section& section) {
  const Fields& fields = section.fields;
  std::optional<CombinedKernel> combined;
  Comparison comparison;
  std::optional<double> theta;
  if (fields.contains("combined")) {
    combined = read_combined(section, fields.objects("combined"));
  } else {
    comparison = read_comparison(section);
    theta = fields.number("theta");
  }
  const Dataset support = read_matrices(section);
  const std::string margin = fields.text("margin");
  if (margin != linear_name && margin != squared_name)
    throw file_error(section.file, fmt::format("margin {} is unknown", in_quotes(margin)));
  SvmTraining training{.theta = theta,
                       .c = fields.number("c"),
                       .margin = margin == linear_name ? SoftMargin::linear : SoftMargin::squared,
                       .balanced = fields.flag("balanced"),
                       .class_weights = section.read("class_weights", {ArchiveReader::any_size}),
                       .probabilities = fields.flag("probabilities"),
                       .allow_indefinite = fields.flag("allow_indefinite")};
  std::set<int> present(support.labels().codes().begin(), support.labels().codes().end());
  const auto pairs = static_cast<Index>(present.size() * (present.size() - 1) / 2);
  const std::vector<double> offsets = section.read("offsets", {pairs});
  const Coefficients coefficients = read_coefficients(section, support.size(), pairs);
  Matrix projection;
  if (fields.contains("projected")) projection = section.read_matrix("projection", support.size(), support.size());
  std::vector<Sigmoid> sigmoids;
  if (training.probabilities) {
    const std::vector<double> values = section.read("sigmoids", {pairs, 2});
    for (std::size_t p = 0; p < values.size(); p += 2) sigmoids.push_back({values[p], values[p + 1]});
  }
  std::optional<double> smallest_eigenvalue;
  if (fields.contains("smallest_eigenvalue")) smallest_eigenvalue = fields.number("smallest_eigenvalue");
  return checked(section.file, [&] {
    PairwiseSvm machine({present.begin(), present.end()}, coefficients,
                        Eigen::Map<const Eigen::RowVectorXd>(offsets.data(), pairs));
    return detail::classifier_of(detail::SvmParts{.comparison = comparison,
                                                  .combined = std::move(combined),
                                                  .support = support,
                                                  .machine = std::move(machine),
                                                  .training = std::move(training),
                                                  .sigmoids = std::move(sigmoids),
                                                  .smallest_eigenvalue = smallest_eigenvalue,
                                                  .projection = std::move(projection)},
                                 section.threads);
  });
}

}  // namespace dsk::files

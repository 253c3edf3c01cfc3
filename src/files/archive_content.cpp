#include "files/archive_content.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "files/file_error.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view linear_name = "linear";
constexpr std::string_view squared_name = "squared";

/// The numbers of a dense vector or matrix.
std::span<const double> numbers(const auto& dense) {
  return {dense.data(), static_cast<std::size_t>(dense.size())};
}

std::vector<double> as_doubles(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

Matrix read_matrix(const ArchiveReader& archive, const std::string& name, Index rows, Index columns) {
  return Eigen::Map<const Matrix>(archive.read(name, {rows, columns}).data(), rows, columns);
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

/// What every classifier has: the comparison, and labelled matrices.
ArchiveContent shared_content(const Comparison& comparison, const Dataset& matrices) {
  const Labels& labels = matrices.labels();
  ArchiveContent content;
  content.fields = {{"dim", matrices.dim()},
                    {"samples", matrices.size()},
                    {"classes", labels.names()},
                    {"integral", labels.integral()},
                    {"metric", name(comparison.metric)},
                    {"learned", comparison.learned.has_value()}};
  if (comparison.metric == Metric::powereuclidean) content.fields["zeta"] = comparison.zeta;
  content.add({"X", {matrices.size(), matrices.dim(), matrices.dim()}, matrices.matrices().values()});
  content.add("codes", {labels.size()}, as_doubles(labels.codes()));
  if (!comparison.learned) return content;
  content.fields["kernel"] = kernel_fields(*comparison.learned);
  for (NamedArray& array : kernel_arrays(*comparison.learned)) content.add(std::move(array));
  return content;
}

Comparison read_comparison(const ArchiveReader& archive, const std::filesystem::path& file) {
  const Fields fields = archive.fields();
  Comparison result;
  result.metric = checked(file, [&] { return parse_metric(fields.text("metric")); });
  if (result.metric == Metric::powereuclidean) result.zeta = fields.number("zeta");
  if (fields.flag("learned")) result.learned = read_kernel(archive, fields.object("kernel"), file);
  return result;
}

/// Class codes, one for each of `count` matrices.
std::vector<int> read_codes(const ArchiveReader& archive, const std::string& array, Index count,
                            const std::filesystem::path& file) {
  std::vector<int> codes;
  for (const double value : archive.read(array, {count})) {
    constexpr double most = std::numeric_limits<int>::max();
    if (!(value >= 0 && value <= most && value == std::floor(value)))
      throw file_error(file, fmt::format("{} {} is {}, not a class code", array, codes.size(), value));
    codes.push_back(static_cast<int>(value));
  }
  return codes;
}

Dataset read_matrices(const ArchiveReader& archive, const std::filesystem::path& file, int threads) {
  const Fields fields = archive.fields();
  const Index count = fields.count("samples"), dim = fields.count("dim");
  std::vector<int> codes = read_codes(archive, "codes", count, file);
  MatrixStack stack{count, dim, archive.read("X", {count, dim, dim})};
  std::vector<std::string> names = fields.texts("classes");
  const bool integral = fields.flag("integral");
  return checked(file, [&] {
    return Dataset(SpdBatch(std::move(stack), threads), Labels(std::move(names), std::move(codes), integral));
  });
}

}  // namespace

nlohmann::ordered_json kernel_fields(const LearnedKernel& kernel) {
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  return {{"dim", adjustment.dim()},
          {"adjustment", name(adjustment.kind)},
          {"theta", kernel.theta()},
          {"scale", adjustment.scale}};
}

std::vector<NamedArray> kernel_arrays(const LearnedKernel& kernel) {
  const EigenvalueAdjustment& adjustment = kernel.adjustment();
  const std::vector<Index> shape{adjustment.dim()};
  return {{"alpha", shape, numbers(adjustment.alpha)},
          {"beta", shape, numbers(adjustment.beta)},
          {"centre", shape, numbers(adjustment.centre)}};
}

LearnedKernel read_kernel(const ArchiveReader& archive, const Fields& fields, const std::filesystem::path& file) {
  const std::vector<Index> shape{fields.count("dim")};
  const std::string adjustment_name = fields.text("adjustment");
  EigenvalueAdjustment adjustment;
  adjustment.alpha = as_vector(archive.read("alpha", shape));
  adjustment.beta = as_vector(archive.read("beta", shape));
  adjustment.centre = as_vector(archive.read("centre", shape));
  adjustment.scale = fields.number("scale");
  const double theta = fields.number("theta");
  return checked(file, [&] {
    adjustment.kind = parse_adjustment(adjustment_name);
    return LearnedKernel(std::move(adjustment), theta);
  });
}

void ArchiveContent::add(std::string name, std::vector<Index> shape, std::vector<double> values) {
  kept_.push_back(std::move(values));
  arrays_.push_back({std::move(name), std::move(shape), kept_.back()});
}

ArchiveContent content(const KnnClassifier& knn) {
  ArchiveContent content = shared_content(knn.comparison(), knn.training_set());
  content.fields["neighbours"] = knn.neighbours();
  return content;
}

KnnClassifier read_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads) {
  const Comparison comparison = read_comparison(archive, file);
  const Dataset train = read_matrices(archive, file, threads);
  const Index neighbours = archive.fields().count("neighbours");
  return checked(file,
                 [&] { return KnnClassifier(comparison, train, {.neighbours = neighbours, .threads = threads}); });
}

ArchiveContent content(const SvmClassifier& svm) {
  ArchiveContent content = shared_content(svm.comparison(), svm.support());
  const SvmTraining& training = svm.training();
  const PairwiseSvm& machine = svm.machine();
  const Index pairs = machine.offsets().size();
  content.fields["theta"] = svm.theta();
  content.fields["c"] = training.c;
  content.fields["margin"] = training.margin == SoftMargin::linear ? linear_name : squared_name;
  content.fields["allow_indefinite"] = training.allow_indefinite;
  content.fields["balanced"] = training.balanced;
  content.fields["probabilities"] = svm.has_probabilities();
  if (svm.smallest_eigenvalue()) content.fields["smallest_eigenvalue"] = *svm.smallest_eigenvalue();
  content.add({"coefficients", {svm.support().size(), pairs}, numbers(machine.coefficients())});
  content.add({"offsets", {pairs}, numbers(machine.offsets())});
  content.add({"class_weights", {static_cast<Index>(training.class_weights.size())}, training.class_weights});
  if (!svm.has_probabilities()) return content;
  std::vector<double> sigmoids;
  for (const auto& [slope, intercept] : svm.sigmoids()) sigmoids.insert(sigmoids.end(), {slope, intercept});
  content.add("sigmoids", {pairs, 2}, std::move(sigmoids));
  return content;
}

SvmClassifier read_svm(const ArchiveReader& archive, const std::filesystem::path& file, int threads) {
  const Fields fields = archive.fields();
  const Comparison comparison = read_comparison(archive, file);
  const Dataset support = read_matrices(archive, file, threads);
  const std::string margin = fields.text("margin");
  if (margin != linear_name && margin != squared_name)
    throw file_error(file, fmt::format("margin {} is unknown", in_quotes(margin)));
  SvmTraining training{.theta = fields.number("theta"),
                       .c = fields.number("c"),
                       .margin = margin == linear_name ? SoftMargin::linear : SoftMargin::squared,
                       .balanced = fields.flag("balanced"),
                       .class_weights = archive.read("class_weights", {ArchiveReader::any_size}),
                       .probabilities = fields.flag("probabilities"),
                       .allow_indefinite = fields.flag("allow_indefinite")};
  std::set<int> present(support.labels().codes().begin(), support.labels().codes().end());
  const auto pairs = static_cast<Index>(present.size() * (present.size() - 1) / 2);
  const Matrix coefficients = read_matrix(archive, "coefficients", support.size(), pairs);
  const std::vector<double> offsets = archive.read("offsets", {pairs});
  std::vector<Sigmoid> sigmoids;
  if (training.probabilities) {
    const std::vector<double> values = archive.read("sigmoids", {pairs, 2});
    for (std::size_t p = 0; p < values.size(); p += 2) sigmoids.push_back({values[p], values[p + 1]});
  }
  std::optional<double> smallest_eigenvalue;
  if (fields.contains("smallest_eigenvalue")) smallest_eigenvalue = fields.number("smallest_eigenvalue");
  return checked(file, [&] {
    PairwiseSvm machine({present.begin(), present.end()}, coefficients,
                        Eigen::Map<const Eigen::RowVectorXd>(offsets.data(), pairs));
    return SvmClassifier({.comparison = comparison,
                          .support = support,
                          .machine = std::move(machine),
                          .training = std::move(training),
                          .sigmoids = std::move(sigmoids),
                          .smallest_eigenvalue = smallest_eigenvalue},
                         threads);
  });
}

ArchiveContent content(const NystromKnn& knn) {
  const NystromMap& map = knn.map();
  const Index landmarks = map.size(), trained = knn.labels().size();
  ArchiveContent content = shared_content(map.comparison(), map.landmarks());
  content.fields["theta"] = map.theta();
  content.fields["neighbours"] = knn.neighbours();
  content.fields["trained"] = trained;
  content.add({"factor", {landmarks, landmarks}, numbers(map.factor())});
  content.add({"features", {trained, landmarks}, numbers(knn.features())});
  const std::vector<int>& codes = knn.labels().codes();
  content.add("feature_codes", {trained}, {codes.begin(), codes.end()});
  return content;
}

NystromKnn read_nystrom_knn(const ArchiveReader& archive, const std::filesystem::path& file, int threads) {
  const Fields fields = archive.fields();
  const Comparison comparison = read_comparison(archive, file);
  const Dataset landmarks = read_matrices(archive, file, threads);
  const double theta = fields.number("theta");
  const Index neighbours = fields.count("neighbours"), trained = fields.count("trained"), count = landmarks.size();
  Matrix factor = read_matrix(archive, "factor", count, count);
  std::vector<int> codes = read_codes(archive, "feature_codes", trained, file);
  Matrix features = read_matrix(archive, "features", trained, count);
  return checked(file, [&] {
    Labels labels(landmarks.labels().names(), std::move(codes), landmarks.labels().integral());
    return NystromKnn(NystromMap(comparison, theta, landmarks, std::move(factor), threads), std::move(features),
                      std::move(labels), neighbours);
  });
}

}  // namespace dsk::files

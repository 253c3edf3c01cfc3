#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "classify/classify.hpp"
#include "files/dsk_content.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view nystrom_knn_name = "nystrom-knn";

using ReadSimpleModel = SimpleModel (*)(const Section& section);

/// A kind of classifier as stored in files.
struct StoredKind {
  std::string_view name;
  ReadSimpleModel read;
};

std::span<const StoredKind> stored_kinds() {
  static const StoredKind kinds[] = {
      {name(Classifier::knn), [](const Section& section) -> SimpleModel { return read_knn(section); }},
      {name(Classifier::svm), [](const Section& section) -> SimpleModel { return read_svm(section); }},
      {nystrom_knn_name, [](const Section& section) -> SimpleModel { return read_nystrom_knn(section); }},
      {name(Classifier::mdm), [](const Section& section) -> SimpleModel { return read_mdm(section); }},
      {name(Classifier::mean), [](const Section& section) -> SimpleModel { return read_mean(section); }},
      {name(Classifier::logistic), [](const Section& section) -> SimpleModel { return read_tangent(section, false); }},
      {name(Classifier::tangent_svm),
       [](const Section& section) -> SimpleModel { return read_tangent(section, true); }},
  };
  return kinds;
}

const std::string member_step_prefix = "step";

std::string member_prefix(std::size_t member) {
  return fmt::format("member{}_", member);
}

/// Whether it is k-NN or a support vector machine.
bool votes(const Pipeline::Member& member) {
  if (const auto* const tangent = std::get_if<TangentClassifier>(&member.classifier)) return tangent->is_pairwise();
  return !std::holds_alternative<MdmClassifier>(member.classifier) &&
         !std::holds_alternative<MeanClassifier>(member.classifier);
}

std::string_view stored_kind(const SimpleModel& model) {
  return std::holds_alternative<NystromKnn>(model) ? nystrom_knn_name : detail::kind(model);
}

}  // namespace

std::vector<double> as_doubles(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

void add_matrices(ArchiveContent& content, const Dataset& matrices) {
  const Labels& labels = matrices.labels();
  content.fields["dim"] = matrices.dim();
  content.fields["samples"] = matrices.size();
  content.fields["classes"] = labels.names();
  content.fields["integral"] = labels.integral();
  content.add({"X", {matrices.size(), matrices.dim(), matrices.dim()}, matrices.matrices().values()});
  content.add("codes", {labels.size()}, as_doubles(labels.codes()));
  if (!matrices.weights().empty()) {
    content.version = std::max(content.version, 3LL);
    content.fields["weighted"] = true;
    content.add({"weights", {matrices.size()}, matrices.weights()});
  }
}

ArchiveContent matrices_content(const Comparison& comparison, const Dataset& matrices) {
  ArchiveContent content;
  add_matrices(content, matrices);
  add_comparison(content, comparison);
  return content;
}

std::vector<int> read_codes(const Section& section, const std::string& array, Index count) {
  std::vector<int> codes;
  for (const double value : section.read(array, {count})) {
    constexpr double most = std::numeric_limits<int>::max();
    if (!(value >= 0 && value <= most && value == std::floor(value)))
      throw file_error(section.file, fmt::format("{} {} is {}, not a class code", array, codes.size(), value));
    codes.push_back(static_cast<int>(value));
  }
  return codes;
}

Dataset read_matrices(const Section& section) {
  const Index count = section.fields.count("samples"), dim = section.fields.count("dim");
  std::vector<int> codes = read_codes(section, "codes", count);
  MatrixStack stack{count, dim, section.read("X", {count, dim, dim})};
  std::vector<std::string> names = section.fields.texts("classes");
  const bool integral = section.fields.flag("integral");
  std::vector<double> weights;
  if (section.fields.contains("weighted")) weights = section.read("weights", {count});
  return checked(section.file, [&] {
    return Dataset(SpdBatch(std::move(stack), section.threads), Labels(std::move(names), std::move(codes), integral),
                   {}, std::move(weights));
  });
}

ArchiveContent content(const KnnClassifier& knn) {
  ArchiveContent content = matrices_content(knn.comparison(), knn.training_set());
  content.fields["neighbours"] = knn.neighbours();
  return content;
}

KnnClassifier read_knn(const Section& section) {
  const Comparison comparison = read_comparison(section);
  const Dataset train = read_matrices(section);
  const Index neighbours = section.fields.count("neighbours");
  return checked(section.file, [&] {
    return KnnClassifier(comparison, train, {.neighbours = neighbours, .threads = section.threads});
  });
}

ArchiveContent content(const NystromKnn& knn) {
  const NystromMap& map = knn.map();
  const Index landmarks = map.size(), trained = knn.labels().size();
  ArchiveContent content = matrices_content(map.comparison(), map.landmarks());
  content.fields["theta"] = map.theta();
  content.fields["neighbours"] = knn.neighbours();
  content.fields["trained"] = trained;
  content.add({"factor", {landmarks, landmarks}, numbers(map.factor())});
  content.add({"features", {trained, landmarks}, numbers(knn.features())});
  const std::vector<int>& codes = knn.labels().codes();
  content.add("feature_codes", {trained}, {codes.begin(), codes.end()});
  if (!knn.weights().empty()) {
    content.version = std::max(content.version, 3LL);
    content.fields["weighted_features"] = true;
    content.add("feature_weights", {trained}, knn.weights());
  }
  return content;
}

NystromKnn read_nystrom_knn(const Section& section) {
  const Fields& fields = section.fields;
  const Comparison comparison = read_comparison(section);
  const Dataset landmarks = read_matrices(section);
  const double theta = fields.number("theta");
  const Index neighbours = fields.count("neighbours"), trained = fields.count("trained"), count = landmarks.size();
  Matrix factor = section.read_matrix("factor", count, count);
  std::vector<int> codes = read_codes(section, "feature_codes", trained);
  Matrix features = section.read_matrix("features", trained, count);
  std::vector<double> weights;
  if (fields.contains("weighted_features")) weights = section.read("feature_weights", {trained});
  return checked(section.file, [&] {
    Labels labels(landmarks.labels().names(), std::move(codes), landmarks.labels().integral());
    return NystromKnn(NystromMap(comparison, theta, landmarks, std::move(factor), section.threads), std::move(features),
                      std::move(labels), neighbours, std::move(weights));
  });
}

ArchiveContent content(const MdmClassifier& mdm) {
  return matrices_content(mdm.comparison(), mdm.means());
}

MdmClassifier read_mdm(const Section& section) {
  const Comparison comparison = read_comparison(section);
  const Dataset means = read_matrices(section);
  if (comparison.learned) throw file_error(section.file, "a nearest mean cannot have a learned kernel");
  return checked(section.file, [&] {
    return MdmClassifier(means, {.metric = comparison.metric, .zeta = comparison.zeta, .threads = section.threads});
  });
}

ArchiveContent content(const MeanClassifier& mean) {
  ArchiveContent content = matrices_content(mean.comparison(), mean.training_set());
  content.fields["theta"] = mean.theta();
  content.fields["score_scale"] = detail::parts_of(mean).scale;
  content.add({"within", {detail::parts_of(mean).within.size()}, numbers(detail::parts_of(mean).within)});
  return content;
}

MeanClassifier read_mean(const Section& section) {
  detail::MeanParts parts{.comparison = read_comparison(section),
                          .train = read_matrices(section),
                          .theta = section.fields.number("theta"),
                          .within = {},
                          .scale = section.fields.number("score_scale")};
  const auto classes = static_cast<Index>(parts.train.labels().names().size());
  parts.within = section.read_vector("within", classes).transpose();
  return checked(section.file, [&] { return detail::classifier_of(std::move(parts), section.threads); });
}

ArchiveContent content(const TangentClassifier& tangent) {
  const Labels& classes = tangent.classes();
  const LinearModel& linear = detail::parts_of(tangent).linear;
  ArchiveContent content;
  content.fields = {{"dim", tangent.dim()},
                    {"present", classes.size()},
                    {"classes", classes.names()},
                    {"integral", classes.integral()},
                    {"c", detail::parts_of(tangent).c}};
  content.add("codes", {classes.size()}, as_doubles(classes.codes()));
  content.add({"reference", {tangent.dim(), tangent.dim()}, numbers(tangent.space().reference())});
  content.add({"weights", {linear.weights.rows(), linear.weights.cols()}, numbers(linear.weights)});
  content.add({"offsets", {linear.offsets.size()}, numbers(linear.offsets)});
  return content;
}

TangentClassifier read_tangent(const Section& section, bool pairwise) {
  const Fields& fields = section.fields;
  const Index dim = fields.count("dim"), present = fields.count("present");
  // Arrays first: they prove that sizes are not made up.
  std::vector<int> codes = read_codes(section, "codes", present);
  const Matrix reference = section.read_matrix("reference", dim, dim);
  const Index features = dim * (dim + 1) / 2, outputs = pairwise ? present * (present - 1) / 2 : present;
  LinearModel linear{section.read_matrix("weights", features, outputs),
                     section.read_vector("offsets", outputs).transpose()};
  std::vector<std::string> names = fields.texts("classes");
  const bool integral = fields.flag("integral");
  const double c = fields.number("c");
  return checked(section.file, [&] {
    return detail::classifier_of(detail::TangentParts{.space = TangentSpace(reference),
                                                      .linear = std::move(linear),
                                                      .classes = Labels(std::move(names), std::move(codes), integral),
                                                      .pairwise = pairwise,
                                                      .c = c});
  });
}

std::string_view stored_kind(const Model& model) {
  return std::holds_alternative<NystromKnn>(model) ? nystrom_knn_name : kind(model);
}

SimpleModel read_simple_model(const Section& section, const std::string& kind) {
  std::string known;
  for (const StoredKind& one : stored_kinds()) {
    if (one.name == kind) return one.read(section);
    known.append(one.name).append(", ");
  }
  throw file_error(section.file,
                   fmt::format("contains a model of kind {}; supported are {}and pipeline", in_quotes(kind), known));
}

ArchiveContent content(const Pipeline& pipeline) {
  ArchiveContent content;
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < pipeline.members().size(); ++k) {
    const Pipeline::Member& member = pipeline.members()[k];
    ArchiveContent part =
        std::visit([](const auto& classifier) { return files::content(classifier); }, member.classifier);
    nlohmann::ordered_json fields{{"kind", stored_kind(member.classifier)}, {"member_scale", member.scale}};
    fields["before"] = add_steps(part, member.before.steps(), member_step_prefix);
    fields.update(part.fields);
    members.push_back(std::move(fields));
    content.add_arrays(std::move(part), member_prefix(k));
  }
  content.fields = {{"recentring", name(pipeline.recentring())}, {"members", std::move(members)}};
  if (pipeline.members().size() > 1 && std::any_of(pipeline.members().begin(), pipeline.members().end(), votes))
    content.version = std::max(content.version, 5LL);
  return content;
}

Pipeline read_pipeline(const Section& section) {
  const std::string recentring = section.fields.text("recentring");
  std::vector<Pipeline::Member> members;
  for (const Fields& fields : section.fields.objects("members")) {
    const Section own{section.archive, fields, section.file, section.threads, member_prefix(members.size())};
    Transform before = read_steps(own, fields.objects("before"), member_step_prefix);
    const double scale = fields.number("member_scale");
    members.push_back({std::move(before), read_simple_model(own, fields.text("kind")), scale});
  }
  return checked(section.file, [&] { return Pipeline(std::move(members), parse_recentring(recentring)); });
}

}  // namespace dsk::files

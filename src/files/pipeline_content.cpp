#include <fmt/format.h>

#include "classify/classify.hpp"
#include "files/archive_content.hpp"

namespace dsk::files {
namespace {

constexpr std::string_view nystrom_knn_name = "nystrom-knn";

using ReadSimpleModel = SimpleModel (*)(const Section& section);

/// A kind of classifier as stored in files.
struct StoredKind {
  std::string_view name;
  ReadSimpleModel read;
};

constexpr StoredKind stored_kinds[] = {
    {"knn", [](const Section& section) -> SimpleModel { return read_knn(section); }},
    {"svm", [](const Section& section) -> SimpleModel { return read_svm(section); }},
    {nystrom_knn_name, [](const Section& section) -> SimpleModel { return read_nystrom_knn(section); }},
    {"mdm", [](const Section& section) -> SimpleModel { return read_mdm(section); }},
    {"mean", [](const Section& section) -> SimpleModel { return read_mean(section); }},
    {"logistic", [](const Section& section) -> SimpleModel { return read_tangent(section, false); }},
    {"tangent-svm", [](const Section& section) -> SimpleModel { return read_tangent(section, true); }},
};

const std::string member_step_prefix = "step";

std::string member_prefix(std::size_t member) {
  return fmt::format("member{}_", member);
}

std::string_view stored_kind(const SimpleModel& model) {
  return std::holds_alternative<NystromKnn>(model) ? nystrom_knn_name : detail::kind(model);
}

}  // namespace

std::string_view stored_kind(const Model& model) {
  return std::holds_alternative<NystromKnn>(model) ? nystrom_knn_name : kind(model);
}

SimpleModel read_simple_model(const Section& section, const std::string& kind) {
  std::string known;
  for (const StoredKind& one : stored_kinds) {
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

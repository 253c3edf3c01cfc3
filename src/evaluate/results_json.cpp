#include <dsk/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "files/files.hpp"

namespace dsk {
namespace detail {
namespace {

/// JSON has neither infinity, which becomes the text "infinite", nor NaN, which becomes null.
Json number(double value) {
  if (std::isnan(value)) return nullptr;
  return std::isfinite(value) ? Json(value) : Json("infinite");
}

double number_from(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

/// A count, a position or a class, which all fit into an int. Conversions of the JSON library accept any number.
int whole_from(const Json& value) {
  const double number = value.is_number_integer() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(std::abs(number) < std::numeric_limits<int>::max()))
    throw Json::type_error::create(302, "a whole number is needed", &value);
  return static_cast<int>(number);
}

std::vector<int> whole_numbers_from(const Json& list) {
  if (!list.is_array()) throw Json::type_error::create(302, "a list of whole numbers is needed", &list);
  std::vector<int> numbers;
  numbers.reserve(list.size());
  for (const Json& one : list) numbers.push_back(whole_from(one));
  return numbers;
}

/// FNV-1a.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) sum_ = (sum_ ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3ULL;
  }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

/// Of everything that the data set holds.
std::string fingerprint(const Dataset& data) {
  Fingerprint print;
  for (const double value : data.matrices().values()) print.add(std::bit_cast<std::uint64_t>(value));
  for (const int code : data.labels().codes()) print.add(static_cast<std::uint64_t>(code));
  if (data.has_groups())
    for (const int code : data.groups().codes()) print.add(static_cast<std::uint64_t>(code));
  for (const double weight : data.weights()) print.add(std::bit_cast<std::uint64_t>(weight));
  return print.text();
}

std::string fingerprint(const std::vector<int>& parts) {
  Fingerprint print;
  for (const int part : parts) print.add(static_cast<std::uint64_t>(part));
  return print.text();
}

/// What `auto` comes to: valid ones for the paper's methods.
std::string_view theta_range_text(const EvaluationOptions& options) {
  const bool papers = std::all_of(options.methods.begin(), options.methods.end(), [](const Method& method) {
    return method.majority || keeps_to_valid_thetas(method);
  });
  const ThetaRange range = options.selection.theta_range;
  return name(range == ThetaRange::automatic && papers ? ThetaRange::valid : range);
}

Json rows_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (Index r = 0; r < matrix.rows(); ++r)
    rows.push_back(std::vector<double>(matrix.row(r).begin(), matrix.row(r).end()));
  return rows;
}

Json candidates_json(const std::vector<CandidateScore>& candidates) {
  Json list = Json::array();
  for (const CandidateScore& one : candidates)
    list.push_back({{"name", one.name},
                    {"accuracy", one.accuracy},
                    {"standard_error", one.standard_error},
                    {"folds", one.folds},
                    {"components", one.components}});
  return list;
}

std::vector<CandidateScore> candidates_from(const Json& json) {
  std::vector<CandidateScore> list;
  for (const Json& one : json)
    list.push_back({.name = one.at("name").get<std::string>(),
                    .accuracy = one.at("accuracy").get<double>(),
                    .standard_error = one.at("standard_error").get<double>(),
                    .folds = whole_from(one.at("folds")),
                    .components = whole_from(one.at("components"))});
  return list;
}

Json subspace_json(const Evaluation::Subspace& subspace) {
  return {{"method", subspace.method},
          {"split", subspace.split},
          {"chosen", subspace.chosen},
          {"sizes", subspace.sizes},
          {"components", subspace.projection.result_dim()},
          {"w", rows_json(subspace.projection.w)},
          {"patterns", rows_json(subspace.patterns)},
          {"shown", subspace.shown},
          {"before", rows_json(subspace.whole_components)},
          {"after", rows_json(subspace.projected_components)}};
}

/// JSON has no word for a deviation of one value but null.
Json deviation_json(const Summary& summary, const std::vector<double>& values) {
  return values.size() > 1 ? Json(summary.deviation) : Json();
}

Json comparison_json(const PairedComparison& comparison, const std::string& baseline) {
  return {{"baseline", baseline},        {"difference", comparison.difference}, {"low", comparison.low},
          {"high", comparison.high},     {"test", name(comparison.test)},       {"p", comparison.p},
          {"p_holm", comparison.holm_p}, {"p_student", comparison.student_p},   {"p_wilcoxon", comparison.wilcoxon_p}};
}

Json method_json(const MethodResult& result, const std::string& baseline) {
  Json json = {{"method", result.method.full_name()},
               {"mean", result.accuracy.mean},
               {"std", deviation_json(result.accuracy, result.accuracies)},
               {"interval", result.interval ? Json({result.interval->low, result.interval->high}) : Json()},
               {"accuracies", result.accuracies},
               {"balanced_mean", result.balanced_accuracy.mean},
               {"balanced_std", deviation_json(result.balanced_accuracy, result.balanced_accuracies)},
               {"answers_one_class", result.answers_one_class},
               {"seconds", result.seconds}};
  if (result.against) json["against"] = comparison_json(*result.against, baseline);
  json["confusion"] = rows_json(result.confusion);
  return json;
}

Json ranking_json(const Evaluation& evaluation) {
  const Evaluation::Ranking& ranking = evaluation.ranking;
  const auto name_of = [&](std::size_t m) { return evaluation.methods[m].method.full_name(); };
  Json json = {{"best", name_of(ranking.best)}, {"answer", answer(evaluation)}};
  if (ranking.runner_up) json["runner_up"] = name_of(*ranking.runner_up);
  if (ranking.over_runner_up)
    json["over_runner_up"] = comparison_json(*ranking.over_runner_up, name_of(*ranking.runner_up));
  if (ranking.over_majority) json["over_majority"] = comparison_json(*ranking.over_majority, name_of(ranking.majority));
  return json;
}

}  // namespace

Json settings_json(const Dataset& data, const EvaluationOptions& options) {
  const SelectionOptions& selection = options.selection;
  Json methods = Json::array(), penalties = Json::array();
  for (const Method& method : options.methods) methods.push_back(method.full_name());
  for (const double penalty : selection.relative_penalties) penalties.push_back(number(penalty));
  Json settings = {{"format", 2},
                   {"n", data.size()},
                   {"d", data.dim()},
                   {"classes", data.labels().names()},
                   {"groups", data.has_groups()},
                   {"data", fingerprint(data)},
                   {"repair", options.repair},
                   {"methods", methods},
                   {"protocol", options.protocol.text()},
                   {"seed", options.seed},
                   {"folds", selection.folds},
                   {"neighbours", selection.neighbours},
                   {"C", selection.svm_cs},
                   {"zeta", selection.zetas},
                   {"relative_thetas", selection.relative_thetas},
                   {"relative_penalties", penalties},
                   {"required_gain", {selection.required_gain_knn, selection.required_gain_svm}},
                   {"learn_on", selection.learn_on},
                   {"theta_range", theta_range_text(options)},
                   {"scale", selection.scale.kind == Scale::Kind::none   ? Json("none")
                             : selection.scale.kind == Scale::Kind::unit ? Json("unit")
                                                                         : Json(selection.scale.factor)}};
  if (selection.project.kind != Projecting::Kind::none) settings["project"] = selection.project.text();
  if (selection.recentre != Recentring::none) settings["recentre"] = name(selection.recentre);
  if (options.protocol.kind == Protocol::Kind::given) settings["given"] = fingerprint(options.protocol.parts);
  if (selection.theta) settings["theta"] = *selection.theta;
  if (!selection.alpha0.empty()) settings["alpha0"] = selection.alpha0;
  if (selection.penalty) settings["penalty"] = number(*selection.penalty);
  if (selection.svm.margin != SoftMargin::linear) settings["margin"] = "squared";
  if (selection.svm.balanced) settings["balanced"] = true;
  if (!selection.svm.class_weights.empty()) settings["class_weights"] = selection.svm.class_weights;
  return settings;
}

Json to_json(const SplitResult& result) {
  Json json = {{"method", result.method},           {"split", result.split},
               {"chosen", result.chosen},           {"theta", result.theta},
               {"setting", result.neighbours_or_c}, {"penalty", number(result.penalty)},
               {"accuracy", result.accuracy},       {"validation_accuracy", number(result.validation_accuracy)},
               {"seconds", result.seconds},         {"predicted", result.predicted}};
  for (const auto& [neighbours, predicted] : result.by_neighbours)
    json["by_neighbours"].push_back({{"neighbours", neighbours}, {"predicted", predicted}});
  if (!result.candidates.empty()) json["candidates"] = candidates_json(result.candidates);
  if (!result.by_components.empty()) json["by_components"] = candidates_json(result.by_components);
  for (const CombinedKernel::Share& one : result.kernels)
    json["kernels"].push_back({{"name", one.name}, {"weight", one.weight}});
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  return json;
}

SplitResult split_result_from(const Json& json) {
  SplitResult result;
  result.method = json.at("method").get<std::string>();
  result.split = whole_from(json.at("split"));
  result.predicted = whole_numbers_from(json.at("predicted"));
  result.theta = json.at("theta").get<double>();
  result.neighbours_or_c = json.at("setting").get<double>();
  result.penalty = number_from(json.at("penalty"));
  result.accuracy = json.value("accuracy", 0.0);
  result.validation_accuracy = number_from(json.at("validation_accuracy"));
  result.chosen = json.at("chosen").get<std::string>();
  result.seconds = json.at("seconds").get<double>();
  if (json.contains("by_neighbours"))
    for (const Json& one : json["by_neighbours"])
      result.by_neighbours[whole_from(one.at("neighbours"))] = whole_numbers_from(one.at("predicted"));
  if (json.contains("candidates")) result.candidates = candidates_from(json["candidates"]);
  if (json.contains("by_components")) result.by_components = candidates_from(json["by_components"]);
  if (json.contains("kernels"))
    for (const Json& one : json["kernels"])
      result.kernels.push_back({one.at("name").get<std::string>(), one.at("weight").get<double>()});
  if (json.contains("warnings")) result.warnings = json["warnings"].get<std::vector<std::string>>();
  return result;
}

Json to_json(const std::vector<SplitResult>& results) {
  Json json = Json::array();
  for (const SplitResult& result : results) json.push_back(to_json(result));
  return json;
}

std::vector<SplitResult> split_results_from(const Json& json) {
  std::vector<SplitResult> results;
  for (const Json& one : json) results.push_back(split_result_from(one));
  return results;
}

void require_same_rules(const std::filesystem::path& file, const Json& known, const Json& wanted) {
  if (known.contains("format") && known["format"] != wanted.at("format"))
    throw InvalidInput(
        fmt::format("{}: holds results of another version of dsk, which chose settings by other rules; remove it or "
                    "choose another name",
                    file.string()));
}

InvalidInput not_such_a_file(const std::filesystem::path& file, std::string_view what) {
  return InvalidInput(
      fmt::format("{}: exists but is not an {} file; remove it or choose another name", file.string(), what));
}

std::optional<Json> existing_json(const std::filesystem::path& file, std::string_view what) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  const std::string text = files::read_results(file);
  if (files::is_nested_too_deeply(text)) throw not_such_a_file(file, what);
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw not_such_a_file(file, what);
  }
}

}  // namespace detail

namespace {

/// As readers of a report expect it: lists without brackets and quotation marks.
std::string setting_in_words(const detail::Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const detail::Json& one : value) text += (text.empty() ? "" : ", ") + setting_in_words(one);
  return text;
}

}  // namespace

std::vector<Evaluation::Setting> settings_of(const Evaluation& evaluation) {
  std::vector<Evaluation::Setting> list;
  const auto settings = detail::Json::parse(evaluation.settings);
  for (const auto& [name, value] : settings.items()) list.push_back({name, setting_in_words(value)});
  list.push_back({"version", DSK_VERSION});
  return list;
}

std::string as_json(const Evaluation& evaluation) {
  detail::Json json = {{"settings", detail::Json::parse(evaluation.settings)},
                       {"splits", detail::to_json(evaluation.results)},
                       {"methods", detail::Json::array()}};
  for (const MethodResult& result : evaluation.methods)
    json["methods"].push_back(detail::method_json(result, evaluation.methods[result.baseline].method.full_name()));
  json["ranking"] = detail::ranking_json(evaluation);
  if (!evaluation.not_scored.empty()) json["not_scored"] = evaluation.not_scored;
  if (!evaluation.channels.empty()) json["channels"] = evaluation.channels;
  if (evaluation.subspace) json["subspace"] = detail::subspace_json(*evaluation.subspace);
  if (!evaluation.warnings.empty()) json["warnings"] = evaluation.warnings;
  return json.dump();
}

}  // namespace dsk

#include "evaluation_file.hpp"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include "command.hpp"

namespace dsk::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What json_number wrote.
double number_from(const Json& value) {
  return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

/// FNV-1a over everything that the data set holds.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) sum_ = (sum_ ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3ULL;
  }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

std::string fingerprint(const Dataset& data) {
  Fingerprint print;
  for (const double value : data.matrices().values()) print.add(std::bit_cast<std::uint64_t>(value));
  for (const int code : data.labels().codes()) print.add(static_cast<std::uint64_t>(code));
  if (data.has_groups())
    for (const int code : data.groups().codes()) print.add(static_cast<std::uint64_t>(code));
  return print.text();
}

std::string fingerprint(const std::vector<int>& parts) {
  Fingerprint print;
  for (const int part : parts) print.add(static_cast<std::uint64_t>(part));
  return print.text();
}

}  // namespace

Json evaluation_settings(const Dataset& data, const EvaluationOptions& options, const std::string& repair) {
  const SelectionOptions& selection = options.selection;
  Json methods = Json::array(), penalties = Json::array();
  for (const Method& method : options.methods) methods.push_back(method.full_name());
  for (const double penalty : selection.relative_penalties) penalties.push_back(json_number(penalty));
  Json settings = {{"format", 1},
                   {"n", data.size()},
                   {"d", data.dim()},
                   {"classes", data.labels().names()},
                   {"groups", data.has_groups()},
                   {"data", fingerprint(data)},
                   {"repair", repair},
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
                   {"theta_range", selection.theta_range == ThetaRange::any ? "any" : "valid"},
                   {"scale", selection.scale.kind == Scale::Kind::none   ? Json("none")
                             : selection.scale.kind == Scale::Kind::unit ? Json("unit")
                                                                         : Json(selection.scale.factor)}};
  if (options.protocol.kind == Protocol::Kind::given) settings["given"] = fingerprint(options.protocol.parts);
  if (selection.theta) settings["theta"] = *selection.theta;
  if (selection.penalty) settings["penalty"] = json_number(*selection.penalty);
  return settings;
}

std::vector<SplitResult> finished_results(const std::filesystem::path& file, const Json& settings) {
  std::ifstream stream(file);
  if (!stream) {
    if (std::filesystem::exists(file)) throw InvalidInput(fmt::format("{}: cannot be read", file.string()));
    return {};
  }
  try {
    const Json json = Json::parse(stream);
    // Methods may be added or taken away: each result stands by itself.
    Json known = json.at("settings"), wanted = settings;
    known.erase("methods");
    wanted.erase("methods");
    if (known != wanted)
      throw InvalidInput(
          fmt::format("{}: holds results of other data or settings; remove it or name another", file.string()));
    std::vector<SplitResult> results;
    for (const Json& one : json.at("splits")) results.push_back(result_from(one));
    return results;
  } catch (const Json::exception&) {
    throw InvalidInput(
        fmt::format("{}: is there already and holds no evaluation; remove it or name another", file.string()));
  }
}

SplitResult result_from(const Json& json) {
  SplitResult result;
  result.method = json.at("method").get<std::string>();
  result.split = json.at("split").get<Index>();
  result.predicted = json.at("predicted").get<std::vector<int>>();
  result.theta = json.at("theta").get<double>();
  result.setting = json.at("setting").get<double>();
  result.penalty = number_from(json.at("penalty"));
  result.accuracy = json.value("accuracy", 0.0);
  result.validation_accuracy = json.at("validation_accuracy").get<double>();
  result.chosen = json.at("chosen").get<std::string>();
  result.seconds = json.at("seconds").get<double>();
  if (json.contains("by_neighbours"))
    for (const Json& one : json["by_neighbours"])
      result.by_neighbours[one.at("neighbours").get<Index>()] = one.at("predicted").get<std::vector<int>>();
  return result;
}

std::vector<Setting> as_list(const Json& settings) {
  std::vector<Setting> list;
  for (const auto& [name, value] : settings.items())
    list.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  return list;
}

Json as_json(const SplitResult& result) {
  Json json = {{"method", result.method},     {"split", result.split},
               {"chosen", result.chosen},     {"theta", result.theta},
               {"setting", result.setting},   {"penalty", json_number(result.penalty)},
               {"accuracy", result.accuracy}, {"validation_accuracy", result.validation_accuracy},
               {"seconds", result.seconds},   {"predicted", result.predicted}};
  for (const auto& [neighbours, predicted] : result.by_neighbours)
    json["by_neighbours"].push_back({{"neighbours", neighbours}, {"predicted", predicted}});
  return json;
}

Json as_json(const MethodResult& result, const std::string& baseline) {
  Json json = {{"method", result.method.full_name()},
               {"mean", result.accuracy.mean},
               {"std", result.accuracy.deviation},
               {"accuracies", result.accuracies},
               {"balanced_mean", result.balanced_accuracy.mean},
               {"balanced_std", result.balanced_accuracy.deviation},
               {"seconds", result.seconds}};
  if (result.against)
    json["against"] = {{"baseline", baseline},
                       {"difference", result.against->difference},
                       {"low", result.against->low},
                       {"high", result.against->high},
                       {"p_student", result.against->student_p},
                       {"p_wilcoxon", result.against->wilcoxon_p}};
  Json confusion = Json::array();
  for (Index r = 0; r < result.confusion.rows(); ++r)
    confusion.push_back(std::vector<double>(result.confusion.row(r).begin(), result.confusion.row(r).end()));
  json["confusion"] = confusion;
  return json;
}

}  // namespace dsk::cli

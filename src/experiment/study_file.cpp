// Results of studies in a file, from which a stopped run is resumed.

#include "experiment/experiment.hpp"

#include <dsk/files.hpp>
#include <dsk/version.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <utility>

namespace dsk {
namespace experiment {
namespace {

using detail::Json;

/// Without what may differ from run to run: each result of a method on a split stands by itself.
Json study_settings(const Study& study) {
  Json settings = detail::settings_json(study.data, study.options);
  settings.erase("methods");
  if (study.reduced) {
    EvaluationOptions with = study.options;
    with.selection = *study.reduced;
    const Json reduced = detail::settings_json(study.data, with);
    for (const auto& item : reduced.items())
      if (settings.contains(item.key()) && settings[item.key()] != item.value())
        settings["reduced"][item.key()] = item.value();
  }
  if (study.options.protocol.kind == Protocol::Kind::halves) settings["protocol"] = "halves";
  return settings;
}

Json curves(const OutcomeSection& section) {
  Json charts = Json::array();
  for (const LineChart& chart : section.lines) {
    Json lines = Json::array();
    for (const LineSeries& line : chart.series) lines.push_back({{"name", line.name}, {"x", line.x}, {"y", line.y}});
    charts.push_back({{"caption", chart.caption},
                      {"x", chart.x_axis},
                      {"y", chart.y_axis},
                      {"logarithmic_x", chart.logarithmic_x},
                      {"logarithmic_y", chart.logarithmic_y},
                      {"lines", lines}});
  }
  return charts;
}

/// The version and the machine that compute now.
Json maker(int threads) {
  return {{"version", DSK_VERSION},
          {"commit", commit()},
          {"cpu", cpu_name()},
          {"threads", threads > 0 ? threads : omp_get_max_threads()}};
}

/// In UTC.
std::string today() {
  return fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::now()));
}

/// Every version and machine that contributed to a file, in the order of their first results, with its first and last
/// day.
void add_maker(Json& file, int threads) {
  const Json now = maker(threads);
  Json& list = file["made_by"];
  if (!list.is_array()) list = Json::array();
  const auto is_now = [&](const Json& one) {
    return std::all_of(now.items().begin(), now.items().end(),
                       [&](const auto& item) { return one.contains(item.key()) && one[item.key()] == item.value(); });
  };
  const auto known = std::find_if(list.begin(), list.end(), is_now);
  Json& entry = known == list.end() ? list.emplace_back(now) : *known;
  if (!entry.contains("from")) entry["from"] = today();
  entry["to"] = today();
}

/// Whatever the order: other tools sort the names.
bool are_same(const Json& a, const Json& b) {
  return nlohmann::json(a) == nlohmann::json(b);
}

/// The other results files of experiments in the same folder; none that is damaged.
std::vector<Json> files_beside(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  for (const auto& entry : std::filesystem::directory_iterator(whole.parent_path(), error))
    if (entry.path() != whole && is_results_name(entry.path())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Json> files;
  for (const std::filesystem::path& path : paths) try {
      const std::string text = files::read_results(path);
      if (files::is_nested_too_deeply(text)) continue;
      Json content = Json::parse(text, nullptr, false);
      if (content.is_object() && content.contains("experiment") && content.contains("studies"))
        files.push_back(std::move(content));
    } catch (const InvalidInput&) {
      continue;
    }
  return files;
}

}  // namespace

bool is_results_name(const std::filesystem::path& file) {
  return file.extension() == ".json" || (file.extension() == ".gz" && file.stem().extension() == ".json");
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string version_text(std::string_view version, std::string_view commit) {
  return commit.empty() ? std::string(version) : fmt::format("{} (commit {})", version, commit);
}

StudyFile::StudyFile(std::filesystem::path file, std::string_view experiment, int threads)
    : file_(std::move(file)),
      threads_(threads),
      kept_{{"experiment", experiment}, {"made_by", Json::array()}, {"studies", Json::object()}} {
  if (file_.empty()) return;
  store_.emplace(file_, [this] { return kept_.dump() + "\n"; });
  beside_ = files_beside(file_);
  const std::optional<Json> found = detail::existing_json(file_, "experiment");
  if (!found) return;
  try {
    if (found->at("experiment") != experiment)
      throw InvalidInput(fmt::format("{}: holds results of the experiment {}; remove it or choose another name",
                                     file_.string(), found->at("experiment").dump()));
    kept_["studies"] = found->at("studies");
    if (found->contains("made_by")) kept_["made_by"] = found->at("made_by");
  } catch (const Json::exception&) {
    throw detail::not_such_a_file(file_, "experiment");
  }
}

void StudyFile::take_over(const Study& study, const Json& settings) {
  std::set<std::pair<Index, std::string>> known;
  for (const SplitResult& result : own_results(study, settings)) known.insert({result.split, result.method});
  for (const Json& file : beside_)
    for (const auto& other : file["studies"].items()) try {
        if (!are_same(other.value().at("settings"), settings)) continue;
        for (const SplitResult& result : detail::split_results_from(other.value().at("splits"))) {
          const bool asked = std::any_of(study.options.methods.begin(), study.options.methods.end(),
                                         [&](const Method& method) { return method.full_name() == result.method; });
          if (!asked || !known.insert({result.split, result.method}).second) continue;
          store_->change([&] { keep(study, settings, result); });
          const auto from = file["experiment"].get<std::string>();
          ++taken_over_[from];
          for (const Json& maker : file.value("made_by", Json::array()))
            if (Json& list = kept_["made_by"]; std::find(list.begin(), list.end(), maker) == list.end())
              list.push_back(maker);
        }
      } catch (const Json::exception&) {
        continue;  // It is of no use, and not this file's concern.
      }
}

std::string StudyFile::taken_over() const {
  std::string text;
  for (const auto& [experiment, count] : taken_over_)
    text += fmt::format("{}{} from {}", text.empty() ? "" : ", ", count, experiment);
  return text;
}

std::vector<SplitResult> StudyFile::results(const Study& study) {
  if (!store_) return {};
  const Json settings = study_settings(study);
  take_over(study, settings);
  return own_results(study, settings);
}

std::vector<SplitResult> StudyFile::own_results(const Study& study, const Json& settings) const {
  const Json& studies = kept_["studies"];
  if (!studies.contains(study.name)) return {};
  try {
    const Json& known = studies[study.name].at("settings");
    detail::require_same_rules(file_, known, settings);
    if (!are_same(known, settings))
      throw InvalidInput(
          fmt::format("{}: holds results of other data or settings ({}); remove it or choose another name",
                      file_.string(), study.name));
    return detail::split_results_from(studies[study.name].at("splits"));
  } catch (const Json::exception&) {
    throw InvalidInput(
        fmt::format("{}: {} is damaged; remove the file or choose another name", file_.string(), study.name));
  }
}

void StudyFile::add(const Study& study, const SplitResult& result) {
  if (!store_) return;
  store_->change([&] {
    keep(study, study_settings(study), result);
    add_maker(kept_, threads_);
  });
}

void StudyFile::keep(const Study& study, const Json& settings, const SplitResult& result) {
  Json& known = kept_["studies"][study.name];
  if (known.is_null()) known = {{"settings", settings}, {"splits", Json::array()}};
  known["splits"].push_back(detail::to_json(result));
}

void StudyFile::finish(const Outcome& outcome, const RunOptions& options) {
  if (!store_) return;
  Json sections = Json::array();
  for (const OutcomeSection& section : outcome.sections)
    sections.push_back(
        {{"heading", section.heading}, {"table", section.table}, {"text", section.text}, {"curves", curves(section)}});
  Json whole{
      {"title", outcome.title}, {"answer", outcome.answer}, {"sections", sections}, {"settings", Json::object()}};
  for (const Evaluation::Setting& setting : outcome.settings) whole["settings"][setting.name] = setting.value;
  store_->change_and_save([&] {
    kept_["options"] = {
        {"quick", options.quick}, {"splits", options.splits}, {"minutes", options.minutes}, {"seed", options.seed}};
    if (kept_["made_by"].empty()) add_maker(kept_, threads_);
    kept_["outcome"] = std::move(whole);
  });
}

}  // namespace experiment

ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  experiment::StudyFile file(options.results_file, experiment.name, options.threads);
  experiment::RunOptions with{options};
  with.finished = [&](const experiment::Study& study) { return file.results(study); };
  with.on_result = [&](const experiment::Study& study, const SplitResult& result) {
    file.add(study, result);
    return true;
  };
  experiment::Outcome outcome = experiment::run(experiment.name, with);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  outcome.settings.push_back({"this run", fmt::format("{:.1f} s, version {}, {}, {}", spent.count(),
                                                      experiment::version_text(DSK_VERSION, experiment::commit()),
                                                      experiment::cpu_name(), experiment::today())});
  if (const std::string taken = file.taken_over(); !taken.empty())
    outcome.settings.push_back({"results of the same studies taken over", taken});
  file.finish(outcome, with);
  return {.answer = outcome.answer, .text = as_text(outcome), .page = as_page(outcome)};
}

}  // namespace dsk

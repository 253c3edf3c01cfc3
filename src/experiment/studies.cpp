// Computes studies together, and keeps their results in a file from which a stopped run is resumed.

#include "experiment/experiment.hpp"

#include <dsk/files.hpp>
#include <dsk/version.hpp>

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

namespace dsk::experiment {
namespace {

/// Guesses from what each method took so far how long the rest will take.
class Clock {
 public:
  Clock(const std::vector<Study>& studies, const std::vector<Index>& splits, int threads)
      : threads_(threads > 0 ? threads : omp_get_max_threads()) {
    for (std::size_t s = 0; s < studies.size(); ++s)
      for (const Method& method : studies[s].options.methods) {
        methods_[method.full_name()].left += splits[s];
        progress_.all += splits[s];
      }
  }

  void count(const SplitResult& result) {
    Spent& method = methods_[result.method];
    --method.left;
    ++method.done;
    method.seconds += result.seconds;
    ++progress_.done;
  }

  ExperimentProgress progress() {
    double seconds = 0, done = 0;
    for (const auto& [name, method] : methods_) seconds += method.seconds, done += method.done;
    progress_.seconds_left = 0;
    for (const auto& [name, method] : methods_) {
      const double each = method.done > 0 ? method.seconds / method.done : done > 0 ? seconds / done : 0;
      progress_.seconds_left += each * static_cast<double>(method.left) / threads_;
    }
    return progress_;
  }

 private:
  struct Spent {
    Index left = 0;
    double done = 0, seconds = 0;
  };
  int threads_;
  std::map<std::string, Spent> methods_;
  ExperimentProgress progress_;
};

/// Without those that nobody asked for.
std::vector<SplitResult> known_results(const Study& study, Index splits, const RunOptions& options) {
  std::vector<SplitResult> known;
  if (!options.finished) return known;
  for (SplitResult& result : options.finished(study))
    if (result.split < splits && std::any_of(study.options.methods.begin(), study.options.methods.end(),
                                             [&](const Method& m) { return m.full_name() == result.method; }))
      known.push_back(std::move(result));
  return known;
}

}  // namespace

std::vector<Evaluation> evaluate_all(const std::vector<Study>& studies, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Index> splits;
  splits.reserve(studies.size());
  for (const Study& study : studies)
    splits.push_back(static_cast<Index>(make_splits(study.data, study.options.protocol, study.options.seed).size()));
  Clock clock(studies, splits, options.threads);
  std::vector<std::vector<SplitResult>> known;
  for (std::size_t s = 0; s < studies.size(); ++s) {
    known.push_back(known_results(studies[s], splits[s], options));
    for (const SplitResult& result : known.back()) clock.count(result);
  }
  if (options.on_progress) options.on_progress(clock.progress());

  std::vector<Evaluation> evaluations(studies.size());
  const Index most = *std::max_element(splits.begin(), splits.end());
  constexpr Index at_a_time = 2;
  for (Index first = 0; first < most; first += at_a_time) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (options.minutes > 0 && first >= at_a_time && spent.count() > 60 * options.minutes) break;
    const Index last = std::min(most, first + at_a_time);
    for (std::size_t s = 0; s < studies.size(); ++s) {
      // Leave-one-out has one score, over all of its splits.
      const bool whole = studies[s].options.protocol.kind == Protocol::Kind::loo;
      if (first >= (whole ? 1 : splits[s])) continue;
      EvaluationOptions with = studies[s].options;
      with.first_splits = whole ? splits[s] : last;
      with.threads = options.threads;
      with.keep_kernel = false;
      for (const SplitResult& result : known[s])
        if (result.split < *with.first_splits) with.finished.push_back(result);
      with.on_result = [&](const SplitResult& result) {
        known[s].push_back(result);
        clock.count(result);
        if (options.on_progress) options.on_progress(clock.progress());
        return !options.on_result || options.on_result(studies[s], result);
      };
      evaluations[s] = evaluate(studies[s].data, with);
    }
  }
  return evaluations;
}

}  // namespace dsk::experiment

namespace dsk {
namespace experiment {
namespace {

using detail::Json;

/// Without what may differ from run to run: each result of a method on a split stands by itself.
Json study_settings(const Study& study) {
  Json settings = detail::settings_json(study.data, study.options);
  settings.erase("methods");
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
  return {{"version", DSK_VERSION}, {"cpu", cpu_name()}, {"threads", threads > 0 ? threads : omp_get_max_threads()}};
}

/// Every version and machine that contributed to a file, in the order of their first results.
void add_maker(Json& file, int threads) {
  const Json now = maker(threads);
  Json& list = file["made_by"];
  if (!list.is_array()) list = Json::array();
  if (std::find(list.begin(), list.end(), now) == list.end()) list.push_back(now);
}

}  // namespace

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

StudyFile::StudyFile(std::filesystem::path file, std::string_view experiment, int threads)
    : file_(std::move(file)),
      threads_(threads),
      kept_{{"experiment", experiment}, {"made_by", Json::array()}, {"studies", Json::object()}} {
  if (file_.empty()) return;
  store_.emplace(file_, [this] { return kept_.dump() + "\n"; });
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

std::vector<SplitResult> StudyFile::results(const Study& study) {
  const Json& studies = kept_["studies"];
  if (!studies.contains(study.name)) return {};
  try {
    // Whatever the order: other tools sort the names.
    if (nlohmann::json(studies[study.name].at("settings")) != nlohmann::json(study_settings(study)))
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
    Json& known = kept_["studies"][study.name];
    if (known.is_null()) known = {{"settings", study_settings(study)}, {"splits", Json::array()}};
    known["splits"].push_back(detail::to_json(result));
    add_maker(kept_, threads_);
  });
}

void StudyFile::finish(const Outcome& outcome, const RunOptions& options) {
  if (!store_) return;
  Json sections = Json::array();
  for (const OutcomeSection& section : outcome.sections)
    sections.push_back(
        {{"heading", section.heading}, {"table", section.table}, {"text", section.text}, {"curves", curves(section)}});
  Json whole{
      {"title", outcome.title}, {"answer", outcome.answer}, {"sections", sections}, {"settings", Json::object()}};
  for (const Setting& setting : outcome.settings) whole["settings"][setting.name] = setting.value;
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
  outcome.settings.push_back(
      {"this run", fmt::format("{:.1f} s, version {}, {}", spent.count(), DSK_VERSION, experiment::cpu_name())});
  file.finish(outcome, with);
  return {.answer = outcome.answer, .text = as_text(outcome), .page = as_page(outcome)};
}

}  // namespace dsk

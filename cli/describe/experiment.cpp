#include <dsk/experiment.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>

#include "command.hpp"
#include "evaluation_file.hpp"
#include "files.hpp"
#include "progress.hpp"

namespace dsk::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Of a study, without what may differ from run to run: each result of a method on a split stands by itself.
Json study_settings(const Study& study) {
  Json settings = evaluation_settings(study.data, study.options, "none");
  settings.erase("methods");
  if (study.options.protocol.kind == Protocol::Kind::halves) settings["protocol"] = "halves";
  return settings;
}

/// The results of all studies, read from a file at the start and kept in it while they come.
class StudyFile {
 public:
  StudyFile(std::filesystem::path file, std::string_view experiment) : file_(std::move(file)) {
    kept_ = {{"experiment", experiment}, {"studies", Json::object()}};
    if (file_.empty() || !std::filesystem::exists(file_)) return;
    std::ifstream stream(file_);
    if (!stream) throw InvalidInput(fmt::format("{}: cannot be opened", file_.string()));
    try {
      const Json found = Json::parse(stream);
      if (found.at("experiment") != experiment)
        throw InvalidInput(fmt::format("{}: holds results of the experiment {}; remove it or name another",
                                       file_.string(), found["experiment"].dump()));
      kept_["studies"] = found.at("studies");
    } catch (const Json::exception&) {
      throw InvalidInput(
          fmt::format("{}: is there already and holds no experiment; remove it or name another", file_.string()));
    }
  }

  std::vector<SplitResult> results(const Study& study) {
    Json& studies = kept_["studies"];
    const Json settings = study_settings(study);
    if (!studies.contains(study.name)) {
      studies[study.name] = {{"settings", settings}, {"splits", Json::array()}};
      return {};
    }
    try {
      // Whatever the order: other tools sort the names.
      if (nlohmann::json(studies[study.name].at("settings")) != nlohmann::json(settings))
        throw InvalidInput(fmt::format("{}: holds results of other data or settings ({}); remove it or name another",
                                       file_.string(), study.name));
      std::vector<SplitResult> results;
      for (const Json& one : studies[study.name].at("splits")) results.push_back(result_from(one));
      return results;
    } catch (const Json::exception&) {
      throw InvalidInput(fmt::format("{}: {} is damaged; remove the file or name another", file_.string(), study.name));
    }
  }

  void add(const Study& study, const SplitResult& result) {
    kept_["studies"][study.name]["splits"].push_back(as_json(result));
    const auto now = std::chrono::steady_clock::now();
    if (file_.empty() || now - written_ < std::chrono::seconds(5)) return;
    write();
    written_ = now;
  }

  void finish(const ExperimentOutcome& outcome, const Json& options) {
    kept_["options"] = options;
    Json sections = Json::array();
    for (const OutcomeSection& section : outcome.sections)
      sections.push_back({{"heading", section.heading},
                          {"table", section.table},
                          {"text", section.text},
                          {"curves", curves(section)}});
    kept_["outcome"] = {{"title", outcome.title}, {"answer", outcome.answer}, {"sections", sections}};
    for (const Setting& setting : outcome.settings) kept_["outcome"]["settings"][setting.name] = setting.value;
    write();
  }

 private:
  static Json curves(const OutcomeSection& section) {
    Json charts = Json::array();
    for (const LineChart& chart : section.lines) {
      Json lines = Json::array();
      for (const LineSeries& line : chart.series) lines.push_back({{"name", line.name}, {"x", line.x}, {"y", line.y}});
      charts.push_back({{"caption", chart.caption}, {"x", chart.x_axis}, {"y", chart.y_axis}, {"lines", lines}});
    }
    return charts;
  }

  void write() const {
    if (!file_.empty()) save_text(kept_.dump() + "\n", file_);
  }

  std::filesystem::path file_;
  Json kept_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now() - std::chrono::seconds(5);
};

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} minutes left", seconds / 60);
  return fmt::format("{:.1f} hours left", seconds / 3600);
}

void print_list() {
  fmt::print("{:<17}{:<21}{:<26}{}\n", "name", "paper", "data", "what");
  for (const Experiment& one : experiments())
    fmt::print("{:<17}{:<21}{:<26}{}\n", one.name, one.paper, one.data.empty() ? "generated" : one.data, one.summary);
}

struct RunExperiment {
  std::string name;
  std::filesystem::path data;
  bool quick = false;
  Index splits = 0;
  double minutes = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  std::filesystem::path report;
  std::filesystem::path text;
  std::filesystem::path json;

  void run() const {
    if (name == "list") return print_list();
    const Experiment& experiment = find_experiment(name);
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    if (splits < 0) throw InvalidInput("--splits must be 0 or more");
    if (!(minutes >= 0 && std::isfinite(minutes))) throw InvalidInput("--minutes must be 0 or more");
    check_files({}, {report, text, json});
    StudyFile results(json, experiment.name);
    ExperimentOptions options;
    options.data = data;
    options.quick = quick;
    options.splits = splits;
    options.minutes = minutes;
    options.seed = seed;
    options.threads = threads;
    Progress progress(name);
    options.finished = [&](const Study& study) { return results.results(study); };
    options.on_result = [&](const Study& study, const SplitResult& result) {
      results.add(study, result);
      return true;
    };
    options.on_progress = [&](const ExperimentProgress& how_far) {
      progress.tell(fmt::format("{} of {} (split and method), {}", how_far.done, how_far.all,
                                how_far.done > 0 ? time_left(how_far.seconds_left) : "measuring"));
    };
    const auto start = std::chrono::steady_clock::now();
    ExperimentOutcome outcome = experiment.run(options);
    progress.end();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    outcome.settings.push_back({"this run", fmt::format("{:.1f} s", spent.count())});
    results.finish(outcome, {{"quick", quick}, {"splits", splits}, {"minutes", minutes}, {"seed", seed}});
    if (!text.empty()) save_text(as_text(outcome), text);
    if (!report.empty()) save_text(as_page(outcome), report);
    fmt::print("{}", as_text(outcome));
    if (!report.empty()) fmt::print("\nreport     {}\n", report.string());
  }
};

}  // namespace

void add_experiment(CLI::App& program) {
  auto* const command = program.add_subcommand("experiment", experiment_summary);
  const auto task = std::make_shared<RunExperiment>();
  std::string names = "list, or one of";
  for (const Experiment& one : experiments()) names += " " + std::string(one.name);
  command->add_option("NAME", task->name, names)->required();
  command->add_option("--data", task->data, "Folder with brodatz/, eth80/, orl/, fnc/ or ssvep/ in it");
  command->add_flag("--quick", task->quick, "Few splits, some minutes");
  command->add_option("--splits", task->splits, "So many random halves in place of the experiment's own number");
  command->add_option("--minutes", task->minutes, "Begin no further split after so long; what is done is reported");
  command->add_option("--seed", task->seed, "Seed of splits, folds and generated data")->capture_default_str();
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--report", task->report, "Also write a page to look at: .html");
  command->add_option("--text", task->text, "Also write what is printed to this file (Markdown)");
  command->add_option("--json", task->json, "Keep every split in this file: a run that was stopped goes on from it");
  command->footer(
      "Example: dsk experiment list\n"
      "         dsk experiment brain --data data --quick --report brain.html\n"
      "         dsk experiment eeg --data data --minutes 60 --json eeg.json --report eeg.html");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

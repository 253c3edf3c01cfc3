#include <dsk/experiment.hpp>

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>

#include "command.hpp"
#include "progress.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

void print_list() {
  fmt::print("{:<17}{:<21}{:<26}{}\n", "name", "paper", "data", "what");
  for (const Experiment& one : experiments())
    fmt::print("{:<17}{:<21}{:<26}{}\n", one.name, one.paper, one.data.empty() ? "generated" : one.data, one.summary);
}

struct RunExperiment {
  std::string name;
  std::filesystem::path folder;
  std::filesystem::path data;
  bool quick = false;
  std::optional<Index> splits;
  std::optional<double> minutes;
  std::uint64_t seed = 0;
  std::vector<double> alpha0;
  int threads = 0;
  std::filesystem::path report;
  std::filesystem::path text;
  std::filesystem::path json;

  void run() const {
    if (name == "list") return print_list();
    if (name == "render") return render();
    if (!folder.empty()) throw UsageError("DIR is for dsk experiment render only");
    const Experiment& experiment = find_experiment(name);
    check_threads(threads);
    if (splits && *splits < 1) throw UsageError(fmt::format("--splits {} must be 1 or more", *splits));
    if (minutes && !(*minutes > 0 && std::isfinite(*minutes)))
      throw UsageError(fmt::format("--minutes {} must be finite and above 0", *minutes));
    if ((splits || minutes) && !experiment.random_splits)
      print_notes({fmt::format("{} has no random splits: --splits and --minutes have no effect", name)});
    check_files({}, {report, text, json});
    check_extension(report, "reports", {".html"});
    ExperimentOptions options;
    options.data = data;
    options.quick = quick;
    options.splits = splits.value_or(0);
    options.minutes = minutes.value_or(0);
    options.seed = seed;
    options.alpha0 = alpha0;
    options.threads = threads;
    options.results_file = json;
    Progress progress(name);
    options.on_progress = [&](const ExperimentOptions::Progress& state) {
      progress.report_progress(fmt::format("{} of {} (split and method), {}", state.done, state.all,
                                           state.done > 0 ? time_left(state.seconds_left) : "measuring"));
    };
    const ExperimentOutcome outcome = run_experiment(experiment, options);
    progress.end();
    if (!text.empty()) save_text(outcome.text, text);
    if (!report.empty()) save_text(outcome.page, report);
    fmt::print("{}", outcome.text);
    if (!report.empty()) fmt::print("\nreport     {}\n", report.string());
  }

 private:
  void render() const {
    if (folder.empty()) throw UsageError("render needs the folder of the results files: dsk experiment render DIR");
    const RenderedResults made = render_experiments(folder, text.empty() ? folder / "results.md" : text);
    fmt::print("page       {}\n{} of {} experiments, {} in {}\n", made.page.string(), made.experiments,
               experiments().size(), counted(made.figures, "figure"), (made.page.parent_path() / "figures").string());
    if (made.kept > 0)
      fmt::print("kept       {} of the page that this folder has no results for\n", counted(made.kept, "section"));
  }
};

}  // namespace

void add_experiment(CLI::App& program) {
  auto* const command = program.add_subcommand("experiment", experiment_summary);
  const auto task = std::make_shared<RunExperiment>();
  std::string names = "list, render, or one of";
  for (const Experiment& one : experiments()) names += " " + std::string(one.name);
  command->add_option("NAME", task->name, names)->required();
  command->add_option("DIR", task->folder,
                      "With render: folder of results files (--json), from which a page and figures are written");
  command->add_option("--data", task->data, "Folder that contains brodatz/, eth80/, orl/, fnc/ or ssvep/");
  command->add_flag("--quick", task->quick, "Run smaller tasks with five splits; takes some minutes");
  command->add_option("--splits", task->splits, "Number of random halves, in place of the experiment's own");
  command->add_option("--minutes", task->minutes,
                      "Start no new split after this many minutes, and report the finished ones");
  command->add_option("--seed", task->seed, "Seed of splits, folds and generated data")->capture_default_str();
  command->add_option("--alpha0", task->alpha0, alpha0_help)->delimiter(',');
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--report", task->report, "Also write a report, .html");
  command->add_option("--text", task->text,
                      "Also write the printed text to this file (Markdown); with render: the page, DIR/results.md "
                      "by default");
  command->add_option(
      "--json", task->json,
      "Save results to this file, .json or .json.gz; an existing file is resumed, and results of the same "
      "data and settings in other files of its folder are taken over");
  command->footer(
      "Example: dsk experiment list\n"
      "         dsk experiment brain --data data --quick --report brain.html\n"
      "         dsk experiment eeg --data data --minutes 60 --json eeg.json --report eeg.html\n"
      "         dsk experiment render results --text docs/results.md");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

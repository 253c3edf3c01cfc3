#pragma once

#include <dsk/evaluate.hpp>
#include <dsk/report.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// A data set with the options of its evaluation. An experiment consists of one or more studies.
struct Study {
  std::string name;
  Dataset data;
  EvaluationOptions options;
};

/// The progress of an experiment.
struct ExperimentProgress {
  Index done = 0;  ///< finished results, one per method and split
  Index all = 0;
  double seconds_left = 0;  ///< estimated from the time of the finished results
};

struct ExperimentOptions {
  std::filesystem::path data;  ///< folder that contains the folders of the data sets
  bool quick = false;          ///< use few splits, for a run of some minutes
  Index splits = 0;            ///< number of splits; 0 uses the default of the experiment
  double minutes = 0;          ///< time after which no further split starts, after the first two; 0 sets no limit
  std::uint64_t seed = 0;
  int threads = 0;
  /// Where `run_experiment` saves the results of all studies while they come, as JSON; an existing file is resumed.
  std::filesystem::path results_file = {};
  /// Returns the results of an earlier run of the study, which are not computed again.
  std::function<std::vector<SplitResult>(const Study&)> finished = {};
  /// Called after each new result, by one thread at a time; returning false stops with Cancelled.
  std::function<bool(const Study&, const SplitResult&)> on_result = {};
  std::function<void(const ExperimentProgress&)> on_progress = {};
};

/// One section of the outcome. Any member may be empty.
struct OutcomeSection {
  std::string heading;
  std::vector<std::string> text = {};
  std::vector<std::vector<std::string>> table = {};  ///< the first row is the header, the first column contains names
  std::vector<LineChart> lines = {};
};

struct ExperimentOutcome {
  std::string title;
  std::string answer;  ///< the result in one or two sentences, and whether it agrees with the paper
  std::vector<OutcomeSection> sections = {};
  std::vector<Setting> settings = {};
};

/// An experiment of the paper, or a related one.
struct Experiment {
  std::string_view name;
  std::string_view paper;    ///< table, figure or section of the paper
  std::string_view data;     ///< folders that it reads; empty if the data are generated
  std::string_view summary;  ///< one line
  ExperimentOutcome (*run)(const ExperimentOptions&);
  bool random_splits = true;  ///< evaluates on random splits: `splits` and `minutes` have an effect
};

/// All experiments, in the order of the paper.
const std::vector<Experiment>& experiments();

/// Throws InvalidInput that lists the available names if there is no such experiment.
const Experiment& find_experiment(std::string_view name);

/// Runs an experiment and adds the time it took to the outcome's settings. Throws InvalidInput if the results file is
/// something else or belongs to other data or settings.
ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentOptions& options);

/// The outcome as Markdown with aligned tables.
std::string as_text(const ExperimentOutcome& outcome);

/// The outcome as a self-contained HTML page with figures.
std::string as_page(const ExperimentOutcome& outcome);

}  // namespace dsk

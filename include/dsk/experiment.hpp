#pragma once

#include <dsk/evaluate.hpp>
#include <dsk/report.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// One data set with the methods and splits that it is evaluated with; an experiment has one or many.
struct Study {
  std::string name;
  Dataset data;
  EvaluationOptions options;
};

/// How far an experiment is.
struct ExperimentProgress {
  Index done = 0;  ///< results of a method on a split
  Index all = 0;
  double seconds_left = 0;  ///< by what the same methods took so far
};

struct ExperimentOptions {
  std::filesystem::path data;  ///< folder with the data sets, one folder each
  bool quick = false;          ///< few splits, some minutes
  Index splits = 0;            ///< in place of the experiment's own number; 0: that
  double minutes = 0;          ///< begin no further split after so long, from the third on; 0: no limit
  std::uint64_t seed = 0;
  int threads = 0;
  /// Where `run_experiment` saves the results of all studies while they come, as JSON; an existing file is resumed.
  std::filesystem::path results_file = {};
  /// Results of an earlier run of the same study, which are not computed again.
  std::function<std::vector<SplitResult>(const Study&)> finished = {};
  /// After each new result, by one thread at a time; false stops with Cancelled.
  std::function<bool(const Study&, const SplitResult&)> on_result = {};
  std::function<void(const ExperimentProgress&)> on_progress = {};
};

/// A part of what came out: any of its members may be empty.
struct OutcomeSection {
  std::string heading;
  std::vector<std::string> text = {};
  std::vector<std::vector<std::string>> table = {};  ///< with a header; the first column holds names
  std::vector<LineChart> lines = {};
};

struct ExperimentOutcome {
  std::string title;
  std::string answer;  ///< in one or two sentences: where we agree with the paper and where not
  std::vector<OutcomeSection> sections = {};
  std::vector<Setting> settings = {};
};

/// One of the paper's experiments, or one that belongs beside them.
struct Experiment {
  std::string_view name;
  std::string_view paper;    ///< the table, figure or section
  std::string_view data;     ///< folders it reads; empty: generated
  std::string_view summary;  ///< in a line
  ExperimentOutcome (*run)(const ExperimentOptions&);
};

/// In the paper's order.
const std::vector<Experiment>& experiments();

/// Throws InvalidInput, listing the names, for one that does not exist.
const Experiment& find_experiment(std::string_view name);

/// Runs an experiment and adds the time it took to the outcome's settings. Throws InvalidInput if the results file is
/// something else or belongs to other data or settings.
ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentOptions& options);

/// As text with tables that align, which is Markdown too.
std::string as_text(const ExperimentOutcome& outcome);

/// As a self-contained HTML page with figures.
std::string as_page(const ExperimentOutcome& outcome);

}  // namespace dsk

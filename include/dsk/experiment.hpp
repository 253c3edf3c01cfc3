#pragma once

#include <dsk/matrices.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

struct ExperimentOptions {
  /// The progress of an experiment.
  struct Progress {
    Index done = 0;  ///< finished results, one per method and split
    Index all = 0;
    double seconds_left = 0;  ///< estimated from the time of the finished results
  };

  std::filesystem::path data = {};  ///< folder that contains the folders of the data sets
  bool quick = false;               ///< smaller tasks and five splits, for a run of some minutes
  Index splits = 0;                 ///< number of splits; 0 uses the default of the experiment
  double minutes = 0;               ///< time after which no further split starts, after the first two; 0 sets no limit
  std::uint64_t seed = 0;
  std::vector<double> alpha0 = {};  ///< of learned kernels, as in FitOptions
  int threads = 0;
  /// Where `run_experiment` saves the results of all studies while they come, as JSON, compressed if the name ends in
  /// .gz; an existing file is resumed.
  std::filesystem::path results_file = {};
  std::function<void(const Progress&)> on_progress = {};
};

struct ExperimentOutcome {
  std::string answer;  ///< the result in one or two sentences, and whether it agrees with the paper
  std::string text;    ///< everything as Markdown with aligned tables
  std::string page;    ///< everything as a self-contained HTML page with figures
};

/// An experiment of the paper, or a related one.
struct Experiment {
  std::string_view name;
  std::string_view paper;     ///< table, figure or section of the paper
  std::string_view data;      ///< folders that it reads; empty if the data are generated
  std::string_view summary;   ///< one line
  bool random_splits = true;  ///< evaluates on random splits: `splits` and `minutes` have an effect
};

/// All experiments, in the order of the paper.
const std::vector<Experiment>& experiments();

/// Throws InvalidInput that lists the available names if there is no such experiment.
const Experiment& find_experiment(std::string_view name);

/// Runs an experiment; the time it took is among the settings at the end of the text. Throws InvalidInput if the
/// results file is something else or belongs to other data or settings.
ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentOptions& options);

struct RenderedResults {
  std::filesystem::path page;
  Index experiments = 0;  ///< with finished results
  Index kept = 0;         ///< sections of other experiments that the page held already
  Index figures = 0;
};

/// Writes a page (Markdown) from the results files (.json, .json.gz) of experiments in a folder, in the order of the
/// paper, and its figures (SVG) into the folder figures/ beside it. Every experiment names the version and the machine
/// that made its results. An existing page keeps what stands between the marks of the summary, and its sections of
/// experiments of which the folder has no finished results. Throws InvalidInput for a damaged file, a folder without
/// results, and a page without these marks.
RenderedResults render_experiments(const std::filesystem::path& folder, const std::filesystem::path& page);

}  // namespace dsk

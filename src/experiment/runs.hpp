#pragma once

#include <dsk/covariance.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/experiment.hpp>

#include <functional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace dsk::experiment {

/// A data set with the options of its evaluation. An experiment consists of one or more studies.
struct Study {
  std::string name;
  Dataset data;
  EvaluationOptions options;
};

/// The options of an experiment, and where the results of its studies come from and go to.
struct RunOptions : ExperimentOptions {
  /// Returns the results of an earlier run of the study, which are not computed again.
  std::function<std::vector<SplitResult>(const Study&)> finished = {};
  /// Called after each new result, by one thread at a time; returning false stops with Cancelled.
  std::function<bool(const Study&, const SplitResult&)> on_result = {};
};

/// One section of the outcome. Any member may be empty.
struct OutcomeSection {
  std::string heading;
  std::vector<std::string> text = {};
  std::vector<std::vector<std::string>> table = {};  ///< the first row is the header, the first column contains names
  std::vector<LineChart> lines = {};
};

struct Outcome {
  std::string title;
  std::string answer = {};  ///< the result in one or two sentences, and whether it agrees with the paper
  std::vector<OutcomeSection> sections = {};
  std::vector<Setting> settings = {};
};

/// The outcome as Markdown with aligned tables, and as a self-contained HTML page with figures. The text shows charts
/// if `figure` names a picture of each, in their order.
std::string as_text(const Outcome& outcome, const std::function<std::string(const LineChart&)>& figure = {});
std::string as_page(const Outcome& outcome);

/// Runs the experiment of this name. Throws InvalidInput as find_experiment does.
Outcome run(std::string_view name, const RunOptions& options);

// The experiments of the list in outcome.cpp.
Outcome eigenvalue_bias(const RunOptions& options);
Outcome wishart_tau(const RunOptions& options);
Outcome wishart_dof(const RunOptions& options);
Outcome brodatz_pairs(const RunOptions& options);
Outcome brodatz_samples(const RunOptions& options);
Outcome brodatz_all(const RunOptions& options);
Outcome faces_table(const RunOptions& options);
Outcome faces_samples(const RunOptions& options);
Outcome objects_table(const RunOptions& options);
Outcome brain_table(const RunOptions& options);
Outcome timing(const RunOptions& options);
Outcome estimators(const RunOptions& options);
Outcome convergence(const RunOptions& options);
Outcome eeg_table(const RunOptions& options);

/// The settings listed at the end of every outcome.
std::vector<Setting> settings(const RunOptions& options, std::string_view name,
                              const std::vector<Evaluation>& evaluations);

// The data sets of the experiments, read from subfolders of ExperimentOptions::data. All throw InvalidInput that names
// a missing folder or file.

/// brodatz/: one image per class, resized to 256 x 256, with an equalised histogram where asked for, and cut into 64
/// tiles, 5 features. Uses a fraction `share` of the pixels.
Dataset brodatz(const RunOptions& options, Estimator estimator = Estimator::sample, double share = 1,
                bool equalised = false);
/// orl/: one folder per person, 43 features with Gabor wavelets. Uses a fraction `share` of the pixels.
Dataset faces(const RunOptions& options, Estimator estimator = Estimator::sample, double share = 1);
/// eth80/: one folder per class, one matrix per image, 5 features. Grouped by object, as given by the file names.
Dataset objects(const RunOptions& options, Estimator estimator = Estimator::sample);
/// fnc/fnc.npz: one correlation matrix per subject.
Dataset brain(const RunOptions& options);
/// ssvep/ssvep_covariances.npz: one covariance matrix per epoch, grouped by subject.
Dataset eeg(const RunOptions& options);

/// The matrices of the named classes, without groups. Throws InvalidInput if a class does not occur.
Dataset of_classes(const Dataset& data, const std::vector<std::string>& names);
/// The same matrices and labels, without groups.
Dataset without_groups(const Dataset& data);

struct ClassPair {
  std::string first, second;
  double accuracy = 0;  ///< of the plain Stein kernel with k-NN, if measured
  std::string name() const { return first + " and " + second; }
  bool operator==(const ClassPair& other) const { return first == other.first && second == other.second; }
};

/// The 15 pairs in the paper's supplement.
std::vector<ClassPair> paper_pairs();

/// The `count` pairs of classes with the lowest accuracy of the plain Stein kernel with k-NN over `splits` random
/// halves, lowest first.
std::vector<ClassPair> hardest_pairs(const Dataset& data, Index count, Index splits, std::uint64_t seed, int threads);

}  // namespace dsk::experiment

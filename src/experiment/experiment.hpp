#pragma once

#include <dsk/covariance.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/experiment.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/evaluate.hpp"
#include "files/files.hpp"
#include "report/report.hpp"

namespace dsk::experiment {

/// A data set with the options of its evaluation. An experiment consists of one or more studies.
struct Study {
  std::string name;
  Dataset data;
  EvaluationOptions options;
  /// How guarded kernels for the SVM and our own kernels choose instead, where that takes much longer than all other
  /// rows. Guarded kernels with k-NN share what is learned on the folds with those learned as printed.
  std::optional<SelectionOptions> reduced = {};

  /// The options by which one of the methods is evaluated.
  EvaluationOptions options_for(const Method& method) const;
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
  std::vector<Evaluation::Setting> settings = {};
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
Outcome brodatz_all_knn(const RunOptions& options);
Outcome brodatz_all_svm(const RunOptions& options);
Outcome faces_table(const RunOptions& options);
Outcome faces_neighbours(const RunOptions& options);
Outcome faces_samples(const RunOptions& options);
Outcome objects_table(const RunOptions& options);
Outcome brain_table(const RunOptions& options);
Outcome timing(const RunOptions& options);
Outcome estimators(const RunOptions& options);
Outcome convergence(const RunOptions& options);
Outcome eeg_table(const RunOptions& options);

/// Where a run is a quick one, adds a sentence to the outcome: what of the whole it uses.
void say_quick(Outcome& outcome, const RunOptions& options, std::string_view uses);

/// The settings listed at the end of every outcome.
std::vector<Evaluation::Setting> settings(const RunOptions& options, std::string_view name,
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
/// The first of them in a quick run, and all otherwise.
std::vector<ClassPair> some_pairs(const RunOptions& options);
/// "the paper's 15 pairs of textures", or how many of them.
std::string paper_pairs_text(const RunOptions& options);

/// The `count` pairs of classes with the lowest accuracy of the plain Stein kernel with k-NN over `splits` random
/// halves, lowest first.
std::vector<ClassPair> hardest_pairs(const Dataset& data, Index count, Index splits, std::uint64_t seed, int threads);

/// Every study, some splits at a time, so that all have equally many when the time is up. The evaluations come in the
/// order of the studies.
std::vector<Evaluation> evaluate_all(const std::vector<Study>& studies, const RunOptions& options);

/// The number of splits to make: what was asked for, or `full`, or in a quick run the fewest on which there are
/// verdicts.
Index splits_of(const RunOptions& options, Index full);

// Quick runs have smaller tasks, not fewer splits.
inline constexpr Index quick_textures = 16, quick_people = 10, quick_views = 640, quick_pairs = 4, quick_subjects = 5;

/// At most so many classes, evenly from the list of their names.
Dataset with_fewer_classes(const Dataset& data, Index most);
/// At most so many matrices, evenly from all.
Dataset thinned(const Dataset& data, Index most);
/// The textures of the tables of all textures, fewer in a quick run.
Dataset some_textures(const Dataset& all, const RunOptions& options);

/// Options with these methods on so many random halves.
EvaluationOptions on_halves(std::string_view methods, Index splits, const RunOptions& options);

/// For large sets, on which learning takes minutes: our kernels are learned from a sample, with fewer penalties. What
/// was learned as printed stays as it is.
void save_time(Study& study, Index learn_on);
/// That this was done, in two sentences; nothing where it was not.
std::string saved_time(const Study& study);

/// The 10 methods with k-NN of the paper's tables, the same with a guard, and ours.
inline const std::string methods_with_knn =
    "AIRM:knn,CHK:knn,EUK:knn,LEK:knn,PEK:knn,SK:knn,DSK-KA-p-printed:knn,DSK-KA-c-printed:knn,DSK-CS-p-printed:knn,"
    "DSK-CS-c-printed:knn,DSK-KA-p:knn,DSK-KA-c:knn,DSK-CS-p:knn,DSK-CS-c:knn,DSK-auto:knn";
/// The 9 with the SVM, the same with a guard, and ours.
inline const std::string methods_with_svm =
    "CHK:svm,EUK:svm,LEK:svm,PEK:svm,SK:svm,DSK-RM-p-printed:svm,DSK-RM-c-printed:svm,DSK-TM-p-printed:svm,"
    "DSK-TM-c-printed:svm,DSK-RM-p:svm,DSK-RM-c:svm,DSK-TM-p:svm,DSK-TM-c:svm,DSK-auto:svm";
/// What the field uses, and the default of `train`.
inline const std::string other_methods = "MDM,TS:lr,auto";
inline const std::string all_methods = methods_with_knn + "," + methods_with_svm + "," + other_methods;

// The study of each data set with some methods, the same in every experiment: a method has one accuracy on it. In quick
// runs only some of the matrices are used.

Study with_textures(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options);
Study with_people(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options);
Study with_objects(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options);
Study with_subjects(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options);

/// The name of the processor, as the system gives it.
std::string cpu_name();
/// The commit that the library was built from, "-dirty" if files had been changed, when the build was configured; empty
/// outside a checkout.
std::string_view commit();
/// "0.4.0 (commit 1f2e3d4c5b)".
std::string version_text(std::string_view version, std::string_view commit);

/// Whether a file is named like a results file: .json or .json.gz.
bool is_results_name(const std::filesystem::path& file);

/// The file that the results of all studies of an experiment are saved to while they come. Does nothing for an empty
/// path.
class StudyFile {
 public:
  /// Locks the file and reads it if it exists. Throws InvalidInput if another run uses it, or if it is something else
  /// or belongs to another experiment.
  /// `threads`: for the record of what made the results.
  StudyFile(std::filesystem::path file, std::string_view experiment, int threads = 0);

  /// The results of an earlier run of the same study, also those in files of other experiments in the same folder,
  /// which are added to this one: a method has one accuracy on the same data with the same settings, and is computed
  /// once. Throws InvalidInput if the results in this file belong to other data or settings.
  std::vector<SplitResult> results(const Study& study);
  /// "40 from brodatz-all": how many results of other experiments were added; empty if none.
  std::string taken_over() const;
  /// Adds a result and writes the file, or soon.
  void add(const Study& study, const SplitResult& result);
  /// Writes everything.
  void finish(const Outcome& outcome, const RunOptions& options);

 private:
  std::vector<SplitResult> own_results(const Study& study, const detail::Json& settings) const;
  void take_over(const Study& study, const detail::Json& settings);
  void keep(const Study& study, const detail::Json& settings, const SplitResult& result);

  std::filesystem::path file_;
  int threads_;
  detail::Json kept_;
  std::vector<detail::Json> beside_ = {};  ///< other results files in the folder
  std::map<std::string, Index> taken_over_ = {};
  std::optional<files::ResultsStore> store_;
};

}  // namespace dsk::experiment

#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "evaluate/evaluate.hpp"
#include "experiment/runs.hpp"
#include "files/files.hpp"

namespace dsk::experiment {

/// Every study, some splits at a time, so that all have equally many when the time is up. The evaluations come in the
/// order of the studies.
std::vector<Evaluation> evaluate_all(const std::vector<Study>& studies, const RunOptions& options);

/// The number of splits to make: what was asked for, or one of the two.
Index splits_of(const RunOptions& options, Index full, Index quick);

/// Options with these methods on so many random halves.
EvaluationOptions on_halves(std::string_view methods, Index splits, const RunOptions& options);

/// For large sets, on which an SVM is trained for minutes: learns from a sample, tries fewer settings, in three folds.
void save_time(SelectionOptions& selection, Index learn_on);
/// That this was done, in a sentence.
std::string saved_time(const SelectionOptions& selection);

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

// The options of each data set, the same in every experiment: a method has one accuracy on it.

/// 112 textures with k-NN and other methods, or with the SVM.
EvaluationOptions on_textures_with_knn(std::string_view methods, const RunOptions& options);
EvaluationOptions on_textures_with_svm(std::string_view methods, const RunOptions& options);
EvaluationOptions on_faces(std::string_view methods, const RunOptions& options);
EvaluationOptions on_objects(std::string_view methods, const RunOptions& options);
EvaluationOptions on_brain(std::string_view methods, const RunOptions& options);

/// The name of the processor, as the system gives it.
std::string cpu_name();

/// The file that the results of all studies of an experiment are saved to while they come. Does nothing for an empty
/// path.
class StudyFile {
 public:
  /// Locks the file and reads it if it exists. Throws InvalidInput if another run uses it, or if it is something else
  /// or belongs to another experiment.
  /// `threads`: for the record of what made the results.
  StudyFile(std::filesystem::path file, std::string_view experiment, int threads = 0);

  /// The results of an earlier run of the same study. Throws InvalidInput if they belong to other data or settings.
  std::vector<SplitResult> results(const Study& study);
  /// Adds a result and writes the file, or soon.
  void add(const Study& study, const SplitResult& result);
  /// Writes everything.
  void finish(const Outcome& outcome, const RunOptions& options);

 private:
  std::filesystem::path file_;
  int threads_;
  detail::Json kept_;
  std::optional<files::ResultsStore> store_;
};

}  // namespace dsk::experiment

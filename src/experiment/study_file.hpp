#pragma once

#include <dsk/experiment.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

#include "evaluate/evaluate.hpp"
#include "files/files.hpp"

namespace dsk::experiment {

/// The file that the results of all studies of an experiment are saved to while they come. Does nothing for an empty
/// path.
class StudyFile {
 public:
  /// Locks the file and reads it if it exists. Throws InvalidInput if another run uses it, or if it is something else
  /// or belongs to another experiment.
  StudyFile(std::filesystem::path file, std::string_view experiment);

  /// The results of an earlier run of the same study. Throws InvalidInput if they belong to other data or settings.
  std::vector<SplitResult> results(const Study& study);
  /// Adds a result and writes the file, or soon.
  void add(const Study& study, const SplitResult& result);
  /// Writes everything.
  void finish(const ExperimentOutcome& outcome, const ExperimentOptions& options);

 private:
  std::filesystem::path file_;
  detail::Json kept_;
  std::optional<files::ResultsStore> store_;
};

}  // namespace dsk::experiment

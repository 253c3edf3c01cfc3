#pragma once

#include <dsk/experiment.hpp>

#include <chrono>
#include <filesystem>
#include <string_view>

#include "evaluate/evaluate.hpp"

namespace dsk::experiment {

/// The file that the results of all studies of an experiment are saved to while they come. Does nothing for an empty
/// path.
class StudyFile {
 public:
  /// Reads an existing file. Throws InvalidInput if it is something else or belongs to another experiment.
  StudyFile(std::filesystem::path file, std::string_view experiment);

  /// The results of an earlier run of the same study. Throws InvalidInput if they belong to other data or settings.
  std::vector<SplitResult> results(const Study& study);
  /// Adds a result and writes the file, at most every five seconds.
  void add(const Study& study, const SplitResult& result);
  /// Writes everything.
  void finish(const ExperimentOutcome& outcome, const ExperimentOptions& options);

 private:
  void write() const;

  std::filesystem::path file_;
  detail::Json kept_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now() - std::chrono::seconds(5);
};

}  // namespace dsk::experiment

#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "evaluate/evaluate.hpp"
#include "files/files.hpp"

namespace dsk::detail {

/// The file that the results of an evaluation are saved to while they come. Does nothing for an empty path. With a
/// team, rank 0 alone reads and writes; all ranks construct one and call `finish`.
class ResultsFile {
 public:
  /// Locks the file and reads the results of an earlier run, if it exists. Throws InvalidInput on all ranks if another
  /// run uses the file, or if it is something else or belongs to other data or settings.
  ResultsFile(std::filesystem::path file, Json settings, const std::vector<Method>& methods, const Team* team);

  /// Of the methods asked for.
  const std::vector<SplitResult>& finished() const { return finished_; }

  /// Adds a result and writes the file, or soon: with many small splits, writing would take longer than computing.
  /// Called by rank 0 alone.
  void add(const SplitResult& result);
  /// Writes everything.
  void finish(const Evaluation& evaluation);

 private:
  std::vector<SplitResult> read() const;

  std::filesystem::path file_;
  Json settings_;
  const Team* team_;
  std::vector<SplitResult> finished_;
  std::vector<SplitResult> others_;  ///< of methods that are not asked for now
  Json kept_;
  std::optional<files::ResultsStore> store_;  ///< of rank 0
};

/// Throws InvalidInput unless each result is of one of the splits and predicts a class for each of its test matrices.
void check_finished(const Dataset& data, const std::vector<SplitResult>& finished, const std::vector<Split>& splits);

}  // namespace dsk::detail

#pragma once

#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "flags.hpp"
#include "usage.hpp"

namespace dsk::cli {

/// What a command takes.
enum class Entries { real, real_or_complex };

/// The data set that a command learns from or scores, and how it is read.
struct LabelledData {
  std::string x;
  std::string labels;
  RepairFlags repair;
  std::string part = "train";
  bool ignore_groups = false;

  /// `what` describes the matrices, and `labels_help` the flag --labels.
  void add_to(CLI::App& command, const std::string& what = "Matrices (n, d, d) with labels: .npz, .npy, .mat or .csv",
              const std::string& labels_help = "File of labels, .npy or .csv, in place of those in the data file");
  /// --ignore-groups, for commands that cross-validate.
  void add_groups_flag(CLI::App& command);
  /// Before any work: flags that cannot be used, or have no effect.
  void check(const CLI::App& command) const;
  Dataset load(int threads, Entries entries = Entries::real) const;
  /// This rank's matrices, real or complex; of an .npy file no others are read.
  DataShare load_share(int threads) const;
  /// All matrices; throws InvalidInput if there are no labels, or for class names that no file could keep.
  Dataset load_labelled(int threads, Entries entries = Entries::real) const;
};

/// The flags of commands that learn.
const std::vector<AdvisedFlag>& advised_flags();

/// Prints what the library warns of, with the flags that it advises.
void print_warnings(std::vector<std::string> warnings);

}  // namespace dsk::cli

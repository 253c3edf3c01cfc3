#pragma once

#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace dsk::cli {

/// Some of the matrices of a file.
struct DataShare {
  Dataset data;   ///< never empty: where a rank has no rows, it holds a matrix that is another's
  RowRange rows;  ///< where in the file they are
};

/// The data set that a command learns from or scores, and how it is read.
struct LabelledData {
  std::string x;
  std::string labels;
  std::string repair = "none";
  std::string part = "train";
  bool ignore_groups = false;

  void add_to(CLI::App& command);
  /// --ignore-groups, for commands that cross-validate.
  void add_groups_flag(CLI::App& command);
  /// Before any work: flags that cannot be used.
  void check() const;
  Dataset load(int threads) const;
  /// This rank's matrices; of an .npy file no others are read.
  DataShare load_share(int threads) const;
  /// All matrices; throws InvalidInput if there are no labels, or for class names that no file could keep.
  Dataset load_labelled(int threads) const;
};

/// Calls a verb of the library; names the flag in what it says of groups that leave nothing to cross-validate.
template <class Verb>
auto with_groups_flag(const Verb& verb) {
  try {
    return verb();
  } catch (const ClassesInOneGroup& error) {
    throw InvalidInput(std::string(error.what()) + " with --ignore-groups");
  }
}

}  // namespace dsk::cli

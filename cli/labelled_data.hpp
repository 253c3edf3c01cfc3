#pragma once

#include <dsk/engine.hpp>
#include <dsk/files.hpp>

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

  void add_to(CLI::App& command);
  /// Before any work: flags that cannot be used.
  void check() const;
  Dataset load(int threads) const;
  /// This rank's matrices; of an .npy file no others are read.
  DataShare load_share(int threads) const;
  /// All; throws InvalidInput if there are no labels, or class names that no file could keep.
  Dataset load_labelled(int threads) const;
};

}  // namespace dsk::cli

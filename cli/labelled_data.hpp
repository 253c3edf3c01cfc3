#pragma once

#include <dsk/io/files.hpp>

#include <CLI/CLI.hpp>
#include <string>

namespace dsk::cli {

/// The data set that a command learns from or scores, and how it is read.
struct LabelledData {
  std::string x;
  std::string labels;
  std::string repair = "none";
  std::string part = "train";

  void add_to(CLI::App& command);
  /// Before any work: flags that cannot be used.
  void check() const;
  Dataset load() const;
  /// The same; throws InvalidInput if there are no labels, or class names that no file could keep.
  Dataset load_labelled() const;
};

}  // namespace dsk::cli

#pragma once

#include <dsk/train.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsk::cli {

/// What is chosen by cross-validation unless a number is given.
struct SelectionFlags {
  std::string theta = "auto";
  std::string penalty = "auto";
  std::string neighbours = "auto";
  std::string c = "auto";
  std::string zeta = "auto";
  std::string scale = "none";
  std::vector<double> alpha0 = {};
  std::string theta_range = "auto";
  std::string project = "none";
  std::string recentre = "none";
  std::string required_gain = "auto";
  Index learn_on = 0;
  Index folds = 5;
  std::uint64_t seed = 0;

  void add_to(CLI::App& command);
  /// Whether one of the settings that are chosen otherwise is given.
  bool gives_settings() const {
    for (const std::string* const setting : {&theta, &penalty, &neighbours, &c, &zeta})
      if (*setting != "auto") return true;
    return false;
  }
  /// Throws InvalidInput for a value that cannot be used.
  SelectionOptions options() const;
};

}  // namespace dsk::cli

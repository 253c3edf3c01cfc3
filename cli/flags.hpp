#pragma once

#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/train.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
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
  /// Throws InvalidInput for a value that cannot be used.
  SelectionOptions options() const;
};

/// How dsk train approximates a kernel of more matrices than all pairs of which could be computed.
struct ApproximationFlags {
  std::optional<std::string> approximate;
  std::string landmarks = "adaptive";
  Index choose_on = 2000;

  void add_to(CLI::App& command);
  bool asked() const { return approximate.has_value(); }
  /// Throws InvalidInput for a value that cannot be used.
  NystromOptions options() const;
};

/// How matrices are repaired, and what that changed.
class RepairFlags {
 public:
  void add_to(CLI::App& command);
  Repair repair() const;
  /// As models and results files keep it.
  std::string text() const;
  /// For LoadOptions::on_repair: keeps the summary for the facts and says it on stderr.
  void report(const std::string& file, const Repair::Summary& summary) const;
  /// The summaries of all files that were repaired; null if there are none.
  const nlohmann::ordered_json& facts() const { return facts_; }

 private:
  std::string needed_ = "none";
  std::string all_ = "none";
  mutable nlohmann::ordered_json facts_;
};

}  // namespace dsk::cli

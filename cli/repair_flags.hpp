#pragma once

#include <dsk/files.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace dsk::cli {

/// How matrices are repaired, and what that changed.
class RepairFlags {
 public:
  void add_to(CLI::App& command);
  Repair repair() const;
  /// As models and results files keep it.
  std::string text() const;
  /// For LoadOptions::on_repair: keeps the summary for the facts and says it on stderr.
  void report(const std::string& file, const RepairSummary& summary) const;
  /// The summaries of all files that were repaired; null if there are none.
  const nlohmann::ordered_json& facts() const { return facts_; }

 private:
  std::string needed_ = "none";
  std::string all_ = "none";
  mutable nlohmann::ordered_json facts_;
};

}  // namespace dsk::cli

#pragma once

#include <dsk/covariance.hpp>

#include <chrono>
#include <filesystem>
#include <string>

#include "command.hpp"

namespace dsk::cli {

/// The commands of `dsk describe`.
void add_describe_pictures(CLI::App& describe);
void add_describe_series(CLI::App& describe);

/// What they share.
struct DescribeCommand {
  std::string input;
  std::string estimator = "sample";
  bool skip_bad = false;
  int threads = 0;
  std::filesystem::path output;
  std::filesystem::path preview;
  std::filesystem::path json;

  void add_to(CLI::App& command, const std::string& what_input_is);
  /// Before any work: names and numbers that cannot be used, files that could not be written.
  void check() const;
  /// Adds to the facts what is known of every description, writes and prints them.
  void report_result(Facts& facts, const Dataset& data, const nlohmann::ordered_json& how,
                     const nlohmann::ordered_json& left_out, std::chrono::steady_clock::time_point start) const;

 private:
  static void print(const Facts& facts);
};

/// With the flag of the remedy.
InvalidInput in_flags(const RankDeficient& error);

}  // namespace dsk::cli

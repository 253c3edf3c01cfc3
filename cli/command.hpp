#pragma once

#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/report.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "flags.hpp"
#include "usage.hpp"

namespace dsk::cli {

/// Each adds its command to the program; the command runs when its name was given.
void add_describe(CLI::App& program);
void add_experiment(CLI::App& program);
void add_distance(CLI::App& program);
void add_kernel(CLI::App& program);
void add_learn(CLI::App& program);
void add_train(CLI::App& program);
void add_predict(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_cluster(CLI::App& program);
void add_info(CLI::App& program);
void add_demo(CLI::App& program);
/// Hidden: prints what is installed as man page and as completions of shells.
void add_manual(CLI::App& program);

inline constexpr auto describe_summary = "Turn pictures or recordings into matrices";
inline constexpr auto experiment_summary = "Run the paper's experiments and compare with its results";
/// Runs dsk-describe, the only program that is linked with readers of pictures, for `describe` and `experiment`.
void hand_over(int count, char** arguments);

/// Reads the flag --device; throws InvalidInput for one that cannot be used. Each rank takes one device of its machine.
Device device_of(const std::string& flag);

class Facts;

inline constexpr auto device_help = "Where matrices are compared: cpu or cuda, which needs a build with CUDA";
inline constexpr auto threads_help = "Number of threads; default: OMP_NUM_THREADS, or all cores";
inline constexpr auto json_help = "Also write the printed facts to this file, as JSON";
inline constexpr auto alpha0_help =
    "Initial values of learned alphas, which the penalty keeps them near: one number, or one for each eigenvalue, "
    "separated by commas; default: 1";
/// The choices of --project that all commands with it have, beside none.
inline constexpr auto subspace_choices =
    "a number of components, auto (their number by cross-validation), start (as auto, but subspaces are computed in "
    "one "
    "step, from class means, and not optimised)";
inline constexpr auto required_gain_help =
    "In cross-validation, adjusted eigenvalues must be better than the plain kernel by this many standard errors of "
    "the "
    "difference, or nothing is adjusted; auto: 0.5 for knn, 1 for svm";
inline constexpr auto scale_help =
    "What to divide the data by before learning: none, unit (geometric mean eigenvalue) or a number";
inline constexpr auto part_help =
    "Which part of a .mat file with train and test data to read: train or test; default: train";

/// Reads the flag --part.
LoadOptions::Part parse_part(const std::string& text);
bool is_mat_file(const std::filesystem::path& file);

/// Checks the flag --threads.
void check_threads(int threads);

/// What the program was called with, to be pasted into a shell; set once, before commands run.
void remember_command_line(int count, char** arguments);
const std::string& command_line();

/// For the page of a result from this file by the command that is running now.
ReportSource source_of(const std::string& data_file);

/// One line per method, and the outcome in a sentence, on standard output.
void print_table(const Evaluation& evaluation);

/// "1 split", "2 splits".
std::string counted(Index count, const std::string& noun);

/// On stderr, a line each.
void print_notes(const std::vector<std::string>& notes);

/// A list of facts, in order, printed as text and written as JSON.
class Facts {
 public:
  void add(const std::string& name, nlohmann::ordered_json value) { facts_[name] = std::move(value); }
  /// What was repaired, if anything.
  void add_repairs(const RepairFlags& repair);
  const nlohmann::ordered_json& all() const { return facts_; }
  void print() const;
  /// Writes nothing if no file was asked for.
  void write(const std::filesystem::path& file) const;

 private:
  nlohmann::ordered_json facts_ = nlohmann::ordered_json::object();
};

/// As JSON, which has no infinity: there it is the text "infinite".
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json rows_of(const Matrix& matrix);

}  // namespace dsk::cli

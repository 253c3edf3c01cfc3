#pragma once

#include <dsk/engine.hpp>
#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/metric.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>

#include "repair_flags.hpp"
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

inline constexpr auto device_help = "Where Stein divergences are computed: cpu or cuda";
inline constexpr auto threads_help = "Number of threads; 0: all cores";
inline constexpr auto json_help = "Also write the printed facts to this file, as JSON";
inline constexpr auto alpha0_help =
    "Where learned alphas start and what the penalty draws them to: a number, or one for each eigenvalue, separated by "
    "commas; without: 1";
inline constexpr auto part_help = "Which part of a .mat file with train and test data to read: train or test";

/// Reads the flag --part.
Part parse_part(const std::string& text);
bool is_mat_file(const std::filesystem::path& file);

/// Checks the flag --threads.
void check_threads(int threads);

/// What the program was called with, to be pasted into a shell; set once, before commands run.
void remember_command_line(int count, char** arguments);
const std::string& command_line();

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

/// The matrices of such a command.
struct PairData {
  Dataset first;
  std::optional<Dataset> second = {};
  bool are_complex = false;  ///< embedded as real ones of twice the size

  const SpdBatch* second_matrices() const { return second ? &second->matrices() : nullptr; }
  /// n, m, d and whether they are complex.
  void add_sizes(Facts& facts) const;
};

/// What every command that reads matrices and computes over their pairs takes.
struct PairCommand {
  std::string x;
  std::string y;
  std::string metric = "stein";
  double zeta = 0.5;
  std::optional<std::string> kernel;
  int threads = 0;
  bool float32 = false;
  std::string device = "cpu";
  std::string labels;
  RepairFlags repair;
  std::string part = "train";
  std::filesystem::path output;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;  ///< the command, once it was added

  /// Returns the option --kernel, for excluding the command's own options beside it.
  CLI::Option* add_to(CLI::App& command);
  /// Before any work: names and numbers that cannot be used, files that could not be written.
  void check() const;
  /// The kernel of --kernel, or nothing without that option.
  std::optional<LearnedKernel> load_learned() const;
  /// Throws InvalidInput if a kernel is given that takes matrices of another size or complex ones, and if one of two
  /// files is complex and the other is not.
  PairData load(const std::optional<LearnedKernel>& learned) const;
  PairOptions pairs() const;
  /// Of Stein divergences: adds the largest condition number and the largest error to expect to the facts. Warns on
  /// stderr where single precision is not enough.
  std::optional<SteinAccuracy> add_accuracy(Facts& facts, const Dataset& first, const std::optional<Dataset>& second,
                                            const std::optional<LearnedKernel>& learned) const;
  /// What the kernel of --kernel is, if there is one.
  void add_learned(Facts& facts, const std::optional<LearnedKernel>& learned) const;
};

/// As JSON, which has no infinity: there it is the text "infinite".
nlohmann::ordered_json json_number(double value);

/// Smallest, median and largest of the entries of a result; with `symmetric`, of those above the diagonal.
void add_range(Facts& facts, const std::string& what, const Matrix& result, bool symmetric);

}  // namespace dsk::cli

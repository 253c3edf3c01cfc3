// The commands that compute over all pairs of matrices: distance and kernel.

#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/metric.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

/// The matrices of a command that computes over their pairs.
struct PairData {
  Dataset first;
  std::optional<Dataset> second = {};
  bool are_complex = false;  ///< embedded as real ones of twice the size

  TablePairs pairs(const std::optional<LearnedKernel>& learned) const {
    return {.x = first.matrices(),
            .y = second ? &second->matrices() : nullptr,
            .learned = learned ? &*learned : nullptr,
            .embedded = are_complex};
  }
  /// n, m, d and whether they are complex.
  void add_sizes(Facts& facts) const;
};

/// What such a command takes.
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
  /// Fills in the options of a command that every such command has.
  template <class Options>
  void set(Options& options) const;
  /// Computes a table of the matrices, writes it, and prints what is known of it. `compute` makes the table; `add` adds
  /// facts about how.
  void write_table(const std::string& progress, const std::string& what,
                   const std::function<PairTable(const TablePairs&)>& compute,
                   const std::function<void(Facts&, const std::optional<LearnedKernel>&)>& add) const;
  /// The range and the accuracy of a table; its warnings go to stderr.
  void add_table(Facts& facts, const std::string& what, const PairTable& table) const;
  /// What the kernel of --kernel is, if there is one.
  void add_learned(Facts& facts, const std::optional<LearnedKernel>& learned) const;
};

Dataset load_for(const std::optional<LearnedKernel>& learned, const std::string& file, const LoadOptions& options) {
  std::optional<Dataset> data;
  together(team(), [&] { data = load(file, options); });
  if (learned && learned->dim() != data->dim())
    throw InvalidInput(
        fmt::format("{}: holds matrices of size {}, but the kernel is for size {}", file, data->dim(), learned->dim()));
  return *std::move(data);
}

CLI::Option* PairCommand::add_to(CLI::App& command) {
  flags = &command;
  command.add_option("X", x, "Matrices (n, d, d): .npz, .npy, .mat or .csv")->required();
  command.add_option("Y", y, "Other matrices; without them, all pairs within X");
  command.add_option("-o,--output", output, "Result: .npy, .npz, .mat or .csv")->required();
  auto* const metric_option =
      command.add_option("--metric", metric, "How matrices are compared: " + metric_choices() + "; default: stein");
  auto* const zeta_option = command.add_option("--zeta", zeta, "Exponent of the power-Euclidean metric; default: 0.5");
  auto* const kernel_option =
      command.add_option("--kernel", kernel, "Learned kernel to use in place of a metric, .dsk");
  kernel_option->excludes(metric_option)->excludes(zeta_option);
  command.add_option("--labels", labels, "Labels of X, .npy or .csv; only their number is checked");
  repair.add_to(command);
  command.add_option("--part", part, part_help);
  command.add_option("--threads", threads, threads_help);
  command.add_flag("--float32", float32,
                   "Compute in single precision: twice the speed, about six digits, for condition numbers below 1e5");
  command.add_option("--device", device, device_help)->capture_default_str();
  command.add_option("--json", json, json_help);
  return kernel_option;
}

void PairCommand::check() const {
  const Metric chosen = read_flag("--metric", [&] { return parse_metric(metric); });
  repair.repair();
  device_of(device);
  check_threads(threads);
  if (!std::isfinite(zeta) || zeta == 0) throw UsageError("--zeta must be a finite number other than 0");
  parse_part(part);
  refuse_idle_flags(*flags, {{{"--zeta"}, chosen == Metric::powereuclidean, "without --metric powereuclidean"},
                             {{"--float32"}, has_single_precision(chosen), "with --metric " + metric},
                             {{"--part"}, is_mat_file(x) || is_mat_file(y), "on a file that is not a .mat file"}});
  check_output_name(output);
  check_files({x, y, labels, kernel.value_or("")}, {output, json});
}

std::optional<LearnedKernel> PairCommand::load_learned() const {
  if (!kernel) return {};
  return load_kernel(*kernel).kernel;
}

PairData PairCommand::load(const std::optional<LearnedKernel>& learned) const {
  const auto load_file = [&](const std::string& file, const std::string& file_labels, bool& is_complex) {
    LoadOptions options{.labels = file_labels,
                        .repair = repair.repair(),
                        .part = parse_part(part),
                        .threads = threads,
                        .on_repair = [&](const Repair::Summary& summary) { repair.report(file, summary); }};
    if (!learned) options.on_complex = [&] { is_complex = true; };
    return load_for(learned, file, options);
  };
  bool x_is_complex = false, y_is_complex = false;
  PairData data{.first = load_file(x, labels, x_is_complex)};
  data.are_complex = x_is_complex;
  if (y.empty()) return data;
  data.second = load_file(y, {}, y_is_complex);
  if (x_is_complex != y_is_complex)
    throw InvalidInput(
        fmt::format("{} holds complex matrices, but {} does not", x_is_complex ? x : y, x_is_complex ? y : x));
  return data;
}

void PairData::add_sizes(Facts& facts) const {
  facts.add("n", first.size());
  if (second) facts.add("m", second->size());
  facts.add("d", are_complex ? first.dim() / 2 : first.dim());
  if (are_complex) facts.add("complex", true);
}

void PairCommand::add_learned(Facts& facts, const std::optional<LearnedKernel>& learned) const {
  if (!learned) return;
  facts.add("learned", *kernel);
  facts.add("adjustment", std::string(name(learned->adjustment().kind)));
}

PairOptions PairCommand::pairs() const {
  PairOptions options;
  options.threads = threads;
  options.device = device_of(device);
  options.precision = float32 ? Precision::float32 : Precision::float64;
  return options;
}

void PairCommand::add_table(Facts& facts, const std::string& what, const PairTable& table) const {
  if (table.range)
    facts.add(
        what,
        {{"smallest", table.range->smallest}, {"median", table.range->median}, {"largest", table.range->largest}});
  if (table.accuracy) {
    facts.add("condition", json_number(table.accuracy->condition));
    facts.add("error", json_number(table.accuracy->error));
  }
  std::vector<std::string> warnings = table.warnings;
  for (std::string& warning : warnings)
    warning = in_flags(std::move(warning),
                       {{"single precision", "--float32"}, {"use double precision", "leave out --float32"}});
  print_notes(warnings);
}

template <class Options>
void PairCommand::set(Options& options) const {
  options.metric = parse_metric(metric);
  options.zeta = zeta;
  options.pairs = pairs();
  options.pairs.team = team();
}

void PairCommand::write_table(const std::string& progress, const std::string& what,
                              const std::function<PairTable(const TablePairs&)>& compute,
                              const std::function<void(Facts&, const std::optional<LearnedKernel>&)>& add) const {
  const auto start = std::chrono::steady_clock::now();
  const std::optional<LearnedKernel> learned = load_learned();
  const PairData data = load(learned);
  Progress line(progress);
  const PairTable table = compute(data.pairs(learned));
  line.end();
  on_rank_zero(team(), [&] { save(table.values, output); });
  Facts facts;
  data.add_sizes(facts);
  facts.add("metric", std::string(name(learned ? learned->metric() : parse_metric(metric))));
  add_learned(facts, learned);
  facts.add_repairs(repair);
  add(facts, learned);
  add_table(facts, what, table);
  facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  facts.add("output", output.string());
  on_rank_zero(team(), [&] { facts.write(json); });
  facts.print();
}

struct Distance : PairCommand {
  bool squared = false;

  void run() const {
    check();
    DistanceOptions options;
    set(options);
    options.squared = squared;
    write_table(
        "distances", squared ? "squared" : "distance",
        [&](const TablePairs& pairs) { return distance_table(pairs, options); },
        [](Facts&, const std::optional<LearnedKernel>&) {});
  }
};

struct Kernel : PairCommand {
  std::optional<double> theta;
  bool allow_indefinite = false;

  void run() const {
    check();
    if (!theta && !kernel) throw UsageError("--theta or --kernel is required");
    KernelOptions options;
    set(options);
    if (theta) options.theta = *theta;
    options.allow_indefinite = allow_indefinite;
    write_table(
        "kernel", "kernel",
        [&](const TablePairs& pairs) {
          return naming_flags({{"allow indefinite kernels", "--allow-indefinite"}},
                              [&] { return kernel_table(pairs, options); });
        },
        [&](Facts& facts, const std::optional<LearnedKernel>& learned) {
          facts.add("theta", learned ? learned->theta() : *theta);
        });
  }
};

}  // namespace

void add_distance(CLI::App& program) {
  auto* const command = program.add_subcommand("distance", "Compute distances between all pairs of matrices");
  const auto task = std::make_shared<Distance>();
  task->add_to(*command);
  command->add_flag("--squared", task->squared, "Write squared distances");
  command->footer(
      "Example: dsk distance train.npz test.npz --metric stein -o D.npy\n"
      "         dsk distance train.npz --kernel k.dsk --squared -o S.npy");
  command->callback([task] { task->run(); });
}

void add_kernel(CLI::App& program) {
  auto* const command =
      program.add_subcommand("kernel", "Compute kernel values exp(-theta d^2) of all pairs of matrices");
  const auto task = std::make_shared<Kernel>();
  auto* const kernel_option = task->add_to(*command);
  auto* const theta_option =
      command->add_option("--theta", task->theta, "theta in exp(-theta d^2); larger is narrower");
  auto* const indefinite_option = command->add_flag("--allow-indefinite", task->allow_indefinite,
                                                    "Allow values for which the kernel need not be positive definite");
  kernel_option->excludes(theta_option)->excludes(indefinite_option);
  command->footer(
      "Example: dsk kernel train.npz --metric stein --theta 1.5 -o K.npy\n"
      "         dsk kernel test.npz train.npz --kernel k.dsk -o K.npy");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

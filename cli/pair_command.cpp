#include <dsk/files.hpp>
#include <dsk/metric.hpp>

#include <fmt/core.h>

#include <cmath>

#include "command.hpp"
#include "files.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

Dataset load_for(const std::optional<LearnedKernel>& learned, const std::string& file, const LoadOptions& options) {
  std::optional<Dataset> data;
  together(team(), [&] { data = load(file, options); });
  if (learned && learned->dim() != data->dim())
    throw InvalidInput(
        fmt::format("{}: holds matrices of size {}, but the kernel is for size {}", file, data->dim(), learned->dim()));
  return *std::move(data);
}

}  // namespace

CLI::Option* PairCommand::add_to(CLI::App& command) {
  flags = &command;
  command.add_option("X", x, "Matrices (n, d, d): .npz, .npy, .mat or .csv")->required();
  command.add_option("Y", y, "Other matrices; without them, all pairs within X");
  command.add_option("-o,--output", output, "Result: .npy, .npz, .mat or .csv")->required();
  auto* const metric_option = command.add_option("--metric", metric, metric_choices());
  auto* const zeta_option = command.add_option("--zeta", zeta, "Exponent of the power-Euclidean metric");
  auto* const kernel_option =
      command.add_option("--kernel", kernel, "Learned kernel to use in place of a metric, .dsk");
  kernel_option->excludes(metric_option)->excludes(zeta_option);
  command.add_option("--labels", labels, "Labels of X, .npy or .csv; their number is checked");
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
                        .on_repair = [&](const RepairSummary& summary) { repair.report(file, summary); }};
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

std::optional<SteinAccuracy> PairCommand::add_accuracy(Facts& facts, const Dataset& first,
                                                       const std::optional<Dataset>& second,
                                                       const std::optional<LearnedKernel>& learned) const {
  if ((learned ? learned->metric() : parse_metric(metric)) != Metric::stein) return {};
  const auto accuracy_of = [&](const SpdBatch& batch) {
    return stein_accuracy(learned ? learned->adjust(batch, threads) : batch, pairs().precision, threads);
  };
  SteinAccuracy accuracy = accuracy_of(first.matrices());
  if (second) {
    const SteinAccuracy other = accuracy_of(second->matrices());
    if (other.condition > accuracy.condition) accuracy = other;
  }
  facts.add("condition", json_number(accuracy.condition));
  facts.add("error", json_number(accuracy.error));
  if (float32 && accuracy.condition > float32_condition_limit)
    print_notes(
        {fmt::format("--float32 is for condition numbers below {:g}, but there is a matrix with {:.2g}: S may "
                     "be off by {:.2g}; leave out --float32",
                     float32_condition_limit, accuracy.condition, accuracy.error)});
  return accuracy;
}

}  // namespace dsk::cli

#include <dsk/report.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "command.hpp"
#include "flags.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

/// FILE of "given:FILE"; empty for the other protocols.
std::string given_file(const std::string& protocol) {
  constexpr std::string_view prefix = "given:";
  return protocol.starts_with(prefix) ? protocol.substr(prefix.size()) : "";
}

Protocol parse_protocol(const std::string& text) {
  const std::string file = given_file(text);
  if (text.starts_with("given:") && file.empty()) throw UsageError("--protocol given:FILE needs the name of a file");
  if (file.empty())
    return read_flag("--protocol", [&] {
      return naming_flags({{"a given split", "given:FILE"}}, [&] { return Protocol::parse(text); });
    });
  try {
    return Protocol::given(load_labels(file));
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    throw InvalidInput(message.starts_with(file) ? message : fmt::format("{}: {}", file, message));
  }
}

std::string accuracy_text(const MethodResult& result) {
  const std::string deviation =
      result.accuracies.size() > 1 ? fmt::format("{:.2f}", 100 * result.accuracy.deviation) : "-";
  return fmt::format("{:>7.2f} +- {:<5}", 100 * result.accuracy.mean, deviation);
}

struct Evaluate {
  LabelledData data;
  SelectionFlags selection;
  std::string methods = "auto,MDM,SK:knn,DSK-auto:knn";
  std::string protocol = "halves:20";
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path page;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;

  void run() const {
    EvaluationOptions options = checked_options();
    const bool complex = std::all_of(options.methods.begin(), options.methods.end(),
                                     [&](const Method& method) { return takes_complex(method, options.selection); });
    const Dataset set = data.load_labelled(threads, complex ? Entries::real_or_complex : Entries::real);
    Progress progress("evaluating");
    options.on_start = [&](const EvaluationOptions::Plan& plan) { announce(set, plan); };
    options.on_progress = [&](const EvaluationOptions::Progress& now) {
      progress.report_progress(fmt::format("{} of {} (split and method)", now.done, now.all), now.share);
      return true;
    };
    const Evaluation evaluation = naming_flags(advised_flags(), [&] { return evaluate(set, options); });
    progress.end();
    print_table(evaluation);
    print_warnings(evaluation.warnings);
    on_rank_zero(team(), [&] {
      if (page.empty()) return;
      report(evaluation, page, source_of(data.x));
      fmt::print("\nreport     {}\n", page.string());
    });
  }

 private:
  EvaluationOptions checked_options() const {
    EvaluationOptions options;
    options.methods = read_flag("--methods", [&] { return Method::parse_list(methods); });
    options.protocol = parse_protocol(protocol);
    options.seed = selection.seed;
    options.selection = selection.options();
    options.selection.pairs.device = device_of(device);
    options.selection.pairs.team = team();
    options.threads = threads;
    options.results_file = json;
    options.repair = data.repair.text();
    options.keep_kernel = !page.empty() || !json.empty();
    check_threads(threads);
    refuse_idle_flags(*flags, rules(options));
    data.check(*flags);
    check_files({data.x, data.labels, given_file(protocol)}, {page, json});
    check_extension(page, "reports", {".html"});
    return options;
  }

  static std::vector<FlagRule> rules(const EvaluationOptions& options) {
    const UsedSettings uses = used_settings(options.methods, options.selection);
    return {
        {{"--neighbours"}, uses.neighbours, "on these methods: none of them is a k-NN classifier"},
        {{"--C"}, uses.svm_cs, "on these methods: none of them is an SVM or linear"},
        {{"--theta"}, uses.theta, "on these methods: none of them has a kernel of a given width"},
        {{"--theta-range"}, uses.theta_range, "on these methods: none of them has a kernel width"},
        {{"--zeta"}, uses.zetas, "on these methods: none of them has the power-Euclidean metric"},
        {{"--scale", "--alpha0", "--required-gain"}, uses.adjusting, "on these methods: none of them learns a kernel"},
        {{"--required-gain"}, !options.selection.penalty, "with a given --penalty"},
        {{"--penalty", "--learn-on"}, uses.learning, "on these methods: none of them learns"}};
  }

  static void announce(const Dataset& set, const EvaluationOptions::Plan& plan) {
    fmt::print("{} of size {} in {}; {}, {}", set.size() == 1 ? "1 matrix" : fmt::format("{} matrices", set.size()),
               set.dim(), fmt::format("{} classes", set.labels().names().size()), counted(plan.splits, "split"),
               counted(plan.methods, "method"));
    if (plan.kernels > 0) fmt::print(", {} to learn", counted(plan.kernels, "kernel"));
    if (plan.finished > 0) fmt::print("; resuming, {} already finished", counted(plan.finished, "result"));
    fmt::print("\n\n");
    std::fflush(stdout);
  }
};

/// What the differences of the table are from.
void print_baselines(const Evaluation& evaluation) {
  std::map<std::string, std::string> methods;
  for (const MethodResult& result : evaluation.methods) {
    if (!result.against) continue;
    std::string& list = methods[evaluation.methods[result.baseline].method.full_name()];
    list += (list.empty() ? "" : ", ") + result.method.full_name();
  }
  std::string text;
  for (const auto& [baseline, others] : methods)
    text += (text.empty() ? "from " : "; from ") + baseline + (methods.size() > 1 ? " for " + others : "");
  if (!methods.empty())
    fmt::print("\nDifferences are {}{}.\n", text, methods.size() > 1 ? " (the baselines)" : " (the baseline)");
}

}  // namespace

void print_table(const Evaluation& evaluation) {
  fmt::print("{:<14} {:>16} {:>9} {:>26} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "method", "accuracy, %", "balanced",
             "difference from baseline", "p", "p (Holm)", "p (t)", "p (W)", "seconds");
  for (const MethodResult& result : evaluation.methods) {
    fmt::print("{:<14} {:>16} {:>9.2f}", result.method.full_name(), accuracy_text(result),
               100 * result.balanced_accuracy.mean);
    if (const auto& against = result.against)
      fmt::print(
          " {:>26} {:>9.3g} {:>9.3g} {:>9.3g} {:>9.3g}",
          fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", 100 * against->difference, 100 * against->low, 100 * against->high),
          against->p, against->holm_p, against->student_p, against->wilcoxon_p);
    else
      fmt::print(" {:>26} {:>9} {:>9} {:>9} {:>9}", "", "", "", "", "");
    fmt::print(" {:>8.1f}\n", result.seconds);
  }
  print_baselines(evaluation);
  fmt::print("\n{}\n\n{}: {}\n", answer(evaluation), protocol_in_words(evaluation), tests_in_words(evaluation));
}

void add_evaluate(CLI::App& program) {
  auto* const command = program.add_subcommand(
      "evaluate", "Compare methods on held-out data; all settings are chosen inside the training parts");
  const auto task = std::make_shared<Evaluate>();
  task->flags = command;
  task->data.add_to(*command);
  task->data.add_groups_flag(*command);
  command
      ->add_option("--methods", task->methods,
                   "Methods to compare, separated by commas (see docs/evaluating.md): " + method_choices())
      ->capture_default_str();
  command
      ->add_option(
          "--protocol", task->protocol,
          "How the data are split for training and testing: halves:N (N times a random half of each class), kfold:N (N "
          "folds, each tested once), loo (each matrix is left out once; of data with groups, each group), logo "
          "(each group is left out once) or given:FILE. Groups are kept together. FILE, .npy or .csv, has train "
          "or test for each matrix, or the number of the split that tests it, -1 for none")
      ->capture_default_str();
  task->selection.add_to(*command);
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, "Save results to this file; an existing file is resumed");
  command->add_option("--report", task->page, "Write a report, .html");
  command->footer("Example: dsk evaluate X.npz --methods SK:knn,DSK-CA-a:knn --protocol halves:20 --report r.html");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

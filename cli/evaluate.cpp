#include <dsk/report.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "command.hpp"
#include "evaluation_file.hpp"
#include "evaluation_table.hpp"
#include "files.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "selection_flags.hpp"

namespace dsk::cli {
namespace {

/// The results so far, kept in a file while they come.
class ResultKeeper {
 public:
  ResultKeeper(std::filesystem::path file, nlohmann::ordered_json settings)
      : file_(std::move(file)), kept_{{"settings", std::move(settings)}, {"splits", nlohmann::ordered_json::array()}} {}

  void add(const SplitResult& result) { kept_["splits"].push_back(as_json(result)); }
  /// The first at once, then at most once a second: with many small splits writing would take longer than computing.
  void write_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - written_ < std::chrono::seconds(1)) return;
    write();
    written_ = std::chrono::steady_clock::now();
  }
  void write() const {
    if (!file_.empty()) save_text(kept_.dump() + "\n", file_);
  }
  /// `others`: of methods that are not asked for now.
  void finish(const Evaluation& evaluation, const std::vector<SplitResult>& others) {
    kept_["splits"] = nlohmann::ordered_json::array();
    for (const SplitResult& result : evaluation.results) add(result);
    for (const SplitResult& result : others) add(result);
    kept_["methods"] = nlohmann::ordered_json::array();
    for (const MethodResult& result : evaluation.methods)
      kept_["methods"].push_back(as_json(result, evaluation.methods[result.baseline].method.full_name()));
    write();
  }

 private:
  std::filesystem::path file_;
  nlohmann::ordered_json kept_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now() - std::chrono::seconds(1);
};

/// FILE of "given:FILE"; empty for the other protocols.
std::string given_file(const std::string& protocol) {
  constexpr std::string_view prefix = "given:";
  return protocol.starts_with(prefix) ? protocol.substr(prefix.size()) : "";
}

Protocol parse_protocol(const std::string& text) {
  const std::string file = given_file(text);
  if (file.empty()) return Protocol::parse(text);
  try {
    return Protocol::given(load_labels(file));
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    throw InvalidInput(message.starts_with(file) ? message : fmt::format("{}: {}", file, message));
  }
}

struct Evaluate {
  LabelledData data;
  SelectionFlags selection;
  std::string methods = "SK:knn,DSK-auto:knn";
  std::string protocol = "halves:20";
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path report;
  std::filesystem::path json;

  void run() const {
    EvaluationOptions options;
    options.methods = Method::parse_list(methods);
    options.protocol = parse_protocol(protocol);
    options.seed = selection.seed;
    options.selection = selection.options();
    options.selection.pairs.team = team();
    options.threads = threads;
    options.selection.pairs.device = device_of(device);
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    data.check();
    check_files({data.x, data.labels, given_file(protocol)}, {report, json});

    const Dataset set = data.load_labelled(threads);
    const auto settings = evaluation_settings(set, options, data.repair);
    if (!json.empty()) options.finished = known_results(settings);
    const std::vector<SplitResult> others = taken_out_others(options);
    const auto splits = static_cast<Index>(make_splits(set, options.protocol, options.seed).size());
    announce(set, options, splits);

    ResultKeeper keeper(json, settings);
    for (const SplitResult& result : options.finished) keeper.add(result);
    for (const SplitResult& result : others) keeper.add(result);
    Progress progress("evaluating");
    const Index all = splits * static_cast<Index>(options.methods.size());
    Index done = 0;
    options.on_result = [&](const SplitResult& result) {
      keeper.add(result);
      keeper.write_now_and_then();
      progress.tell(
          fmt::format("{} of {} (split and method)", ++done + static_cast<Index>(options.finished.size()), all));
      return true;
    };
    const Evaluation evaluation = evaluate(set, options);
    at_first(team(), [&] { keeper.finish(evaluation, others); });
    progress.end();
    print_table(evaluation);
    at_first(team(), [&] {
      if (report.empty()) return;
      save_text(evaluation_page(set, evaluation, options, as_list(settings)), report);
      fmt::print("\nreport     {}\n", report.string());
    });
  }

 private:
  /// Read by rank 0 for all: while others still read, it might already write.
  std::vector<SplitResult> known_results(const nlohmann::ordered_json& settings) const {
    if (team() == nullptr) return finished_results(json, settings);
    nlohmann::ordered_json known = nlohmann::ordered_json::array();
    at_first(team(), [&] {
      for (const SplitResult& result : finished_results(json, settings)) known.push_back(as_json(result));
    });
    known = nlohmann::ordered_json::parse(team()->gather(known.dump()).front());
    std::vector<SplitResult> results;
    for (const auto& one : known) results.push_back(result_from(one));
    return results;
  }

  /// Takes the finished results of methods that are not asked for out of the options.
  static std::vector<SplitResult> taken_out_others(EvaluationOptions& options) {
    const auto first =
        std::stable_partition(options.finished.begin(), options.finished.end(), [&](const SplitResult& result) {
          return std::any_of(options.methods.begin(), options.methods.end(),
                             [&](const Method& method) { return method.full_name() == result.method; });
        });
    std::vector<SplitResult> others(first, options.finished.end());
    options.finished.erase(first, options.finished.end());
    return others;
  }

  static void announce(const Dataset& set, const EvaluationOptions& options, Index splits) {
    Index kernels = 0;
    for (const Method& method : options.methods) kernels += kernels_to_learn(method, options.selection);
    fmt::print("{} matrices of size {} in {} classes; {} splits, {} methods", set.size(), set.dim(),
               set.labels().names().size(), splits, options.methods.size());
    if (kernels > 0) fmt::print(", {} kernels to learn", kernels * splits);
    if (!options.finished.empty()) fmt::print("; {} results are there already", options.finished.size());
    fmt::print("\n\n");
    std::fflush(stdout);
  }
};

}  // namespace

void add_evaluate(CLI::App& program) {
  auto* const command =
      program.add_subcommand("evaluate", "Compare methods honestly: everything is chosen inside training parts");
  const auto task = std::make_shared<Evaluate>();
  task->data.add_to(*command);
  command
      ->add_option("--methods", task->methods,
                   "AIRM, CHK, EUK, LEK, PEK, SK, DSK-{KA,CS,RM,TM,CA,NN}-{p,c,a} or DSK-auto, each with :knn or :svm")
      ->capture_default_str();
  command
      ->add_option(
          "--protocol", task->protocol,
          "halves:N, kfold:N, loo or given:FILE; groups are kept together. FILE, .npy or .csv, says train or test "
          "of each matrix, or the number of the split that scores it")
      ->capture_default_str();
  task->selection.add_to(*command);
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, "Keep all results here; if it is there, go on where it ends");
  command->add_option("--report", task->report, "A page to look at, .html");
  command->footer("Example: dsk evaluate X.npz --methods SK:knn,DSK-CA-a:knn --protocol halves:20 --report r.html");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/learn.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "alpha_bars.hpp"
#include "command.hpp"
#include "files.hpp"
#include "labelled_data.hpp"
#include "number_or_auto.hpp"
#include "progress.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Learn {
  LabelledData data;
  std::string criterion = "alignment";
  std::string adjust = "power";
  std::string theta = "auto";
  std::string c = "auto";
  std::string penalty = "auto";
  std::string scale = "none";
  std::string classifier = "knn";
  bool allow_indefinite = false;
  int max_iterations = 100;
  double tolerance = 1e-5;
  Index folds = 5;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path output;
  std::filesystem::path json;

  void run() const {
    FitOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const Dataset train = data.load_labelled(threads);
    Progress progress("learning");
    Facts facts;
    facts.add("n", train.size());
    facts.add("d", train.dim());
    facts.add("criterion", std::string(name(options.criterion)));
    facts.add("adjustment", std::string(name(options.adjustment)));
    if (const auto given = number_or_auto("--penalty", penalty)) {
      options.penalty = *given;
    } else {
      options.penalty = chosen_penalty(train, options, facts, progress);
    }
    options.on_iteration = [&](const Iteration& iteration) {
      progress.tell(fmt::format("iteration {}, objective {:.6g}", iteration.number, iteration.objective));
      return true;
    };
    const LearnResult result = fit_kernel(train, options);
    at_first(team(), [&] { save(saved(result, options, train), output); });
    add(facts, result, options);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    at_first(team(), [&] { facts.write(json); });
    progress.end();
    print(facts, result.kernel.adjustment());
  }

 private:
  FitOptions checked_options() const {
    FitOptions options;
    options.criterion = parse_criterion(criterion);
    options.adjustment = parse_adjustment(adjust);
    options.theta = number_or_auto("--theta", theta);
    options.c = number_or_auto("--C", c);
    options.allow_indefinite = allow_indefinite;
    number_or_auto("--penalty", penalty);
    options.scale = Scale::parse(scale);
    options.max_iterations = max_iterations;
    options.tolerance = tolerance;
    options.pairs.threads = threads;
    options.pairs.device = device_of(device);
    options.pairs.team = team();
    if (folds < 2) throw InvalidInput(fmt::format("--folds {} must be 2 or more", folds));
    if (threads < 0) throw InvalidInput("--threads must be 0 or more");
    if (options.c && !has_soft_margin(options.criterion))
      throw InvalidInput(fmt::format("--C is for the margin criteria; {} has none", name(options.criterion)));
    parse_classifier(classifier);
    data.check();
    check_model_name(output);
    check_files({data.x, data.labels}, {output, json});
    return options;
  }

  double chosen_penalty(const Dataset& train, const FitOptions& options, Facts& facts, Progress& progress) const {
    PenaltySearch search;
    search.classifier = parse_classifier(classifier);
    search.folds = folds;
    search.seed = seed;
    search.on_progress = [&](int done, int total) {
      progress.tell(fmt::format("cross-validation, kernel {} of {}", done, total));
      return true;
    };
    const PenaltyChoice choice = choose_penalty(train, options, search);
    nlohmann::ordered_json scores = nlohmann::ordered_json::array();
    for (const PenaltyScore& score : choice.scores)
      scores.push_back(
          {{"penalty", json_number(score.penalty)}, {"accuracy", score.accuracy}, {"setting", score.setting}});
    facts.add("cross_validation",
              {{"classifier", classifier}, {"folds", choice.folds}, {"seed", seed}, {"scores", scores}});
    return choice.best.penalty;
  }

  static SavedKernel saved(const LearnResult& result, const FitOptions& options, const Dataset& train) {
    KernelOrigin origin;
    origin.criterion = name(options.criterion);
    origin.value = result.fit.criterion;
    origin.c = result.fit.c;
    origin.penalty = options.penalty;
    origin.iterations = result.fit.iterations;
    origin.stop = name(result.fit.stop);
    origin.history = result.fit.history;
    origin.samples = train.size();
    origin.classes = train.labels().names();
    return {result.kernel, std::move(origin)};
  }

  static void add(Facts& facts, const LearnResult& result, const FitOptions& options) {
    const EigenvalueAdjustment& adjustment = result.kernel.adjustment();
    facts.add("theta", result.kernel.theta());
    facts.add("C", has_soft_margin(options.criterion) ? nlohmann::ordered_json(result.fit.c) : nullptr);
    facts.add("penalty", json_number(options.penalty));
    facts.add("scale", adjustment.scale);
    facts.add("alpha", std::vector<double>(adjustment.alpha.begin(), adjustment.alpha.end()));
    facts.add("beta", std::vector<double>(adjustment.beta.begin(), adjustment.beta.end()));
    facts.add("history", result.fit.history);
    facts.add("value", result.fit.criterion);
    facts.add("iterations", result.fit.iterations);
    facts.add("evaluations", result.fit.evaluations);
    facts.add("stop", std::string(name(result.fit.stop)));
  }

  static void print(const Facts& facts, const EigenvalueAdjustment& adjustment) {
    const nlohmann::ordered_json& known = facts.all();
    fmt::print("{} matrices of size {}, criterion {}, adjustment {}\n\n", known["n"].dump(), known["d"].dump(),
               known["criterion"].get<std::string>(), known["adjustment"].get<std::string>());
    if (known.contains("cross_validation")) print_scores(known["cross_validation"], known["penalty"]);
    const auto history = known["history"].get<std::vector<double>>();
    fmt::print("theta      {:.6g}\n", known["theta"].get<double>());
    if (!known["C"].is_null()) fmt::print("C          {:.6g}\n", known["C"].get<double>());
    fmt::print("objective  {:.6g} for the plain Stein kernel, {:.6g} for the learned one\n", history.front(),
               history.back());
    fmt::print("stopped    {} after {} iterations ({} evaluations), {:.2f} s\n", known["stop"].get<std::string>(),
               known["iterations"].dump(), known["evaluations"].dump(), known["seconds"].get<double>());
    if (adjustment.is_none())
      fmt::print("\nNothing is adjusted: this is the plain Stein kernel.\n");
    else
      fmt::print("\n{}", alpha_bars(adjustment));
    fmt::print("\nsaved      {}\n", known["output"].get<std::string>());
  }

  static void print_scores(const nlohmann::ordered_json& validation, const nlohmann::ordered_json& chosen) {
    fmt::print("penalty    by {}-fold cross-validation with {}, % right\n", validation["folds"].dump(),
               validation["classifier"].get<std::string>());
    for (const auto& score : validation["scores"]) {
      const auto& penalty = score["penalty"];
      fmt::print("{:>16}  {:5.1f}{}\n",
                 penalty.is_string() ? "no adjustment" : fmt::format("{:.3g}", penalty.get<double>()),
                 100 * score["accuracy"].get<double>(), penalty == chosen ? "  <" : "");
    }
    fmt::print("\n");
  }
};

}  // namespace

void add_learn(CLI::App& program) {
  auto* const command = program.add_subcommand("learn", "Learn the discriminative Stein kernel from labelled matrices");
  const auto task = std::make_shared<Learn>();
  task->data.add_to(*command);
  command->add_option("-o,--output", task->output, "The learned kernel, .dsk")->required();
  command
      ->add_option("--criterion", task->criterion,
                   "alignment, separability, radius-margin, trace-margin, centred or neighbour")
      ->capture_default_str();
  command->add_option("--adjust", task->adjust, "power, coefficient or affine")->capture_default_str();
  command->add_option("--theta", task->theta, "Width of the kernel, or auto: the best by the criterion")
      ->capture_default_str();
  command->add_option("--C", task->c, "Where C of the margin criteria starts, or auto")->capture_default_str();
  command->add_option("--penalty", task->penalty, "Weight of |alpha - 1|^2, or auto: by cross-validation inside X")
      ->capture_default_str();
  command->add_option("--scale", task->scale, "Divide the data by: none, unit (geometric mean eigenvalue) or a number")
      ->capture_default_str();
  command->add_option("--classifier", task->classifier, "What scores the penalties: knn or svm")->capture_default_str();
  command->add_option("--folds", task->folds, "Folds of the cross-validation")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of the folds")->capture_default_str();
  command->add_option("--max-iterations", task->max_iterations, "Iterations of the optimiser")->capture_default_str();
  command->add_option("--tolerance", task->tolerance, "Relative change of the objective at which to stop")
      ->capture_default_str();
  command->add_flag("--allow-indefinite", task->allow_indefinite, "Take a theta that is not valid for every sample");
  command->add_option("--threads", task->threads, "Threads to use; 0: all cores");
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, "Also write the facts to this file");
  command->footer("Example: dsk learn train.npz --criterion centred --adjust affine -o k.dsk");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

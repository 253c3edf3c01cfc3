#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "labelled_data.hpp"
#include "learned_table.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

nlohmann::ordered_json scores_of(const PenaltyChoice& choice) {
  nlohmann::ordered_json scores = nlohmann::ordered_json::array();
  for (const PenaltyChoice::Score& score : choice.scores)
    scores.push_back(
        {{"penalty", json_number(score.penalty)}, {"accuracy", score.accuracy}, {"setting", score.neighbours_or_c}});
  return scores;
}

nlohmann::ordered_json scores_of(const std::vector<Learned::Components>& scores) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Learned::Components& score : scores)
    rows.push_back(
        {{"components", score.components}, {"accuracy", score.accuracy}, {"standard_error", score.standard_error}});
  return rows;
}

struct Learn {
  LabelledData data;
  std::string metric = "stein";
  std::string zeta = "auto";
  std::string criterion = "alignment";
  std::string adjust = "power";
  std::string theta = "auto";
  std::string c = "auto";
  std::string penalty = "auto";
  std::string project = "none";
  std::string recentre = "none";
  std::string theta_range = "auto";
  std::string scale = "none";
  std::vector<double> alpha0 = {};
  std::string classifier = "knn";
  std::string required_gain = "auto";
  bool allow_indefinite = false;
  int max_iterations = 100;
  double tolerance = 1e-5;
  Index learn_on = 0;
  Index batch = 0;
  Index choose_on = LearnOptions().choose_on;
  Index folds = 5;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path output;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;

  void run() const {
    LearnOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const Dataset set = data.load_labelled(threads);
    Progress progress("learning");
    options.on_kernel = [&](int done, int total) {
      progress.report_progress(fmt::format("cross-validation, kernel {} of {}", done, total),
                               static_cast<double>(done) / (total + 1));
      return true;
    };
    options.fit.on_iteration = [&](const Fit::Iteration& iteration) {
      progress.report_progress(fmt::format("iteration {}, objective {:.6g}", iteration.number, iteration.objective));
      return true;
    };
    const Learned learned = naming_flags(advised_flags(), [&] { return learn(set, options); });
    on_rank_zero(team(), [&] { save(learned, output); });
    Facts facts = described(learned, set);
    facts.add_repairs(data.repair);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    on_rank_zero(team(), [&] { facts.write(json); });
    progress.end();
    print_warnings(learned.warnings);
    print_learned(facts, learned.kernel.kernel.adjustment());
  }

 private:
  LearnOptions checked_options() const {
    LearnOptions options;
    options.fit.metric = read_flag("--metric", [&] { return parse_metric(metric); });
    if (!is_learnable(options.fit.metric))
      throw UsageError(
          fmt::format("kernels by --metric {} cannot be learned; use one of {}", metric, learnable_metric_choices()));
    options.fit.zeta = number_or_auto("--zeta", zeta);
    options.fit.criterion = read_flag("--criterion", [&] { return parse_criterion(criterion); });
    if (adjusts()) options.fit.adjustment = parse_adjust_flag();
    options.fit.theta = number_or_auto("--theta", theta);
    options.fit.c = number_or_auto("--C", c);
    options.theta_range = read_flag("--theta-range", [&] { return parse_theta_range(theta_range); });
    if (allow_indefinite && options.theta_range == ThetaRange::valid)
      throw UsageError(
          "--allow-indefinite is the same as --theta-range any: it cannot be used with --theta-range valid");
    if (allow_indefinite) options.theta_range = ThetaRange::any;
    options.penalty = adjusts() ? number_or_auto("--penalty", penalty) : std::numeric_limits<double>::infinity();
    options.fit.alpha0 = alpha0;
    options.fit.scale = read_flag("--scale", [&] { return Scale::parse(scale); });
    read_transforms(options);
    options.fit.max_iterations = max_iterations;
    options.fit.tolerance = tolerance;
    options.classifier = read_flag("--classifier", [&] { return parse_classifier(classifier); });
    options.required_gain = number_or_auto("--required-gain", required_gain);
    options.folds = folds;
    options.seed = seed;
    options.learn_on = learn_on;
    check_batch(options.fit);
    options.fit.batch = batch;
    options.fit.batch_seed = seed;
    options.choose_on = choose_on;
    options.fit.pairs = {.threads = threads, .device = device_of(device), .team = team()};
    if (folds < 2) throw UsageError(fmt::format("--folds {} must be 2 or more", folds));
    if (learn_on < 0) throw UsageError(fmt::format("--learn-on {} must be 0 or more", learn_on));
    if (choose_on < 0 || choose_on == 1)
      throw UsageError(fmt::format("--choose-on {} must be 2 or more, or 0: all matrices", choose_on));
    if (options.required_gain && !std::isfinite(*options.required_gain))
      throw UsageError("--required-gain must be a finite number");
    check_threads(threads);
    if (options.fit.c && !has_soft_margin(options.fit.criterion))
      throw UsageError(fmt::format("--C is for the margin criteria; {} has none", name(options.fit.criterion)));
    refuse_idle_flags(*flags,
                      {{{"--penalty", "--alpha0", "--scale"}, adjusts(), "with --adjust none"},
                       {{"--required-gain"}, !options.penalty, "with --adjust none or a given --penalty"},
                       {{"--classifier"},
                        !options.penalty || options.choose_components,
                        "with --adjust none or a given --penalty, except to choose the number of components"},
                       {{"--choose-on"},
                        batch > 0 && (!options.penalty || options.choose_components),
                        "unless --batch is given and something is chosen by cross-validation"},
                       {{"--zeta"}, options.fit.metric == Metric::powereuclidean, "without --metric powereuclidean"}});
    data.check(*flags);
    check_model_name(output);
    check_files({data.x, data.labels}, {output, json});
    return options;
  }

  void check_batch(const FitOptions& fit) const {
    if (flags->count("--batch") == 0) return;
    if (batch < 2) throw UsageError(fmt::format("--batch {} must be 2 or more", batch));
    if (has_soft_margin(fit.criterion))
      throw UsageError(
          fmt::format("--batch cannot learn by the criterion {}, which is not a sum over pairs; use one of {}",
                      name(fit.criterion), pair_criterion_choices()));
    if (device != "cpu")
      throw UsageError(fmt::format("--batch works on the CPU; it cannot be used with --device {}", device));
  }

  bool adjusts() const { return adjust != "none"; }

  Adjustment parse_adjust_flag() const {
    try {
      return parse_adjustment(adjust);
    } catch (const InvalidInput& error) {
      throw UsageError(fmt::format("--adjust: {}, or none", error.what()));
    }
  }

  /// A kernel has one subspace, and one mean for all groups.
  void read_transforms(LearnOptions& options) const {
    const Projecting projecting =
        read_flag("--project", [&] { return Projecting::parse(project == "0" ? "none" : project); });
    if (projecting.kind == Projecting::Kind::ladder)
      throw UsageError("--project ladder makes several kernels; use dsk train --project ladder");
    options.fit.components = projecting.components;
    options.choose_components =
        projecting.kind == Projecting::Kind::automatic || projecting.kind == Projecting::Kind::start;
    if (projecting.kind == Projecting::Kind::start) options.fit.subspace_iterations = 0;
    const Recentring recentring = read_flag("--recentre", [&] { return parse_recentring(recentre); });
    if (recentring == Recentring::groups)
      throw UsageError("--recentre groups is not part of a kernel; use dsk train --recentre groups");
    options.fit.recentre = recentring == Recentring::all;
  }

  Facts described(const Learned& learned, const Dataset& set) const {
    const auto& [kernel, origin] = learned.kernel;
    const EigenvalueAdjustment& adjustment = kernel.adjustment();
    const bool has_c = has_soft_margin(parse_criterion(origin.criterion));
    Facts facts;
    facts.add("n", set.size());
    facts.add("d", set.dim());
    facts.add("metric", std::string(name(kernel.metric())));
    if (kernel.metric() == Metric::powereuclidean) facts.add("zeta", kernel.zeta());
    facts.add("criterion", origin.criterion);
    const bool projects = kernel.result_dim() < kernel.dim();
    if (projects) facts.add("components", kernel.result_dim());
    if (projects) {
      const auto& projection = std::get<Projection>(kernel.transform().steps().front());
      facts.add("projection", rows_of(projection.w));
      facts.add("patterns", rows_of(spatial_patterns(projection, set.matrices(), set.weights())));
      if (!set.channels().empty()) facts.add("channels", set.channels());
    }
    if (!learned.by_components.empty()) facts.add("by_components", scores_of(learned.by_components));
    facts.add("recentre", recentre);
    facts.add("adjustment", adjusts() ? std::string(name(adjustment.kind)) : "none");
    if (learned.validation)
      facts.add("cross_validation", {{"classifier", classifier},
                                     {"folds", learned.validation->folds},
                                     {"seed", seed},
                                     {"matrices", learned.validation->matrices},
                                     {"required_gain", learned.validation->required_gain},
                                     {"scores", scores_of(*learned.validation)}});
    facts.add("theta", kernel.theta());
    facts.add("C", has_c ? nlohmann::ordered_json(origin.c) : nullptr);
    facts.add("penalty", json_number(origin.penalty));
    if (!alpha0.empty()) facts.add("alpha0", alpha0);
    facts.add("scale", adjustment.scale);
    facts.add("alpha", std::vector<double>(adjustment.alpha.begin(), adjustment.alpha.end()));
    facts.add("beta", std::vector<double>(adjustment.beta.begin(), adjustment.beta.end()));
    facts.add("history", origin.history);
    facts.add("value", origin.value);
    if (const std::optional<Fit::Blocks>& blocks = learned.fit.blocks)
      facts.add("batch", {{"size", blocks->size},
                          {"seed", seed},
                          {"learned_on", blocks->learned_on},
                          {"evaluated_on", blocks->evaluated_on},
                          {"standard_error", json_number(blocks->standard_error)}});
    facts.add("iterations", origin.iterations);
    facts.add("evaluations", learned.fit.evaluations);
    facts.add("stop", origin.stop);
    return facts;
  }
};

}  // namespace

void add_learn(CLI::App& program) {
  auto* const command = program.add_subcommand(
      "learn", "Learn a kernel that separates the classes, by adjusting the eigenvalues of labelled matrices");
  const auto task = std::make_shared<Learn>();
  task->flags = command;
  task->data.add_to(*command);
  task->data.add_groups_flag(*command);
  command->add_option("-o,--output", task->output, "Where to save the learned kernel, .dsk")->required();
  command->add_option("--metric", task->metric, "How matrices are compared: " + learnable_metric_choices())
      ->capture_default_str();
  command->add_option("--zeta", task->zeta, "Exponent of the power-Euclidean metric, or auto: learned with the rest")
      ->capture_default_str();
  command->add_option("--criterion", task->criterion, "What to optimise: " + criterion_choices())
      ->capture_default_str();
  command
      ->add_option("--adjust", task->adjust,
                   "How to adjust eigenvalues: " + adjustment_choices() + ", or none: learn theta and a subspace only")
      ->capture_default_str();
  command
      ->add_option("--theta", task->theta,
                   "theta in exp(-theta d^2), larger is narrower; or auto: the best by the criterion")
      ->capture_default_str();
  command
      ->add_option("--C", task->c,
                   "Initial C of the criteria radius-margin and trace-margin, or auto: the best by the criterion")
      ->capture_default_str();
  command
      ->add_option("--project", task->project,
                   fmt::format("Learn a subspace first, by centred alignment, and adjust eigenvalues there by "
                               "--criterion: {} or none",
                               subspace_choices))
      ->capture_default_str();
  command
      ->add_option("--recentre", task->recentre,
                   "Move the mean of the training matrices to the identity matrix first: none or all")
      ->capture_default_str();
  command
      ->add_option("--theta-range", task->theta_range,
                   "Which values of theta are allowed: valid (those for which the kernel is positive definite), any "
                   "(above 0) or auto. auto is any for the criteria centred and neighbour without --theta, otherwise "
                   "valid")
      ->capture_default_str();
  command
      ->add_option(
          "--penalty", task->penalty,
          "Weight of the penalty |alpha - alpha0|^2, which keeps learned alphas near alpha0: a number, inf (adjust "
          "nothing) or auto (by cross-validation)")
      ->capture_default_str();
  command->add_option("--alpha0", task->alpha0, alpha0_help)->delimiter(',');
  command->add_option("--scale", task->scale, scale_help)->capture_default_str();
  command->add_option("--classifier", task->classifier, "Classifier that scores the penalties: knn or svm")
      ->capture_default_str();
  command->add_option("--required-gain", task->required_gain, required_gain_help)->capture_default_str();
  command->add_option("--learn-on", task->learn_on, "Learn from a balanced sample of this many matrices; 0: from all")
      ->capture_default_str();
  command->add_option("--batch", task->batch,
                      "Estimate the criterion over random blocks of this many matrices, for training sets too large "
                      "for all pairs; CPU only, not for the margin criteria");
  command
      ->add_option("--choose-on", task->choose_on,
                   "With --batch: cross-validate on a balanced sample of this many matrices")
      ->capture_default_str();
  command->add_option("--folds", task->folds, "Number of cross-validation folds")->capture_default_str();
  command->add_option("--seed", task->seed, "Seed of the folds and of the blocks")->capture_default_str();
  command->add_option("--max-iterations", task->max_iterations, "Maximum number of iterations")->capture_default_str();
  command->add_option("--tolerance", task->tolerance, "Relative change of the objective at which to stop")
      ->capture_default_str();
  command->add_flag(
      "--allow-indefinite", task->allow_indefinite,
      "The same as --theta-range any: allow a --theta for which the kernel need not be positive definite");
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, json_help);
  command->footer(
      "Example: dsk learn train.npz --criterion centred --adjust affine -o k.dsk\n"
      "         dsk learn million.npy --labels y.npy --criterion centred --batch 1000 -o k.dsk");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

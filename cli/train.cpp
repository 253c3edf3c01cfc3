#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "command.hpp"
#include "flags.hpp"
#include "labelled_data.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "trained_text.hpp"
#include "usage.hpp"

namespace dsk::cli {
namespace {

/// What was chosen, and the best of the others.
void add_candidates(Facts& facts, const std::vector<CandidateScore>& candidates) {
  constexpr std::size_t most = 6;
  facts.add("chosen", candidates.front().name);
  nlohmann::ordered_json runners_up = nlohmann::ordered_json::array();
  for (std::size_t k = 1; k < std::min(most, candidates.size()); ++k)
    runners_up.push_back({{"accuracy", candidates[k].accuracy},
                          {"standard_error", candidates[k].standard_error},
                          {"name", candidates[k].name}});
  facts.add("candidates", candidates.size());
  facts.add("runners_up", runners_up);
}

Facts described(const Trained& trained, const Dataset& data) {
  const ChosenMethod& chosen = trained.chosen;
  const Model& model = trained.model.model;
  Facts facts;
  facts.add("n", data.size());
  facts.add("d", data.dim());
  facts.add("classes", data.labels().names().size());
  facts.add("classifier", std::string(kind(model)));
  if (chosen.candidates.empty()) facts.add("metric", std::string(name(chosen.comparison.metric)));
  if (chosen.comparison.learned) {
    const EigenvalueAdjustment& adjustment = chosen.comparison.learned->adjustment();
    facts.add("adjustment", std::string(name(adjustment.kind)));
    facts.add("alpha", std::vector<double>(adjustment.alpha.begin(), adjustment.alpha.end()));
    if (chosen.fit) facts.add("penalty", json_number(chosen.penalty));
    facts.add("theta", chosen.comparison.learned->theta());
  }
  if (chosen.combined) {
    nlohmann::ordered_json weights;
    for (const CombinedKernel::Share& one : chosen.combined->shares()) weights[one.name] = one.weight;
    facts.add("kernels", weights);
  }
  if (const auto* svm = std::get_if<SvmClassifier>(&model)) {
    if (svm->combined() == nullptr) facts.add("theta", svm->theta());
    facts.add("C", chosen.neighbours_or_c);
    facts.add("support", svm->support().size());
    if (svm->smallest_eigenvalue()) facts.add("smallest_eigenvalue", *svm->smallest_eigenvalue());
  } else if (kind(model) == name(Classifier::knn)) {
    if (const auto* features = std::get_if<NystromKnn>(&model)) facts.add("theta", features->map().theta());
    facts.add("neighbours", static_cast<Index>(chosen.neighbours_or_c));
  }
  if (trained.validated) facts.add("validated", chosen.validation_accuracy);
  if (!chosen.candidates.empty()) add_candidates(facts, chosen.candidates);
  return facts;
}

/// What the model projects to, and how the number of components was chosen.
void add_subspaces(Facts& facts, const Trained& trained, const Dataset& data, int threads) {
  nlohmann::ordered_json scores = nlohmann::ordered_json::array(), subspaces = nlohmann::ordered_json::array();
  for (const CandidateScore& one : trained.chosen.by_components)
    scores.push_back({{"components", one.components},
                      {"accuracy", one.accuracy},
                      {"standard_error", one.standard_error},
                      {"name", one.name}});
  if (!scores.empty()) facts.add("by_components", scores);
  for (const Trained::Subspace& one : subspaces_of(trained.model.model, data, threads))
    subspaces.push_back({{"components", one.projection.result_dim()},
                         {"projection", rows_of(one.projection.w)},
                         {"patterns", rows_of(one.patterns)}});
  if (subspaces.empty()) return;
  facts.add("subspaces", subspaces);
  if (!data.channels().empty()) facts.add("channels", data.channels());
}

void add_approximation(Facts& facts, const Trained::Nystrom& details, const SavedModel::Origin::Approximation& origin) {
  const std::optional<double> error = details.options.error;
  facts.add("approximation", "nystrom");
  facts.add("landmarks", origin.landmarks);
  facts.add("landmark_choice", origin.choice);
  facts.add("chosen_on", origin.chosen_on);
  facts.add("residual_share", origin.residual_share);
  if (error) {
    facts.add("error", *error);
    facts.add("error_reached", origin.landmarks < details.options.landmarks || origin.residual_share <= *error);
  }
  if (details.unfinished > 0) facts.add("unfinished_machines", details.unfinished);
  const ApproximationCheck& check = *details.check;
  facts.add("kernel_error", {{"mean", check.mean_error}, {"largest", check.largest_error}});
  facts.add("sample", {{"trained_on", check.trained_on},
                       {"predicted", check.predicted},
                       {"exact", check.exact},
                       {"approximate", check.approximate},
                       {"agreement", check.agreement}});
}

struct Train {
  LabelledData data;
  SelectionFlags selection;
  ApproximationFlags approximation;
  std::optional<std::string> classifier;
  std::optional<std::string> metric;
  std::optional<std::string> kernel;
  std::optional<std::string> criterion;
  std::string adjust = "power";
  std::string margin = "linear";
  bool balanced = false;
  bool probabilities = false;
  int threads = 0;
  std::string device = "cpu";
  std::filesystem::path output;
  std::filesystem::path json;
  const CLI::App* flags = nullptr;

  void run() const {
    TrainOptions options = checked_options();
    const auto start = std::chrono::steady_clock::now();
    const Dataset set = data.load_labelled(
        threads, takes_complex(options.method, options.selection) ? Entries::real_or_complex : Entries::real);
    if (kernel && !combines()) options.kernel = load_kernel(*kernel).kernel;
    Progress progress("training");
    const Trained trained = naming_flags(advised_flags(), [&] { return train(set, options); });
    on_rank_zero(team(), [&] { save(trained, output); });
    progress.end();
    Facts facts = described(trained, set);
    add_subspaces(facts, trained, set, threads);
    if (trained.nystrom) add_approximation(facts, *trained.nystrom, *trained.model.origin.approximation);
    facts.add_repairs(data.repair);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    on_rank_zero(team(), [&] { facts.write(json); });
    print_warnings(trained.warnings);
    print_trained(facts);
  }

 private:
  TrainOptions checked_options() const {
    TrainOptions options;
    options.selection = selection.options();
    options.selection.svm.margin = read_flag("--margin", [&] { return parse_margin(margin); });
    options.selection.svm.balanced = balanced;
    options.selection.pairs = {.threads = threads, .device = device_of(device), .team = team()};
    options.probabilities = probabilities;
    options.repair = data.repair.text();
    if (approximation.asked()) {
      options.nystrom = approximation.options();
      options.choose_on = approximation.choose_on;
      if (options.selection.pairs.device != Device::cpu)
        throw UsageError("--approximate works on the CPU; it cannot be used with --device");
    }
    options.method = complete(parts(), options);
    check_threads(threads);
    if (kernel && !combines() && !kernel->ends_with(".dsk") && !std::filesystem::exists(*kernel))
      throw UsageError(fmt::format("--kernel {}: no such file; give a .dsk file of dsk learn, or combined", *kernel));
    refuse_idle_flags(*flags, rules(options));
    const std::string no_kernel = fmt::format("{} has no positive definite", name(options.method.metric));
    checking_flags({{no_kernel, "--metric " + no_kernel},
                    {"the metric ", "--metric "},
                    {"an approximation", "--approximate"},
                    {"a combined kernel", "--kernel combined"},
                    {"a single kernel", "a single kernel, such as --metric stein --classifier svm"},
                    {"probabilities", "--probabilities"},
                    {"the theta range any", "--theta-range any"},
                    {"use it with k-NN", "use it with --classifier knn"},
                    {"is for the SVM", "is for --classifier svm"},
                    {"choose_on", "--choose-on"}},
                   [&] { check_options(options); });
    data.check(*flags);
    check_model_name(output);
    check_files({data.x, data.labels, combines() ? "" : kernel.value_or("")}, {output, json});
    return options;
  }

  MethodParts parts() const {
    MethodParts parts{.combined = combines(), .given_kernel = kernel && !combines()};
    if (classifier) parts.classifier = read_flag("--classifier", [&] { return parse_classifier(*classifier); });
    if (metric) parts.metric = read_flag("--metric", [&] { return parse_metric(*metric); });
    if (criterion)
      parts.learning = Method::Learning{read_flag("--criterion", [&] { return parse_criterion(*criterion); }),
                                        read_flag("--adjust", [&] { return parse_adjustment(adjust); })};
    return parts;
  }

  bool combines() const { return kernel == "combined"; }

  std::vector<FlagRule> rules(const TrainOptions& options) const {
    const UsedSettings uses = used_settings(options);
    const Method& method = options.method;
    const SelectionOptions& chosen = options.selection;
    const bool svm = method.classifier == Classifier::svm, learns = criterion.has_value();
    const bool kernel_classifier = svm || method.classifier == Classifier::knn;
    const bool projects = chosen.project.kind != Projecting::Kind::none;
    const bool moves = projects || chosen.recentre == Recentring::all;
    const std::string with_classifier = "with --classifier " + std::string(name(method.classifier));
    const std::string no_criterion = combines() ? "with --kernel combined" : "without --criterion: nothing is learned";
    return {
        {{"--neighbours"},
         uses.neighbours,
         combines() ? "with --kernel combined, which is for the SVM" : with_classifier},
        {{"--C"}, uses.svm_cs, with_classifier},
        {{"--theta"},
         uses.theta,
         combines()                                         ? "with --kernel combined, which has several"
         : kernel_classifier && moves && !learns && !kernel ? "with --project or --recentre"
                                                            : with_classifier},
        {{"--theta-range"}, uses.theta_range, with_classifier},
        {{"--zeta"}, uses.zetas, "without --metric powereuclidean"},
        {{"--scale", "--alpha0", "--required-gain"}, uses.adjusting, no_criterion},
        {{"--required-gain"}, !chosen.penalty, "with a given --penalty"},
        {{"--penalty", "--learn-on"}, uses.learning, no_criterion},
        {{"--project"}, !projects || combines() || !kernel, "with --kernel"},
        {{"--recentre"}, chosen.recentre != Recentring::all || combines() || !kernel, "with --kernel, except groups"},
        {{"--balanced", "--probabilities", "--margin"}, svm, with_classifier + "; it is for --classifier svm"}};
  }
};

}  // namespace

void add_train(CLI::App& program) {
  auto* const command =
      program.add_subcommand("train", "Train a classifier; settings not given are chosen by cross-validation");
  const auto task = std::make_shared<Train>();
  task->flags = command;
  task->data.add_to(*command);
  task->data.add_groups_flag(*command);
  command->add_option("-o,--output", task->output, "Where to save the model, .dsk")->required();
  command->add_option("--classifier", task->classifier,
                      classifier_choices() +
                          ". Default: the best of all by cross-validation (see docs/automatic.md). If --metric, "
                          "--kernel, --criterion, --approximate or a setting is given: svm for --kernel combined or "
                          "settings of the SVM (--C, --margin, --balanced, --probabilities, or --theta without "
                          "--criterion), otherwise, and with --approximate, knn");
  auto* const metric_option = command->add_option(
      "--metric", task->metric, "How matrices are compared: " + metric_choices() + "; default: stein");
  auto* const kernel_option =
      command->add_option("--kernel", task->kernel,
                          "Use a kernel saved by dsk learn, .dsk; or combined: several kernels, "
                          "weighted by centred alignment or equally, for the SVM");
  auto* const criterion_option =
      command->add_option("--criterion", task->criterion, "Learn the kernel first, by this criterion (see dsk learn)");
  kernel_option->excludes(metric_option)->excludes(criterion_option);
  command->add_option("--adjust", task->adjust, "With --criterion: " + adjustment_choices())
      ->capture_default_str()
      ->needs(criterion_option);
  task->selection.add_to(*command);
  command->get_option("--seed")->description("Seed of the folds and samples");
  command
      ->add_option(
          "--margin", task->margin,
          "Loss of the SVM: linear (the hinge loss, as usual) or squared (the squared hinge loss, as in the paper)")
      ->capture_default_str();
  command->add_flag("--balanced", task->balanced, "Weight the classes of the SVM in inverse proportion to their sizes");
  command->add_flag("--probabilities", task->probabilities, "Calibrate probabilities for dsk predict --scores");
  task->approximation.add_to(*command);
  command->add_option("--threads", task->threads, threads_help);
  command->add_option("--device", task->device, device_help)->capture_default_str();
  command->add_option("--json", task->json, json_help);
  command->footer(
      "Example: dsk train train.npz -o model.dsk\n"
      "         dsk train train.npz --classifier svm --criterion centred --adjust affine -o model.dsk");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

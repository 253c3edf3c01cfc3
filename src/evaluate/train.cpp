#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/classify.hpp"
#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "machine/messages.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Whether every setting is given.
bool nothing_to_choose(const TrainOptions& options) {
  const SelectionOptions& selection = options.selection;
  const Method& method = options.method;
  const bool learned = !options.kernel && method.learning;
  if (!options.kernel && method.automatic) return false;
  if (learned && !selection.penalty) return false;
  const Projecting::Kind project = selection.project.kind;
  if (learned && project != Projecting::Kind::none && project != Projecting::Kind::number) return false;
  if (detail::is_chosen_among_candidates(method, selection)) return false;
  if (method.metric == Metric::powereuclidean && !options.kernel && !learned && selection.zetas.size() != 1)
    return false;
  if (method.classifier == Classifier::knn) return selection.neighbours.size() == 1;
  // A kernel that is learned with a given penalty keeps the criterion's theta.
  return selection.svm_cs.size() == 1 && (options.kernel || learned || selection.theta);
}

ChosenMethod as_given(const Dataset& data, const TrainOptions& options) {
  const SelectionOptions& selection = options.selection;
  const bool svm = options.method.classifier == Classifier::svm;
  ChosenMethod chosen;
  chosen.method = {.metric = options.method.metric, .classifier = options.method.classifier};
  chosen.comparison = {.metric = options.method.metric};
  if (options.kernel)
    chosen.comparison = comparison_by(*options.kernel);
  else if (options.method.metric == Metric::powereuclidean)
    chosen.comparison.zeta = selection.zetas.front();
  if (!options.kernel && options.method.learning) {
    SelectionOptions fitting = selection;
    if (fitting.theta_range == ThetaRange::automatic && detail::keeps_to_valid_thetas(options.method))
      fitting.theta_range = ThetaRange::valid;
    LearnResult learned =
        detail::fit_as_chosen(data, options.method, *options.method.learning, *selection.penalty, fitting);
    chosen.method = options.method;
    chosen.penalty = *selection.penalty;
    chosen.comparison = comparison_by(learned.kernel);
    chosen.fit = std::move(learned.fit);
  }
  if (svm)
    chosen.theta = chosen.comparison.learned && !(options.kernel && selection.theta)
                       ? chosen.comparison.learned->theta()
                       : *selection.theta;
  chosen.neighbours_or_c = svm ? selection.svm_cs.front() : static_cast<double>(selection.neighbours.front());
  chosen.svm = selection.svm;
  return chosen;
}

ChosenMethod choose(const Dataset& data, const TrainOptions& options) {
  if (options.kernel)
    return choose_settings(data, comparison_by(*options.kernel), options.method.classifier, options.selection);
  return choose_settings(data, options.method, options.selection);
}

SvmTraining svm_training(const ChosenMethod& chosen, const TrainOptions& options) {
  SvmTraining training = detail::svm_training(chosen.svm, chosen.neighbours_or_c, options.selection.pairs.threads);
  if (!chosen.combined) training.theta = chosen.theta;
  training.probabilities = options.probabilities;
  training.allow_indefinite = options.selection.theta_range != ThetaRange::valid || options.method.automatic ||
                              chosen.combined || chosen.comparison.learned.has_value();
  training.seed = options.selection.seed;
  training.pairs = options.selection.pairs;
  return training;
}

KnnOptions knn_options(const ChosenMethod& chosen, const TrainOptions& options) {
  return {.neighbours = static_cast<Index>(chosen.neighbours_or_c), .threads = options.selection.pairs.threads};
}

Model exact_model(const ChosenMethod& chosen, const Dataset& data, const TrainOptions& options) {
  if (chosen.model) return *chosen.model;
  if (chosen.method.classifier == Classifier::knn)
    return train_knn(chosen.comparison, data, knn_options(chosen, options));
  if (chosen.combined) return train_svm(*chosen.combined, data, svm_training(chosen, options));
  return train_svm(chosen.comparison, data, svm_training(chosen, options));
}

/// Trains in the features of a Nystrom map what was chosen, and says how.
Model nystrom_model(const ChosenMethod& chosen, const Dataset& data, const TrainOptions& options,
                    SavedModel::Origin::Approximation& origin, Trained::Nystrom& details) {
  const bool svm = chosen.method.classifier == Classifier::svm;
  const int threads = options.selection.pairs.threads;
  NystromOptions asked = *options.nystrom;
  asked.theta = svm ? std::optional(chosen.theta) : options.selection.theta;
  asked.seed = options.selection.seed;
  asked.pairs = {.threads = threads};
  details.options = asked;
  const NystromMap map = fit_nystrom(chosen.comparison, data, asked).map;
  origin.landmarks = map.size();
  origin.choice = name(asked.choice);
  origin.seed = asked.seed;
  const ApproximationSamples samples{.seed = asked.seed, .threads = threads};
  if (svm) {
    SvmTraining training = svm_training(chosen, options);
    training.theta.reset();
    training.allow_indefinite = false;
    training.pairs = asked.pairs;
    NystromSvm trained = train_nystrom_svm(map, data, training);
    origin.residual_share = trained.residual_share;
    details.unfinished = trained.unfinished;
    if (options.check_nystrom) details.check = check_approximation(map, data, training, samples);
    return std::move(trained.classifier);
  }
  NystromKnn trained(map, data, knn_options(chosen, options));
  origin.residual_share = trained.residual_share();
  if (options.check_nystrom) details.check = check_approximation(map, data, knn_options(chosen, options), samples);
  return trained;
}

/// On data whose groups are recentred already where that is asked for, with the warnings that gave.
Trained train_on(const Dataset& data, const TrainOptions& options, std::vector<std::string> warnings) {
  const bool by_groups = options.selection.recentre == Recentring::groups;
  const Dataset basis =
      options.nystrom ? data.select(balanced_sample(data.labels(), options.choose_on, options.selection.seed)) : data;
  const bool validated = options.validate || !nothing_to_choose(options);
  if (validated)
    for (std::string& warning : detail::group_warnings(basis)) warnings.push_back(std::move(warning));
  ChosenMethod chosen = validated ? choose(basis, options) : as_given(basis, options);

  SavedModel::Origin origin{.repair = options.repair, .samples = data.size()};
  std::optional<SavedKernel> kernel;
  if (chosen.method.learning) {
    const Criterion criterion = chosen.method.learning->criterion;
    origin.criterion = name(criterion);
    // Other methods that learn have their transform in the model.
    if (chosen.comparison.learned)
      kernel =
          SavedKernel{*chosen.comparison.learned, detail::kernel_origin(criterion, chosen.penalty, *chosen.fit, basis)};
  }
  std::optional<Trained::Nystrom> nystrom;
  if (options.nystrom) {
    nystrom = Trained::Nystrom{};
    origin.approximation = SavedModel::Origin::Approximation{.chosen_on = basis.size()};
  }
  const Index chosen_on =
      chosen.candidates.empty() ? basis.size() : detail::to_choose_on(basis, options.selection).size();
  Model model = options.nystrom ? nystrom_model(chosen, data, options, *origin.approximation, *nystrom)
                                : exact_model(chosen, data, options);
  for (std::string& warning : detail::training_warnings(chosen, model, data, options.selection.pairs.threads))
    warnings.push_back(std::move(warning));
  if (by_groups) model = detail::recentring_groups(std::move(model));
  return {.model = {std::move(model), std::move(origin)},
          .chosen = std::move(chosen),
          .validated = validated,
          .kernel = std::move(kernel),
          .samples = data.size(),
          .chosen_on = chosen_on,
          .nystrom = nystrom,
          .warnings = std::move(warnings)};
}

/// What was chosen, its accuracy, and the best of the others.
std::string candidate_summary(const Trained& trained) {
  constexpr std::size_t most = 5;
  const std::vector<CandidateScore>& tried = trained.chosen.candidates;
  const auto line = [](const CandidateScore& one) {
    // An average names its members, each in a line of its own.
    std::string name = one.name;
    for (std::size_t at = 0; (at = name.find(detail::between_members, at)) != std::string::npos;)
      name.replace(at, detail::between_members.size(), "\n  ");
    return fmt::format("{}: {:.1f} % +- {:.1f}", name, 100 * one.accuracy, 100 * one.standard_error);
  };
  std::string text = fmt::format("chosen: {}\naccuracy in cross-validation on {} matrices; {} tried", line(tried[0]),
                                 trained.chosen_on, tried.size());
  for (std::size_t k = 1; k < std::min(most, tried.size()); ++k) text += "\n  " + line(tried[k]);
  if (trained.chosen.combined) text += "\nweights of the kernels:";
  if (trained.chosen.combined)
    for (const CombinedKernel::Share& one : trained.chosen.combined->shares())
      text += fmt::format("\n  {:.3f}  {}", one.weight, one.name);
  return text;
}

}  // namespace

Trained train(const Dataset& data, const TrainOptions& options) {
  TrainOptions used = options;
  if (used.kernel) used.method.metric = used.kernel->metric();
  check_options(used);
  detail::require_two_classes(data.labels());
  // An approximation needs a positive definite kernel.
  if (used.nystrom && used.selection.theta_range == ThetaRange::automatic)
    used.selection.theta_range = ThetaRange::valid;
  if (used.selection.recentre != Recentring::groups) return train_on(data, used, {});
  Mean::Stop stop{};
  const Dataset recentred = detail::recentred_by_groups(data, used.selection.pairs.threads, &stop);
  return train_on(recentred, used, detail::mean_warnings("a mean by which groups are recentred", stop));
}

std::vector<Trained::Subspace> subspaces_of(const Model& model, const Dataset& train, int threads) {
  const std::vector<Projection> found = projections(model);
  if (found.empty()) return {};
  const SpdBatch seen = recentres_groups(model)
                            ? recentre_groups(train.matrices(), train.has_groups() ? &train.groups() : nullptr, threads)
                            : train.matrices();
  std::vector<Trained::Subspace> result;
  for (const Projection& one : found) result.push_back({one, spatial_patterns(one, seen, train.weights())});
  return result;
}

namespace {

std::string choice_summary(const Trained& trained) {
  if (!trained.chosen.candidates.empty()) return candidate_summary(trained);
  const ChosenMethod& chosen = trained.chosen;
  const bool svm = chosen.method.classifier == Classifier::svm;
  std::string text =
      fmt::format("method: {}, {} {:g}", chosen.method.full_name(), svm ? "C" : "neighbours", chosen.neighbours_or_c);
  if (svm) text += fmt::format(", theta {:.4g}", chosen.theta);
  if (chosen.method.learning) {
    const Metric metric = chosen.comparison.metric;
    const LearnedKernel& kernel = *chosen.comparison.learned;
    if (kernel.result_dim() < kernel.dim())
      text += fmt::format("\nsubspace: {} of {} components", kernel.result_dim(), kernel.dim());
    text += fmt::format("\nkernel: {}learned by {}, ", metric == Metric::stein ? "" : fmt::format("{}, ", name(metric)),
                        name(chosen.method.learning->criterion));
    if (chosen.comparison.learned->adjustment().is_none())
      text += "nothing is adjusted";
    else
      text += fmt::format("adjustment {}, penalty {:.3g}", name(chosen.comparison.learned->adjustment().kind),
                          chosen.penalty);
  }
  if (trained.model.origin.approximation)
    text += "\napproximation: " + detail::counted(trained.model.origin.approximation->landmarks, "landmark");
  if (trained.validated && !std::isnan(chosen.validation_accuracy))
    text += fmt::format("\ncross-validated accuracy: {:.1f} % on {} matrices", 100 * chosen.validation_accuracy,
                        trained.chosen_on);
  return text;
}

}  // namespace

std::string summary(const Trained& trained) {
  const std::string clipping = detail::clipping_note(trained.model.model, trained.model.origin.samples);
  return choice_summary(trained) + (clipping.empty() ? "" : "\n" + clipping);
}

void save(const Trained& trained, const std::filesystem::path& file) {
  save(trained.model, file);
}

}  // namespace dsk

#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

constexpr double no_adjustment = std::numeric_limits<double>::infinity();

double required_gain(const LearnOptions& options) {
  if (options.required_gain) return *options.required_gain;
  const SelectionOptions of_training;
  return options.classifier == Classifier::knn ? of_training.required_gain_knn : of_training.required_gain_svm;
}

/// The best penalty becomes infinite unless it beats the plain kernel by the required gain.
PenaltyChoice choose(const Dataset& train, const FitOptions& fitting, const LearnOptions& options,
                     const std::function<bool(int, int)>& on_kernel) {
  PenaltySearch search;
  search.relative_penalties = options.relative_penalties;
  search.penalty = options.penalty;
  search.classifier = options.classifier;
  search.learn_on = options.learn_on;
  search.folds = options.folds;
  search.given_folds = options.given_folds;
  search.seed = options.seed;
  search.on_progress = on_kernel;
  if (options.penalty) return choose_penalty(train, fitting, search);
  if (std::none_of(search.relative_penalties.begin(), search.relative_penalties.end(),
                   [](double penalty) { return std::isinf(penalty); }))
    search.relative_penalties.push_back(no_adjustment);
  PenaltyChoice choice = choose_penalty(train, fitting, search);
  const PenaltyScore& plain = choice.scores.back();
  const std::vector<double> weights =
      detail::scored_weights(train, detail::folds_of(train, options.given_folds, options.folds, options.seed));
  if (detail::gain(choice.best.hits, plain.hits, weights) <= required_gain(options)) choice.best = plain;
  return choice;
}

/// The number of components with the most held-out matrices correct, the largest of several, and its penalty.
void choose_components(const Dataset& train, FitOptions& fitting, const LearnOptions& options, Learned& learned) {
  const std::vector<Index> sizes = detail::subspace_ladder(train.dim());
  const auto count = static_cast<int>(sizes.size());
  Index best = 0;
  for (int k = 0; k < count; ++k) {
    const Index components = sizes[static_cast<std::size_t>(k)];
    fitting.components = components == train.dim() ? 0 : components;
    PenaltyChoice choice = choose(train, fitting, options, [&](int done, int total) {
      return !options.on_kernel || options.on_kernel(k * total + done, count * total);
    });
    learned.by_components.push_back({components, choice.best.accuracy});
    if (learned.validation && choice.best.accuracy <= learned.validation->best.accuracy) continue;
    learned.validation = std::move(choice);
    best = fitting.components;
  }
  fitting.components = best;
}

/// "learned", "plain Stein, nothing is adjusted", "learned by powereuclidean with zeta 0.47".
std::string what_was_learned(const LearnedKernel& kernel) {
  const bool stein = kernel.metric() == Metric::stein;
  const std::string zeta =
      kernel.metric() == Metric::powereuclidean ? fmt::format(" with zeta {:.3g}", kernel.zeta()) : "";
  if (kernel.adjustment().is_none())
    return fmt::format("plain {}{}, nothing is adjusted", stein ? "Stein" : name(kernel.metric()), zeta);
  return stein ? "learned" : fmt::format("learned by {}{}", name(kernel.metric()), zeta);
}

}  // namespace

Learned learn(const Dataset& train, const LearnOptions& options) {
  FitOptions fitting = options.fit;
  if (fitting.c && !has_soft_margin(fitting.criterion))
    throw InvalidInput(fmt::format("C is for the margin criteria; {} has none", name(fitting.criterion)));
  fitting.on_iteration = {};
  Learned result{{LearnedKernel::plain(train.dim(), 1)}, {}};
  if (options.choose_components || !options.penalty) result.warnings = detail::group_warnings(train);
  if (options.choose_components)
    choose_components(train, fitting, options, result);
  else if (!options.penalty)
    result.validation = choose(train, fitting, options, options.on_kernel);
  fitting.penalty = result.validation ? result.validation->best.penalty : *options.penalty;
  fitting.on_iteration = options.fit.on_iteration;
  LearnResult learned = fit_kernel(detail::to_learn_from(train, options.learn_on, options.seed), fitting);
  result.kernel = {std::move(learned.kernel),
                   detail::kernel_origin(fitting.criterion, fitting.penalty, learned.fit, train)};
  result.fit = std::move(learned.fit);
  return result;
}

std::string summary(const Learned& learned) {
  const auto& [kernel, origin] = learned.kernel;
  const std::string subspace = kernel.before().is_identity()
                                   ? ""
                                   : fmt::format("subspace: {} of {} components\n", kernel.result_dim(), kernel.dim());
  std::string text =
      subspace + fmt::format("kernel: {}, criterion {}, adjustment {}, theta {:.4g}\n", what_was_learned(kernel),
                             origin.criterion, name(kernel.adjustment().kind), kernel.theta());
  if (learned.validation && !std::isinf(origin.penalty))
    text += fmt::format("penalty: {:.3g}, chosen by {}-fold cross-validation, {:.1f} % correct\n", origin.penalty,
                        learned.validation->folds, 100 * learned.validation->best.accuracy);
  else
    text += fmt::format("penalty: {:.3g}, given\n", origin.penalty);
  return text + fmt::format("fit: {} after {}", origin.stop, detail::counted(origin.iterations, "iteration"));
}

void save(const Learned& learned, const std::filesystem::path& file) {
  save(learned.kernel, file);
}

}  // namespace dsk

#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/choose.hpp"

namespace dsk {
namespace {

constexpr double no_adjustment = std::numeric_limits<double>::infinity();

double required_gain(const LearnOptions& options) {
  if (options.required_gain) return *options.required_gain;
  const SelectionOptions of_training;
  return options.classifier == Classifier::knn ? of_training.required_gain_knn : of_training.required_gain_svm;
}

/// The best penalty becomes infinite unless it beats the plain kernel by the required gain.
PenaltyChoice choose(const Dataset& train, const FitOptions& fitting, const LearnOptions& options) {
  PenaltySearch search;
  search.relative_penalties = options.relative_penalties;
  search.classifier = options.classifier;
  search.learn_on = options.learn_on;
  search.folds = options.folds;
  search.given_folds = options.given_folds;
  search.seed = options.seed;
  search.on_progress = options.on_kernel;
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

}  // namespace

Learned learn(const Dataset& train, const LearnOptions& options) {
  FitOptions fitting = options.fit;
  if (fitting.c && !has_soft_margin(fitting.criterion))
    throw InvalidInput(fmt::format("C is for the margin criteria; {} has none", name(fitting.criterion)));
  fitting.on_iteration = {};
  std::optional<PenaltyChoice> validation;
  if (options.penalty) {
    fitting.penalty = *options.penalty;
  } else {
    detail::group_warnings(train);
    validation = choose(train, fitting, options);
    fitting.penalty = validation->best.penalty;
  }
  fitting.on_iteration = options.fit.on_iteration;
  LearnResult learned = fit_kernel(detail::to_learn_from(train, options.learn_on, options.seed), fitting);
  KernelOrigin origin = detail::kernel_origin(fitting.criterion, fitting.penalty, learned.fit, train);
  return {{std::move(learned.kernel), std::move(origin)}, std::move(learned.fit), std::move(validation)};
}

std::string summary(const Learned& learned) {
  const auto& [kernel, origin] = learned.kernel;
  const std::string subspace = kernel.before().is_identity()
                                   ? ""
                                   : fmt::format("subspace: {} of {} components\n", kernel.result_dim(), kernel.dim());
  std::string text =
      subspace + fmt::format("kernel: {}, criterion {}, adjustment {}, theta {:.4g}\n",
                             kernel.adjustment().is_none() ? "plain Stein, nothing is adjusted" : "learned",
                             origin.criterion, name(kernel.adjustment().kind), kernel.theta());
  if (learned.validation)
    text += fmt::format("penalty: {:.3g}, chosen by {}-fold cross-validation, {:.1f} % correct\n", origin.penalty,
                        learned.validation->folds, 100 * learned.validation->best.accuracy);
  else
    text += fmt::format("penalty: {:.3g}, given\n", origin.penalty);
  return text + fmt::format("fit: {} after {} iterations", origin.stop, origin.iterations);
}

void save(const Learned& learned, const std::filesystem::path& file) {
  save(learned.kernel, file);
}

}  // namespace dsk

#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "learn/learn.hpp"
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
  const PenaltyChoice::Score& plain = choice.scores.back();
  const std::vector<double> weights =
      detail::scored_weights(train, detail::folds_of(train, options.given_folds, options.folds, options.seed));
  choice.required_gain = required_gain(options);
  if (detail::gain(choice.best.hits, plain.hits, weights) <= choice.required_gain) choice.best = plain;
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
    learned.by_components.push_back({components, choice.best.accuracy, detail::standard_error(choice.best.hits)});
    if (learned.validation && choice.best.accuracy <= learned.validation->best.accuracy) continue;
    learned.validation = std::move(choice);
    best = fitting.components;
  }
  fitting.components = best;
}

bool is_chosen(const LearnOptions& options) {
  return options.choose_components || !options.penalty;
}

bool by_blocks(const Dataset& source, const LearnOptions& options) {
  return detail::learns_by_blocks(options.fit.batch, source);
}

void check_batch(const Dataset& source, const LearnOptions& options) {
  detail::check_blocks(options.fit.batch, options.fit.criterion, source, options.fit.pairs);
  if (options.choose_on < 0) throw InvalidInput(fmt::format("choose_on {} must be 0 or more", options.choose_on));
  if (by_blocks(source, options) && is_chosen(options) && !options.given_folds.empty())
    throw InvalidInput("with a batch, settings are chosen on a sample: given folds cannot be used");
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
  fitting.allow_indefinite |= options.theta_range == ThetaRange::any;
  fitting.search_all_thetas |= options.theta_range == ThetaRange::any ||
                               (options.theta_range == ThetaRange::automatic && !detail::is_printed(fitting.criterion));
  if (fitting.c && !has_soft_margin(fitting.criterion))
    throw InvalidInput(fmt::format("C is for the margin criteria; {} has none", name(fitting.criterion)));
  const Dataset source = detail::to_learn_from(train, options.learn_on, options.seed);
  check_batch(source, options);
  fitting.on_iteration = {};
  fitting.batch = 0;
  Learned result{{LearnedKernel::plain(train.dim(), 1)}, {}};
  if (is_chosen(options)) {
    result.warnings = detail::group_warnings(train);
    const Dataset chosen_on =
        detail::to_learn_from(train, by_blocks(source, options) ? options.choose_on : 0, options.seed);
    if (options.choose_components)
      choose_components(chosen_on, fitting, options, result);
    else
      result.validation = choose(chosen_on, fitting, options, options.on_kernel);
  }
  if (options.fit.batch >= source.size())
    result.warnings.push_back(fmt::format("batch {} is not below the {} matrices: learned from all pairs{}",
                                          options.fit.batch, source.size(),
                                          is_chosen(options) ? ", with settings chosen on all matrices" : ""));
  fitting.penalty = result.validation ? result.validation->best.penalty : *options.penalty;
  fitting.on_iteration = options.fit.on_iteration;
  fitting.batch = options.fit.batch;
  LearnResult learned = fit_kernel(source, fitting);
  result.kernel = {std::move(learned.kernel),
                   detail::kernel_origin(fitting.criterion, fitting.penalty, learned.fit, train)};
  result.fit = std::move(learned.fit);
  for (std::string& warning : detail::mean_warnings("the mean by which matrices are recentred", result.fit.mean_stop))
    result.warnings.push_back(std::move(warning));
  if (const std::optional<Fit::Blocks>& blocks = result.fit.blocks; blocks && blocks->failed > 0)
    result.warnings.push_back(fmt::format(
        "the criterion cannot be computed on {} of {} random blocks, which were left out: some of their matrices leave "
        "the range of double",
        blocks->failed, blocks->failed + blocks->evaluated_on));
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
  text += fmt::format("fit: {} after {}", origin.stop, detail::counted(origin.iterations, "iteration"));
  if (const std::optional<Fit::Blocks>& blocks = learned.fit.blocks)
    text += fmt::format("\nbatch: {} blocks of {}; criterion {:.6g}, standard error {:.2g}, on {} others",
                        blocks->learned_on, blocks->size, learned.fit.criterion, blocks->standard_error,
                        blocks->evaluated_on);
  return text;
}

void save(const Learned& learned, const std::filesystem::path& file) {
  save(learned.kernel, file);
}

}  // namespace dsk

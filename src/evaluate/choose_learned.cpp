#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "learn/learn.hpp"

namespace dsk {
namespace {

using detail::choose_plain;
using detail::keep_better;

FitOptions fit_options(const Method& method, const SelectionOptions& options) {
  const bool given_zeta = method.metric == Metric::powereuclidean && options.zetas.size() == 1;
  const bool automatic = options.theta_range == ThetaRange::automatic;
  // The candidates of DSK-auto look for theta as the paper's methods do.
  const bool all_thetas = options.theta_range != ThetaRange::valid && !method.automatic;
  return {.metric = method.metric,
          .criterion = method.learning->criterion,
          .adjustment = method.learning->adjustment,
          .theta = options.theta,
          .zeta = given_zeta ? std::optional(options.zetas.front()) : std::nullopt,
          .allow_indefinite = options.theta_range == ThetaRange::any || (automatic && !options.theta),
          .search_all_thetas = all_thetas,
          .alpha0 = options.alpha0,
          .components = options.project.kind == Projecting::Kind::number ? options.project.components : 0,
          .subspace_iterations = options.project.closed_form ? 0 : FitOptions().subspace_iterations,
          .recentre = options.recentre == Recentring::all,
          .scale = options.scale,
          .max_iterations = options.max_iterations,
          .tolerance = options.tolerance,
          .pairs = options.pairs};
}

/// On the whole training set, or the sample of it that kernels are learned from. Theta, and the kernel itself, are
/// those of other methods that learn the same.
LearnResult fit(const Dataset& train, FitOptions learning, const SelectionOptions& options,
                detail::SharedLearning* shared) {
  const Dataset source = detail::to_learn_from(train, options.learn_on, options.seed);
  if (shared == nullptr || detail::has_steps_before(learning)) return fit_kernel(source, learning);
  return shared->kernel(detail::SharedLearning::key_of(source, learning), [&] {
    const PlainKernel plain = shared->plain(source, learning);
    learning.theta = plain.theta;
    learning.allow_indefinite |= learning.search_all_thetas;
    if (has_soft_margin(learning.criterion)) learning.c = plain.c;
    return fit_kernel(source, learning);
  });
}

/// The plain kernel as it was chosen, under the name of the method that wanted to adjust it.
ChosenMethod not_adjusted(const Dataset& train, const Method& method, FitOptions learning, ChosenMethod plain,
                          const SelectionOptions& options, detail::SharedLearning* shared) {
  learning.penalty = std::numeric_limits<double>::infinity();
  if (method.classifier == Classifier::svm) learning.theta = plain.theta;
  if (method.metric == Metric::powereuclidean) learning.zeta = plain.comparison.zeta;
  // Unlike S, squared distances by other metrics change with units, and theta was chosen without.
  if (method.metric != Metric::stein) learning.scale = {};
  LearnResult learned = fit(train, learning, options, shared);
  plain.method = method;
  plain.comparison = comparison_by(learned.kernel);
  plain.penalty = learning.penalty;
  plain.fit = std::move(learned.fit);
  return plain;
}

/// Of the SVM's kernel, learned on the whole training set.
double theta_of(const LearnedKernel& kernel, const PenaltyChoice::Score& score, const Dataset& train,
                const SelectionOptions& options) {
  if (score.relative_theta == 0) return kernel.theta();
  return detail::thetas_over_median(pairwise_divergences(kernel, train.matrices(), options.pairs),
                                    {score.relative_theta}, kernel.metric(), kernel.result_dim(),
                                    options.theta_range != ThetaRange::valid && !score.valid_theta)
      .front();
}

/// A kernel with a given penalty keeps the criterion's theta.
PenaltySearch penalty_search(Classifier classifier, const SelectionOptions& options, detail::SharedLearning* shared) {
  const bool search_theta = !options.theta && !options.penalty;
  return {.relative_penalties = options.relative_penalties,
          .penalty = options.penalty,
          .classifier = classifier,
          .neighbours = options.neighbours,
          .svm_cs = options.svm_cs,
          .relative_thetas = search_theta ? options.relative_thetas : std::vector<double>{},
          .both_ranges = options.theta_range == ThetaRange::automatic,
          .svm = options.svm,
          .learn_on = options.learn_on,
          .folds = options.folds,
          .given_folds = options.given_folds,
          .seed = options.seed,
          .shared = shared,
          .on_progress = options.on_progress};
}

/// The best penalty, or the given one, with the kernel learned on the whole training set.
ChosenMethod adjusted(const Dataset& train, const Method& method, FitOptions learning, const PenaltyChoice::Score& best,
                      const SelectionOptions& options, detail::SharedLearning* shared) {
  learning.penalty = best.penalty;
  LearnResult learned = fit(train, learning, options, shared);
  ChosenMethod chosen;
  chosen.method = method;
  if (method.classifier == Classifier::svm) chosen.theta = theta_of(learned.kernel, best, train, options);
  chosen.comparison = comparison_by(learned.kernel);
  chosen.neighbours_or_c = best.neighbours_or_c;
  chosen.penalty = best.penalty;
  chosen.validation_accuracy = best.accuracy;
  chosen.hits = best.hits;
  chosen.fit = std::move(learned.fit);
  chosen.svm = options.svm;
  return chosen;
}

/// Whether hits are better than those of the plain kernel by the gain that the options ask for.
bool is_better(const detail::Hits& hits, const detail::Hits& plain, const Dataset& train, const Method& method,
               const SelectionOptions& options) {
  const double required_gain =
      method.classifier == Classifier::knn ? options.required_gain_knn : options.required_gain_svm;
  const std::vector<double> weights =
      detail::scored_weights(train, detail::folds_of(train, options.given_folds, options.folds, options.seed));
  return detail::gain(hits, plain, weights) > required_gain;
}

/// The kernel with the best penalty, or the plain one where that is no better by the required gain.
ChosenMethod guarded(const Dataset& train, const Method& method, const PenaltyChoice::Score& best,
                     const ChosenMethod& plain, const SelectionOptions& options, detail::SharedLearning* shared) {
  const FitOptions learning = fit_options(method, options);
  if (std::isinf(best.penalty) || !is_better(best.hits, plain.hits, train, method, options))
    return not_adjusted(train, method, learning, plain, options, shared);
  return adjusted(train, method, learning, best, options, shared);
}

/// The same where matrices are recentred or projected first: the plain kernel is that of what this makes of them.
ChosenMethod choose_after_steps(const Dataset& train, const Method& method, const SelectionOptions& options,
                                detail::SharedLearning* shared) {
  const FitOptions learning = fit_options(method, options);
  PenaltySearch search = penalty_search(method.classifier, options, shared);
  const auto is_infinite = [](double penalty) { return std::isinf(penalty); };
  if (std::none_of(search.relative_penalties.begin(), search.relative_penalties.end(), is_infinite))
    search.relative_penalties.push_back(std::numeric_limits<double>::infinity());
  const PenaltyChoice choice = choose_penalty(train, learning, search);
  const PenaltyChoice::Score& plain = choice.scores.back();
  const bool better = is_better(choice.best.hits, plain.hits, train, method, options);
  return adjusted(train, method, learning, better ? choice.best : plain, options, shared);
}

/// `plain`: the plain kernel with the same classifier and options, as it was chosen; not read for a given
/// penalty, or where matrices are recentred or projected first.
ChosenMethod choose_adjusted(const Dataset& train, const Method& method, const ChosenMethod& plain,
                             const SelectionOptions& options, detail::SharedLearning* shared) {
  const FitOptions learning = fit_options(method, options);
  if (detail::has_steps_before(learning) && !options.penalty) return choose_after_steps(train, method, options, shared);
  const PenaltyChoice::Score best =
      choose_penalty(train, learning, penalty_search(method.classifier, options, shared)).best;
  if (options.penalty) return adjusted(train, method, learning, best, options, shared);
  return guarded(train, method, best, plain, options, shared);
}

/// As the paper chooses a penalty: among those that adjust, with the criterion's theta.
PenaltySearch printed_search(const Method& method, const SelectionOptions& options, detail::SharedLearning* shared) {
  PenaltySearch search = penalty_search(method.classifier, options, shared);
  search.relative_thetas.clear();
  std::erase_if(search.relative_penalties, [](double penalty) { return std::isinf(penalty); });
  return search;
}

ChosenMethod choose_as_printed(const Dataset& train, const Method& method, const SelectionOptions& options,
                               detail::SharedLearning* shared) {
  FitOptions learning = fit_options(method, options);
  if (!has_soft_margin(learning.criterion))
    return adjusted(train, method, learning,
                    choose_penalty(train, learning, printed_search(method, options, shared)).best, options, shared);
  learning.penalty = options.penalty.value_or(0);
  LearnResult learned = fit(train, learning, options, shared);
  ChosenMethod chosen;
  chosen.method = method;
  chosen.theta = learned.kernel.theta();
  chosen.neighbours_or_c = learned.fit.c;
  chosen.penalty = learning.penalty;
  chosen.validation_accuracy = std::numeric_limits<double>::quiet_NaN();
  chosen.svm = {.margin = SoftMargin::squared};
  chosen.comparison = comparison_by(learned.kernel);
  chosen.fit = std::move(learned.fit);
  return chosen;
}

/// What DSK-auto chooses among beside the plain kernel, which wins ties.
std::vector<Method> candidates(Classifier classifier) {
  std::vector<Method> methods;
  for (const Method::Learning& learning : {Method::Learning{Criterion::centred, Adjustment::affine},
                                           Method::Learning{Criterion::centred, Adjustment::power},
                                           Method::Learning{Criterion::neighbour, Adjustment::affine},
                                           Method::Learning{Criterion::alignment, Adjustment::power}})
    methods.push_back({.learning = learning, .classifier = classifier});
  return methods;
}

/// What DSK-auto changes in the options.
SelectionOptions automatic_options(SelectionOptions options) {
  options.theta_range = ThetaRange::any;
  options.scale = {Scale::Kind::unit, 1};
  return options;
}

ChosenMethod choose_automatically(const Dataset& train, const Method& method, const SelectionOptions& options,
                                  detail::SharedLearning* shared) {
  const ChosenMethod plain = choose_plain(train, {.classifier = method.classifier}, options, shared);
  ChosenMethod best = plain;
  for (Method candidate : candidates(method.classifier)) {
    candidate.automatic = true;
    keep_better(best, choose_adjusted(train, candidate, plain, options, shared));
  }
  best.method.automatic = false;
  return best;
}

bool chooses_components(const SelectionOptions& options) {
  return options.project.kind == Projecting::Kind::automatic || options.project.kind == Projecting::Kind::start;
}

/// The same with a given number of components.
SelectionOptions with_components(SelectionOptions options, Index components, Index dim) {
  const bool closed_form = options.project.kind == Projecting::Kind::start;
  options.project = {};
  if (components < dim) options.project = {Projecting::Kind::number, components, closed_form};
  return options;
}

/// The best number of components by cross-validation, the largest of several.
ChosenMethod choose_components(const Dataset& train, const Method& method, const SelectionOptions& options,
                               detail::SharedLearning* shared) {
  if (method.learning && method.learning->as_printed && has_soft_margin(method.learning->criterion))
    throw InvalidInput(
        fmt::format("the number of components cannot be chosen for {}, which is not cross-validated; give a number",
                    method.name()));
  const std::vector<Index> sizes = detail::subspace_ladder(train.dim());
  const auto count = static_cast<int>(sizes.size());
  ChosenMethod best;
  best.validation_accuracy = -1;
  std::vector<CandidateScore> scores;
  for (int k = 0; k < count; ++k) {
    const Index components = sizes[static_cast<std::size_t>(k)];
    SelectionOptions one = with_components(options, components, train.dim());
    if (options.on_progress)
      one.on_progress = [&, k](int done, int total) { return options.on_progress(k * total + done, count * total); };
    const ChosenMethod chosen = detail::choose_learned(train, method, one, shared);
    scores.insert(scores.begin(), {.name = method.full_name(),
                                   .accuracy = chosen.validation_accuracy,
                                   .standard_error = detail::standard_error(chosen.hits),
                                   .components = components});
    keep_better(best, chosen);
  }
  best.by_components = std::move(scores);
  return best;
}

/// How many penalties are tried, no adjustment among them.
Index penalties_tried(const Method::Learning& learning, bool has_steps_before, const SelectionOptions& options) {
  if (options.penalty) return 1;
  const std::vector<double>& all = options.relative_penalties;
  const auto adjusting = std::count_if(all.begin(), all.end(), [](double penalty) { return !std::isinf(penalty); });
  if (learning.as_printed) return adjusting;
  return has_steps_before ? std::max<Index>(adjusting + 1, static_cast<Index>(all.size()))
                          : static_cast<Index>(all.size());
}

}  // namespace

ChosenMethod detail::choose_learned(const Dataset& train, const Method& method, const SelectionOptions& options,
                                    SharedLearning* shared) {
  if (options.project.kind == Projecting::Kind::ladder) throw InvalidInput(std::string(ladder_needs_means));
  if (chooses_components(options)) return choose_components(train, method, options, shared);
  if (method.learning && keeps_to_valid_thetas(method) && options.theta_range == ThetaRange::automatic) {
    SelectionOptions valid = options;
    valid.theta_range = ThetaRange::valid;
    return choose_learned(train, method, valid, shared);
  }
  if (method.automatic) return choose_automatically(train, method, automatic_options(options), shared);
  if (method.learning->as_printed) return choose_as_printed(train, method, options, shared);
  if (options.penalty || has_steps_before(fit_options(method, options)))
    return choose_adjusted(train, method, {}, options, shared);
  return choose_adjusted(
      train, method, choose_plain(train, {.metric = method.metric, .classifier = method.classifier}, options, shared),
      options, shared);
}

std::vector<ChosenMethod> detail::choose_for_each(const Dataset& train, const Method& method, SelectionOptions options,
                                                  const std::vector<Index>& neighbours, SharedLearning* shared) {
  std::vector<ChosenMethod> chosen;
  SelectionOptions one = options;
  const bool moves = options.project.kind != Projecting::Kind::none || options.recentre == Recentring::all;
  const bool shares_kernels = method.learning && method.classifier == Classifier::knn && !moves &&
                              !detail::is_chosen_among_candidates(method, options) && !options.penalty;
  if (!shares_kernels) {
    for (const Index k : neighbours) {
      one.neighbours = {k};
      chosen.push_back(choose(train, method, one, shared));
    }
    return chosen;
  }
  if (options.theta_range == ThetaRange::automatic && keeps_to_valid_thetas(method))
    options.theta_range = one.theta_range = ThetaRange::valid;
  options.neighbours = neighbours;
  const FitOptions learning = fit_options(method, options);
  const bool printed = method.learning->as_printed;
  const PenaltyChoice choice = choose_penalty(
      train, learning,
      printed ? printed_search(method, options, shared) : penalty_search(method.classifier, options, shared));
  for (std::size_t s = 0; s < neighbours.size(); ++s) {
    one.neighbours = {neighbours[s]};
    const PenaltyChoice::Score& best = choice.by_neighbours[s];
    chosen.push_back(printed ? adjusted(train, method, learning, best, one, shared)
                             : guarded(train, method, best, choose_plain(train, {.metric = method.metric}, one, shared),
                                       one, shared));
  }
  return chosen;
}

Index kernels_to_learn(const Method& method, Index dim, const SelectionOptions& options) {
  if (!is_from_paper(method) || !(method.learning || method.automatic)) return 0;
  Index sum = 0;
  if (chooses_components(options)) {
    for (const Index components : detail::subspace_ladder(dim))
      sum += kernels_to_learn(method, dim, with_components(options, components, dim));
    return sum;
  }
  if (method.automatic) {
    for (const Method& candidate : candidates(method.classifier)) sum += kernels_to_learn(candidate, dim, options);
    return sum;
  }
  const Method::Learning& learning = *method.learning;
  if (learning.as_printed && has_soft_margin(learning.criterion)) return 1;
  const Index folds = options.given_folds.empty() ? options.folds : static_cast<Index>(options.given_folds.size());
  return folds * penalties_tried(learning, detail::has_steps_before(fit_options(method, options)), options) + 1;
}

LearnResult detail::fit_as_chosen(const Dataset& train, const Method& asked, const Method::Learning& learning,
                                  double penalty, const SelectionOptions& options) {
  const SelectionOptions used = asked.automatic ? automatic_options(options) : options;
  FitOptions fitting = fit_options({.metric = asked.metric, .learning = learning, .automatic = asked.automatic}, used);
  fitting.penalty = penalty;
  return fit(train, fitting, used, nullptr);
}

}  // namespace dsk

#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/engine.hpp"
#include "evaluate/hits.hpp"
#include "evaluate/learning_sample.hpp"
#include "evaluate/theta_grid.hpp"

namespace dsk {
namespace {

std::vector<double> thetas(const Matrix& distances, const ChosenMethod& candidate, Index dim,
                           const SelectionOptions& options) {
  const bool any = options.theta_range == ThetaRange::any;
  if (options.theta) {
    check_theta(candidate.comparison.metric, *options.theta, dim, any);
    return {*options.theta};
  }
  if (candidate.comparison.learned) return {candidate.comparison.learned->theta()};
  std::vector<double> result =
      detail::thetas_over_median(distances, options.relative_thetas, candidate.comparison.metric, dim, any);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void keep_better(ChosenMethod& best, const ChosenMethod& other) {
  if (other.validation_accuracy > best.validation_accuracy) best = other;
}

/// The best setting for given squared distances of all pairs of the training set.
void score_distances(ChosenMethod candidate, const Dataset& train, const Matrix& distances,
                     const std::vector<Split>& splits, const SelectionOptions& options, ChosenMethod& best) {
  const bool knn = candidate.method.classifier == Classifier::knn;
  const std::vector<double> widths = knn ? std::vector<double>{0} : thetas(distances, candidate, train.dim(), options);
  for (const double theta : widths) {
    Matrix kernel;
    if (!knn) {
      kernel = distances;
      exponential_in_place(kernel, -theta, options.pairs.threads);
    }
    std::vector<detail::Hits> hits;
    for (const Split& split : splits)
      detail::append(
          hits, knn ? detail::neighbour_hits(distances(split.test, split.train), train.labels().select(split.train),
                                             train.labels().select(split.test), options.neighbours)
                    : detail::svm_hits(kernel(split.train, split.train), kernel(split.test, split.train),
                                       train.labels().select(split.train), train.labels().select(split.test),
                                       options.svm_cs, options.pairs.threads));
    for (std::size_t s = 0; s < hits.size(); ++s) {
      candidate.theta = theta;
      candidate.setting = knn ? static_cast<double>(options.neighbours[s]) : options.svm_cs[s];
      candidate.validation_accuracy = detail::share(hits[s]);
      candidate.hits = std::move(hits[s]);
      keep_better(best, candidate);
    }
  }
}

ChosenMethod choose_plain(const Dataset& train, const Method& method, const SelectionOptions& options) {
  ChosenMethod best;
  best.validation_accuracy = -1;
  const std::vector<double> zetas =
      method.metric == Metric::powereuclidean ? options.zetas : std::vector<double>{Comparison().zeta};
  for (const double zeta : zetas)
    keep_better(best, choose_settings(train, {.metric = method.metric, .zeta = zeta}, method.classifier, options));
  return best;
}

FitOptions learn_options(const Learning& learning, const SelectionOptions& options) {
  return {.criterion = learning.criterion,
          .adjustment = learning.adjustment,
          .theta = options.theta,
          .allow_indefinite = options.theta_range == ThetaRange::any,
          .scale = options.scale,
          .max_iterations = options.max_iterations,
          .tolerance = options.tolerance,
          .pairs = options.pairs};
}

/// Learns with the given penalty, then chooses what the classifier needs.
ChosenMethod with_penalty(const Dataset& train, const Method& method, const SelectionOptions& options) {
  FitOptions learning = learn_options(*method.learning, options);
  learning.penalty = *options.penalty;
  LearnResult learned = fit_kernel(detail::to_learn_from(train, options.learn_on, options.seed), learning);
  ChosenMethod chosen = choose_settings(train, {.learned = learned.kernel}, method.classifier, options);
  chosen.method = method;
  chosen.penalty = learning.penalty;
  chosen.fit = std::move(learned.fit);
  return chosen;
}

/// The plain kernel as it was chosen, under the name of the method that wanted to adjust it.
ChosenMethod not_adjusted(const Dataset& train, const Method& method, FitOptions learning, ChosenMethod plain,
                          const SelectionOptions& options) {
  learning.penalty = std::numeric_limits<double>::infinity();
  if (method.classifier == Classifier::svm) learning.theta = plain.theta;
  LearnResult learned = fit_kernel(detail::to_learn_from(train, options.learn_on, options.seed), learning);
  plain.method = method;
  plain.comparison.learned = std::move(learned.kernel);
  plain.penalty = learning.penalty;
  plain.fit = std::move(learned.fit);
  return plain;
}

/// Of the SVM's kernel, learned on the whole training set.
double theta_of(const LearnedKernel& kernel, const PenaltyScore& score, const Dataset& train,
                const SelectionOptions& options) {
  if (score.relative_theta == 0) return kernel.theta();
  return detail::thetas_over_median(divergence_matrix(kernel, train.matrices(), options.pairs), {score.relative_theta},
                                    Metric::stein, train.dim(), options.theta_range == ThetaRange::any)
      .front();
}

/// `plain`: the plain kernel with the same classifier and options, as it was chosen.
ChosenMethod choose_learned(const Dataset& train, const Method& method, const ChosenMethod& plain,
                            const SelectionOptions& options) {
  FitOptions learning = learn_options(*method.learning, options);
  const PenaltyChoice choice =
      choose_penalty(train, learning,
                     {.relative_penalties = options.relative_penalties,
                      .classifier = method.classifier,
                      .neighbours = options.neighbours,
                      .svm_cs = options.svm_cs,
                      .relative_thetas = options.theta ? std::vector<double>{} : options.relative_thetas,
                      .learn_on = options.learn_on,
                      .folds = options.folds,
                      .seed = options.seed,
                      .on_progress = options.on_progress});
  const double required_gain =
      method.classifier == Classifier::knn ? options.required_gain_knn : options.required_gain_svm;
  if (std::isinf(choice.best.penalty) || detail::gain(choice.best.hits, plain.hits) <= required_gain)
    return not_adjusted(train, method, learning, plain, options);
  learning.penalty = choice.best.penalty;
  LearnResult learned = fit_kernel(detail::to_learn_from(train, options.learn_on, options.seed), learning);
  ChosenMethod chosen;
  chosen.method = method;
  if (method.classifier == Classifier::svm) chosen.theta = theta_of(learned.kernel, choice.best, train, options);
  chosen.comparison.learned = std::move(learned.kernel);
  chosen.setting = choice.best.setting;
  chosen.penalty = choice.best.penalty;
  chosen.validation_accuracy = choice.best.accuracy;
  chosen.hits = choice.best.hits;
  chosen.fit = std::move(learned.fit);
  return chosen;
}

/// What DSK-auto chooses among beside the plain kernel, which wins ties.
std::vector<Method> candidates(Classifier classifier) {
  std::vector<Method> methods;
  for (const Learning& learning :
       {Learning{Criterion::centred, Adjustment::affine}, Learning{Criterion::centred, Adjustment::power},
        Learning{Criterion::neighbour, Adjustment::affine}, Learning{Criterion::alignment, Adjustment::power}})
    methods.push_back({.learning = learning, .classifier = classifier});
  return methods;
}

ChosenMethod choose_automatically(const Dataset& train, const Method& method, SelectionOptions options) {
  options.theta_range = ThetaRange::any;
  options.scale = {Scale::Kind::unit, 1};
  const ChosenMethod plain = choose_plain(train, {.classifier = method.classifier}, options);
  ChosenMethod best = plain;
  for (const Method& candidate : candidates(method.classifier))
    keep_better(best, options.penalty ? with_penalty(train, candidate, options)
                                      : choose_learned(train, candidate, plain, options));
  return best;
}

}  // namespace

ChosenMethod choose_settings(const Dataset& train, const Comparison& comparison, Classifier classifier,
                             const SelectionOptions& options) {
  ChosenMethod best;
  best.validation_accuracy = -1;
  const Matrix distances = squared_distances(comparison, train.matrices(), options.pairs);
  score_distances({.method = {.metric = comparison.metric, .classifier = classifier}, .comparison = comparison}, train,
                  distances, stratified_folds(train, options.folds, options.seed), options, best);
  return best;
}

ChosenMethod choose_settings(const Dataset& train, const Method& method, const SelectionOptions& options) {
  if (method.automatic) return choose_automatically(train, method, options);
  if (!method.learning) return choose_plain(train, method, options);
  if (options.penalty) return with_penalty(train, method, options);
  return choose_learned(train, method, choose_plain(train, {.classifier = method.classifier}, options), options);
}

Index kernels_to_learn(const Method& method, const SelectionOptions& options) {
  if (method.automatic) {
    Index sum = 0;
    for (const Method& candidate : candidates(method.classifier)) sum += kernels_to_learn(candidate, options);
    return sum;
  }
  if (!method.learning) return 0;
  return options.penalty ? 1 : options.folds * static_cast<Index>(options.relative_penalties.size()) + 1;
}

std::vector<int> predict_classes(const ChosenMethod& chosen, const Dataset& train, const SpdBatch& x,
                                 const PairOptions& options) {
  if (chosen.method.classifier == Classifier::knn)
    return predict(train_knn(chosen.comparison, train,
                             {.neighbours = static_cast<Index>(chosen.setting), .threads = options.threads}),
                   x, options)
        .labels.codes();
  SvmTraining training;
  training.theta = chosen.theta;
  training.c = chosen.setting;
  training.allow_indefinite = true;
  training.pairs = options;
  return predict(train_svm(chosen.comparison, train, training), x, options).labels.codes();
}

}  // namespace dsk

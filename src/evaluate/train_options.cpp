// What is to be trained, and which options go together.

#include <dsk/train.hpp>

#include <fmt/format.h>

#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"

namespace dsk {
namespace {

/// Of the SVM alone.
bool gives_variant(const TrainOptions& options) {
  const SvmVariant& variant = options.selection.svm;
  return options.probabilities || variant.balanced || !variant.class_weights.empty() ||
         variant.margin != SoftMargin::linear;
}

bool gives_cs(const SelectionOptions& options) {
  return options.svm_cs != SelectionOptions().svm_cs;
}

bool gives_neighbours(const SelectionOptions& options) {
  return options.neighbours != SelectionOptions().neighbours;
}

bool gives_settings(const SelectionOptions& options) {
  return options.theta || options.penalty || gives_neighbours(options) || gives_cs(options) ||
         options.zetas != SelectionOptions().zetas;
}

/// The classifier that the given settings are for.
Classifier implied_classifier(const MethodParts& parts, const TrainOptions& options) {
  if (parts.combined) return Classifier::svm;
  if (options.nystrom || gives_neighbours(options.selection)) return Classifier::knn;
  const bool has_width = options.selection.theta && !parts.learning;
  return gives_cs(options.selection) || gives_variant(options) || has_width ? Classifier::svm : Classifier::knn;
}

void check_nystrom(const TrainOptions& options) {
  const Method& method = options.method;
  if (method.combining)
    throw InvalidInput("an approximation cannot be used with a combined kernel; use a single kernel");
  if (!options.kernel && detail::is_chosen_among_candidates(method, options.selection))
    throw InvalidInput("an approximation is for k-NN or the SVM with a plain or adjusted kernel, such as SK:svm");
  if (theta_rule(method.metric) == ThetaRule::none)
    throw InvalidInput(
        fmt::format("{} has no positive definite kernel, which an approximation needs", name(method.metric)));
  if (options.selection.theta_range == ThetaRange::any)
    throw InvalidInput(
        "an approximation needs a positive definite kernel, which the theta range any does not guarantee");
  if (options.probabilities) throw InvalidInput("probabilities are not calibrated with an approximation");
  if (!options.selection.given_folds.empty())
    throw InvalidInput("with an approximate kernel, settings are chosen on a sample: given folds cannot be used");
  if (options.choose_on < 2) throw InvalidInput(fmt::format("choose_on {} must be 2 or more", options.choose_on));
}

}  // namespace

Method complete(const MethodParts& parts, const TrainOptions& options) {
  Method method{.metric = parts.metric.value_or(Metric::stein), .learning = parts.learning};
  method.best = !parts.classifier && !parts.metric && !parts.learning && !parts.combined && !parts.given_kernel &&
                !options.nystrom && !gives_settings(options.selection) && !gives_variant(options);
  method.classifier = parts.classifier.value_or(implied_classifier(parts, options));
  if (!parts.metric && method.classifier == Classifier::mdm) method.metric = Metric::airm;
  if (parts.combined) method.combining = Method::Combining::chosen;
  return method;
}

void check_options(const TrainOptions& options) {
  const Method& method = options.method;
  const bool learned = options.kernel || method.learning || method.automatic;
  const bool svm = method.classifier == Classifier::svm && !method.best;
  if (method.majority) throw InvalidInput("the method majority cannot be trained: it has no model");
  if (method.combining && !svm) throw InvalidInput("a combined kernel is for the SVM");
  if (learned && !is_learnable(method.metric))
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned; use one of {}", name(method.metric),
                                   learnable_metric_choices()));
  if (theta_rule(method.metric) == ThetaRule::none && svm && options.selection.theta_range != ThetaRange::any)
    throw InvalidInput(fmt::format("{} has no positive definite kernel; use it with k-NN", name(method.metric)));
  if (!is_symmetric(method.metric) && svm)
    throw InvalidInput(fmt::format("{} is not symmetric and gives no kernel; use it with k-NN", name(method.metric)));
  if (!has_mean(method.metric) && method.classifier == Classifier::mdm && !method.best)
    throw InvalidInput(fmt::format("the metric {} has no mean; use it with k-NN", name(method.metric)));
  if (method.combining && options.kernel) throw InvalidInput("a given kernel cannot be combined with others");
  if (options.nystrom) check_nystrom(options);
  detail::check_combining({&method, 1}, options.selection);
  if (!svm && gives_variant(options)) throw InvalidInput("probabilities, class weights and margins are for the SVM");
}

}  // namespace dsk

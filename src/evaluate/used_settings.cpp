// Which settings have an effect on a method.

#include <dsk/evaluate.hpp>

#include "evaluate/candidate.hpp"
#include "evaluate/evaluate.hpp"

namespace dsk {
namespace {

bool learns_kernel(const Method& method) {
  return method.automatic || (method.learning && !method.learning->subspace);
}

/// Whether matrices are recentred or projected before a plain kernel compares them, whose widths are then relative
/// ones.
bool moves_first(const SelectionOptions& options) {
  return options.project.kind != Projecting::Kind::none || options.recentre == Recentring::all;
}

UsedSettings both(const UsedSettings& a, const UsedSettings& b) {
  return {.neighbours = a.neighbours || b.neighbours,
          .svm_cs = a.svm_cs || b.svm_cs,
          .theta = a.theta || b.theta,
          .theta_range = a.theta_range || b.theta_range,
          .zetas = a.zetas || b.zetas,
          .adjusting = a.adjusting || b.adjusting,
          .learning = a.learning || b.learning};
}

}  // namespace

UsedSettings used_settings(const Method& method, const SelectionOptions& options) {
  if (method.majority || !method.outside.empty()) return {};
  const Classifier classifier = method.classifier;
  const bool best = method.best, learns = learns_kernel(method), svm = classifier == Classifier::svm;
  const bool linear = classifier == Classifier::logistic || classifier == Classifier::tangent_svm;
  const bool projects = options.project.kind != Projecting::Kind::none;
  return {.neighbours = best || classifier == Classifier::knn,
          .svm_cs = best || svm || linear,
          .theta = is_from_paper(method) && (learns || (svm && !moves_first(options))),
          .theta_range = best || svm || learns || classifier == Classifier::mean,
          .zetas = !best && method.metric == Metric::powereuclidean,
          .adjusting = learns,
          .learning = best || learns || method.learning || method.combining || projects};
}

UsedSettings used_settings(const std::vector<Method>& methods, const SelectionOptions& options) {
  UsedSettings used;
  for (const Method& method : methods) used = both(used, used_settings(method, options));
  return used;
}

UsedSettings used_settings(const TrainOptions& options) {
  UsedSettings used = used_settings(options.method, options.selection);
  if (!options.nystrom) return used;
  // The features of an approximation are those of a kernel, whatever the classifier.
  used.theta |= options.kernel.has_value() || !detail::is_chosen_among_candidates(options.method, options.selection);
  used.theta_range = true;
  return used;
}

bool takes_complex(const Method& method, const SelectionOptions& options) {
  return !method.best && !method.learning && !method.automatic && !method.combining &&
         options.project.kind == Projecting::Kind::none;
}

}  // namespace dsk

// With which options each data set is evaluated.

#include <fmt/format.h>

#include "experiment/studies.hpp"

namespace dsk::experiment {

Index splits_of(const RunOptions& options, Index full, Index quick) {
  return options.splits > 0 ? options.splits : options.quick ? quick : full;
}

EvaluationOptions on_halves(std::string_view methods, Index splits, const RunOptions& options) {
  EvaluationOptions result;
  result.methods = Method::parse_list(methods);
  result.protocol = {.kind = Protocol::Kind::halves, .count = splits};
  result.seed = options.seed;
  result.selection.seed = options.seed;
  result.selection.alpha0 = options.alpha0;
  return result;
}

void save_time(SelectionOptions& selection, Index learn_on) {
  selection.learn_on = learn_on;
  selection.folds = 3;
  selection.svm_cs = {1, 10, 100};
  selection.relative_thetas = {0.25, 1, 4};
  selection.relative_penalties = {1e-2, 1e-1};  // what none gives is known from the plain kernel
}

std::string saved_time(const SelectionOptions& selection) {
  const auto in_list = [](const std::vector<double>& values) { return fmt::format("{:g}", fmt::join(values, ", ")); };
  return fmt::format(
      "to save time, kernels were learned from at most {} matrices of each training part, evenly from the classes, "
      "with a penalty of {} of the plain criterion, or none; C among {}, theta among {} over the median distance; "
      "chosen by {} folds.",
      selection.learn_on, in_list(selection.relative_penalties), in_list(selection.svm_cs),
      in_list(selection.relative_thetas), selection.folds);
}

EvaluationOptions on_textures_with_knn(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 896);
  return with;
}

EvaluationOptions on_textures_with_svm(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  // Each setting and fold trains 6216 machines.
  save_time(with.selection, 448);
  with.selection.relative_penalties = {1e-1};
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4};
  with.selection.zetas = {0.5};
  return with;
}

EvaluationOptions on_faces(std::string_view methods, const RunOptions& options) {
  return on_halves(methods, splits_of(options, 20, 1), options);
}

EvaluationOptions on_objects(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 640);
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4, 16};
  return with;
}

EvaluationOptions on_brain(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, 0, options);
  with.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 8};
  return with;
}

}  // namespace dsk::experiment

#include "experiment/data_sets.hpp"
#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {

ExperimentOutcome objects_table(const ExperimentOptions& options) {
  const Dataset data = objects(options);
  EvaluationOptions with = on_halves(all_methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 640);
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4, 16};
  const std::vector<Study> studies{{"by picture", without_groups(data), with}, {"by object", data, with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> by_picture = scores(evaluations[0]), by_object = scores(evaluations[1]);
  ExperimentOutcome outcome{.title = "8 kinds of objects, ETH-80 (Table VII)",
                            .answer = "Split by picture, as in the paper: " + verdict(by_picture) +
                                      " Split by object: " + verdict(by_object)};
  outcome.sections.push_back(method_section("Split by picture, as in the paper", by_picture, paper::objects()));
  outcome.sections.back().text.emplace_back(
      "Warning: each object has 41 views, and some of every object's views are learned from. These figures say how "
      "well "
      "known objects are recognised, not how well their kind is.");
  outcome.sections.push_back(
      method_section("Split by object: no view of a scored object was learned from", by_object, {}));
  outcome.sections.back().text.push_back("For both tables: " + saved_time(with.selection));
  outcome.settings = settings(options, "objects", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

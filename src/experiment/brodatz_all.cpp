#include "experiment/data_sets.hpp"
#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {

ExperimentOutcome brodatz_all(const ExperimentOptions& options) {
  EvaluationOptions with = on_halves(
      options.quick ? "AIRM:knn,CHK:knn,EUK:knn,LEK:knn,PEK:knn,SK:knn,DSK-KA-p:knn,DSK-auto:knn" : all_methods,
      splits_of(options, 20, 1), options);
  // Otherwise the margin criteria would take hours: they look at each of the 6216 pairs of classes in every step.
  with.selection.learn_on = 896;
  const std::vector<Study> studies{{"112 classes", brodatz(options), with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores(evaluations[0]);
  ExperimentOutcome outcome{.title = "112 textures of Brodatz (Table V)", .answer = verdict(all)};
  OutcomeSection section = method_section("", all, paper::brodatz_all());
  section.text.push_back(
      "Every accuracy here is well above the paper's, also of the plain metrics: its pictures were probably "
      "histogram-equalised, which this copy is not.");
  section.text.push_back(learned_from(with));
  outcome.sections = {section};
  outcome.settings = settings(options, "brodatz-all", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

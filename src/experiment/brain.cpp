#include "experiment/data_sets.hpp"
#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {

ExperimentOutcome brain_table(const ExperimentOptions& options) {
  EvaluationOptions with = on_halves(all_methods, 0, options);
  with.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 8};
  const std::vector<Study> studies{{with.protocol.text(), brain(options), with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores(evaluations[0]);
  ExperimentOutcome outcome{.title = "Brain networks (Table VIII)", .answer = verdict(all)};
  OutcomeSection section = method_section("", all, paper::brain());
  section.text.emplace_back(
      "Other subjects than the paper's: functional network connectivity of patients with schizophrenia and controls "
      "(28 "
      "regions), which stands in for ADNI (82 subjects, 42 regions). The figures cannot agree; the differences to SK "
      "may.");
  section.text.emplace_back(options.quick ? "8 folds in place of leave-one-out."
                                          : "With one subject left out, p is of the hits, subject by subject.");
  outcome.sections = {section};
  outcome.settings = settings(options, "brain", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

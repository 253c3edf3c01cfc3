#include <fmt/format.h>

#include "experiment/data_sets.hpp"
#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {
namespace {

std::vector<Study> by_subject(const Dataset& data, const EvaluationOptions& with) {
  const Labels& subjects = data.groups();
  std::vector<Study> studies;
  for (std::size_t s = 0; s < subjects.names().size(); ++s) {
    std::vector<Index> epochs;
    for (Index i = 0; i < data.size(); ++i)
      if (subjects[i] == static_cast<int>(s)) epochs.push_back(i);
    studies.push_back({"subject " + subjects.names()[s], without_groups(data.select(epochs)), with});
  }
  return studies;
}

}  // namespace

ExperimentOutcome eeg_table(const ExperimentOptions& options) {
  const std::vector<Study> studies =
      by_subject(eeg(options), on_halves(all_methods, splits_of(options, 20, 1), options));
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores_by_task(evaluations);
  ExperimentOutcome outcome{.title = "EEG: steady-state visual responses (not in the paper)", .answer = verdict(all)};
  OutcomeSection section = method_section(fmt::format("Mean over {} subjects", studies.size()), all, {});
  section.text.emplace_back("Each subject alone; ± is the deviation among subjects, p is over subjects.");
  OutcomeSection each{.heading = "Subject by subject, %"};
  const std::vector<std::string> shown = {"SK:knn", "DSK-CS-p:knn", "DSK-auto:knn",
                                          "SK:svm", "DSK-RM-p:svm", "DSK-auto:svm"};
  each.table = {{"subject"}};
  each.table[0].insert(each.table[0].end(), shown.begin(), shown.end());
  for (std::size_t s = 0; s < studies.size(); ++s) {
    std::vector<std::string> row{studies[s].name};
    for (const std::string& name : shown)
      for (const MethodResult& method : evaluations[s].methods)
        if (method.method.full_name() == name) row.push_back(percent(method.accuracy.mean));
    each.table.push_back(std::move(row));
  }
  outcome.sections = {section, each};
  outcome.settings = settings(options, "eeg", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

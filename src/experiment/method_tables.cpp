// Experiments that are a table of all methods: Brodatz textures, objects, brain networks and EEG.

#include <fmt/format.h>

#include <algorithm>

#include "experiment/data_sets.hpp"
#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {

ExperimentOutcome brodatz_all(const ExperimentOptions& options) {
  const Dataset data = brodatz(options);
  EvaluationOptions neighbours = on_halves(
      "AIRM:knn,CHK:knn,EUK:knn,LEK:knn,PEK:knn,SK:knn,DSK-KA-p:knn,DSK-KA-c:knn,DSK-CS-p:knn,DSK-CS-c:knn,DSK-auto:"
      "knn",
      splits_of(options, 20, 1), options);
  save_time(neighbours.selection, 896);
  std::vector<Study> studies{{"k-NN", data, neighbours}};
  EvaluationOptions margins =
      on_halves("CHK:svm,EUK:svm,LEK:svm,PEK:svm,SK:svm,DSK-RM-p:svm,DSK-RM-c:svm,DSK-TM-p:svm,DSK-TM-c:svm",
                splits_of(options, 1, 1), options);
  save_time(margins.selection, 448);
  // Each setting and fold trains 6216 machines: one half takes a quarter of an hour on two cores.
  margins.selection.relative_penalties = {1e-1};
  margins.selection.svm_cs = {10, 100};
  margins.selection.relative_thetas = {1, 4};
  margins.selection.zetas = {0.5};
  if (!options.quick) studies.push_back({"SVM", data, margins});
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  std::vector<Score> all;
  for (const Evaluation& one : evaluations)
    for (const Score& score : scores(one)) all.push_back(score);
  ExperimentOutcome outcome{.title = "112 Brodatz textures (Table V)", .answer = verdict(all)};
  OutcomeSection section = method_section("", all, paper::brodatz_all);
  if (std::all_of(all.begin(), all.end(), [](const Score& score) { return is_above(score, paper::brodatz_all); }))
    section.text.emplace_back(
        "Every accuracy here is above the paper's, including the plain metrics. The paper's images were probably "
        "histogram-equalised; these are not.");
  section.text.push_back("With k-NN: " + saved_time(neighbours.selection));
  section.text.push_back(options.quick ? "Quick runs leave out the SVM."
                                       : fmt::format("With the SVM, {} of the halves only: {}",
                                                     evaluations[1].splits.size(), saved_time(margins.selection)));
  outcome.sections = {section};
  outcome.settings = settings(options, "brodatz-all", evaluations);
  return outcome;
}

ExperimentOutcome objects_table(const ExperimentOptions& options) {
  const Dataset data = objects(options);
  EvaluationOptions with = on_halves(all_methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 640);
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4, 16};
  const std::vector<Study> studies{{"by picture", without_groups(data), with}, {"by object", data, with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> by_picture = scores(evaluations[0]), by_object = scores(evaluations[1]);
  ExperimentOutcome outcome{
      .title = "8 classes of objects, ETH-80 (Table VII)",
      .answer = "Split by image, as in the paper: " + verdict(by_picture) + " Split by object: " + verdict(by_object)};
  outcome.sections.push_back(method_section("Split by image, as in the paper", by_picture, paper::objects));
  outcome.sections.back().text.emplace_back(
      "Warning: each object has 41 views, and some views of every object are in the training part. These accuracies "
      "measure how well known objects are recognised, not how well their class is.");
  outcome.sections.push_back(
      method_section("Split by object: no view of a test object is in the training part", by_object, {}));
  outcome.sections.back().text.push_back("For both tables: " + saved_time(with.selection));
  outcome.settings = settings(options, "objects", evaluations);
  return outcome;
}

ExperimentOutcome brain_table(const ExperimentOptions& options) {
  EvaluationOptions with = on_halves(all_methods, 0, options);
  with.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 8};
  const std::vector<Study> studies{{with.protocol.text(), brain(options), with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores(evaluations[0]);
  ExperimentOutcome outcome{.title = "Brain networks (Table VIII)", .answer = verdict(all)};
  OutcomeSection section = method_section("", all, paper::brain);
  section.text.emplace_back(
      "The subjects differ from the paper's: functional network connectivity of patients with schizophrenia and "
      "controls "
      "(28 regions) replaces ADNI (82 subjects, 42 regions). Accuracies are not comparable; differences from SK may "
      "be.");
  section.text.emplace_back(options.quick
                                ? "8-fold cross-validation instead of leave-one-out."
                                : "With leave-one-out, p compares correct and wrong predictions subject by subject.");
  outcome.sections = {section};
  outcome.settings = settings(options, "brain", evaluations);
  return outcome;
}

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
  ExperimentOutcome outcome{.title = "EEG: steady-state visual evoked potentials (not in the paper)",
                            .answer = verdict(all)};
  OutcomeSection section = method_section(fmt::format("Mean over {} subjects", studies.size()), all, {});
  section.text.emplace_back(
      "Each subject is evaluated separately. ± is the standard deviation among subjects; p compares subjects.");
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

// Experiments that are a table of all methods: Brodatz textures, objects, brain networks and EEG.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"

namespace dsk::experiment {

Outcome brodatz_all(const RunOptions& options) {
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
    for (const Score& score : scores(one)) {
      // One row for the majority class, the last.
      if (!all.empty() && all.back().method.majority) all.pop_back();
      all.push_back(score);
    }
  Outcome outcome{.title = "112 Brodatz textures (Table V)", .answer = verdict(all)};
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

Outcome objects_table(const RunOptions& options) {
  const Dataset data = objects(options);
  EvaluationOptions with = on_halves(all_methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 640);
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4, 16};
  const std::vector<Study> studies{{"by picture", without_groups(data), with}, {"by object", data, with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> by_picture = scores(evaluations[0]), by_object = scores(evaluations[1]);
  Outcome outcome{
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

Outcome brain_table(const RunOptions& options) {
  EvaluationOptions with = on_halves(all_methods, 0, options);
  with.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 8};
  const std::vector<Study> studies{{with.protocol.text(), brain(options), with}};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores(evaluations[0]);
  Outcome outcome{.title = "Brain networks (Table VIII)", .answer = verdict(all)};
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

/// The subjects in the order of their names, at most so many.
Dataset first_subjects(const Dataset& data, int most) {
  std::vector<Index> epochs;
  for (Index i = 0; i < data.size(); ++i)
    if (data.groups()[i] < most) epochs.push_back(i);
  const Dataset some = data.select(epochs);
  const Labels& all = some.groups();
  std::vector<std::string> names;
  for (Index i = 0; i < some.size(); ++i) names.push_back(all.names()[static_cast<std::size_t>(all[i])]);
  return Dataset(some.matrices(), some.labels(), Labels(names));
}

/// Every subject is predicted from the others. Each is recentred by its own mean, for which no label is needed.
Study across_subjects(const Dataset& data, const RunOptions& options) {
  constexpr int few = 3;
  EvaluationOptions with = on_halves("MDM,TS:lr,SK:knn,DSK-CA-s:mean,auto", 0, options);
  with.protocol = {.kind = Protocol::Kind::logo};
  with.selection.recentre = Recentring::groups;
  return {"leave one subject out", options.quick ? first_subjects(data, few) : data, with};
}

OutcomeSection each_subject(const std::vector<Study>& studies, const std::vector<Evaluation>& evaluations) {
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
  return each;
}

OutcomeSection across_section(const Evaluation& evaluation) {
  OutcomeSection section = method_section("Leave one subject out", scores(evaluation), {});
  section.text.emplace_back(fmt::format(
      "Each of {} subjects is predicted by what was learned from the others. The matrices of every subject are "
      "recentred by their own mean first, which needs no labels. ± is the standard deviation among subjects; p "
      "compares subjects.",
      evaluation.splits.size()));
  return section;
}

/// The best method, and the plain kernel.
std::string across_answer(const Evaluation& evaluation) {
  const MethodResult& best = evaluation.methods[evaluation.ranking.best];
  const MethodResult& plain = evaluation.methods[evaluation.methods.front().baseline];
  return fmt::format("Leave one subject out: {} is best with {:.1f} %; {} has {:.1f} %.", best.method.full_name(),
                     100 * best.accuracy.mean, plain.method.full_name(), 100 * plain.accuracy.mean);
}

}  // namespace

Outcome eeg_table(const RunOptions& options) {
  const Dataset data = eeg(options);
  std::vector<Study> studies = by_subject(data, on_halves(all_methods, splits_of(options, 20, 1), options));
  const std::size_t subjects = studies.size();
  // Settings are chosen with whole subjects left out, so that at least two must remain.
  const bool several = subjects > 2;
  if (several) studies.push_back(across_subjects(data, options));
  std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  std::vector<Setting> listed = settings(options, "eeg", evaluations);
  std::optional<Evaluation> across;
  if (several) {
    across = std::move(evaluations.back());
    studies.pop_back();
    evaluations.pop_back();
  }
  const std::vector<Score> all = scores_by_task(evaluations);
  Outcome outcome{.title = "EEG: steady-state visual evoked potentials (not in the paper)", .answer = verdict(all)};
  OutcomeSection section = method_section(fmt::format("Mean over {} subjects", subjects), all, {});
  section.text.emplace_back(
      "Each subject is evaluated separately. ± is the standard deviation among subjects; p compares subjects.");
  outcome.sections = {section, each_subject(studies, evaluations)};
  if (across) {
    outcome.answer += " " + across_answer(*across);
    outcome.sections.push_back(across_section(*across));
  }
  outcome.settings = std::move(listed);
  return outcome;
}

}  // namespace dsk::experiment

// Experiments that are a table of all methods: Brodatz textures, objects, brain networks and EEG.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment/experiment.hpp"
#include "experiment/scores.hpp"

namespace dsk::experiment {

namespace {

/// The tables of all textures, from pictures as they are and from equalised ones, with the same methods and settings.
Outcome textures_tables(std::string_view experiment, std::string_view classifier, std::string_view methods,
                        const RunOptions& options) {
  std::vector<Study> studies;
  for (const bool equalised : {false, true})
    studies.push_back(with_textures(fmt::format("{}{}", classifier, equalised ? ", equalised" : ""),
                                    brodatz(options, Estimator::sample, 1, equalised), methods, options));
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  Outcome outcome{.title = fmt::format("112 Brodatz textures with {} (Table V)", classifier)};
  for (const bool equalised : {false, true}) {
    const std::vector<Score> all = scores(evaluations[equalised ? 1 : 0]);
    outcome.answer += (equalised ? " With equalised histograms: " : "Pictures as they are: ") + verdict(all);
    outcome.sections.push_back(method_section(equalised ? "Pictures with equalised histograms" : "Pictures as they are",
                                              all, paper::brodatz_all));
  }
  outcome.sections.back().text.push_back("For both tables: " + saved_time(studies[0]));
  say_quick(outcome, options, fmt::format("{} of 112 textures", quick_textures));
  outcome.settings = settings(options, experiment, evaluations);
  return outcome;
}

}  // namespace

Outcome brodatz_all_knn(const RunOptions& options) {
  return textures_tables("brodatz-all", "k-NN", methods_with_knn + "," + other_methods, options);
}

Outcome brodatz_all_svm(const RunOptions& options) {
  return textures_tables("brodatz-all-svm", "the SVM", methods_with_svm + "," + other_methods, options);
}

Outcome objects_table(const RunOptions& options) {
  const Dataset data = objects(options);
  const std::vector<Study> studies{with_objects("by picture", without_groups(data), all_methods, options),
                                   with_objects("by object", data, all_methods, options)};
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> by_picture = scores(evaluations[0]), by_object = scores(evaluations[1]);
  Outcome outcome{
      .title = "8 classes of objects, ETH-80 (Table VII)",
      .answer = "Split by image, as in the paper: " + verdict(by_picture) + " Split by object: " + verdict(by_object)};
  outcome.sections.push_back(method_section("Split by image, as in the paper", by_picture, paper::objects));
  outcome.sections.back().text.push_back(informed_choice(true, false));
  outcome.sections.back().text.emplace_back(
      "Warning: each object has 41 views, and some views of every object are in the training part. These accuracies "
      "measure how well known objects are recognised, not how well their class is.");
  outcome.sections.push_back(
      method_section("Split by object: no view of a test object is in the training part", by_object, {}));
  outcome.sections.back().text.push_back(informed_choice(true, false));
  outcome.sections.back().text.push_back("For both tables: " + saved_time(studies[0]));
  say_quick(outcome, options, fmt::format("about {} of 3280 views", quick_views));
  outcome.settings = settings(options, "objects", evaluations);
  return outcome;
}

Outcome brain_table(const RunOptions& options) {
  std::vector<Study> studies{with_subjects("", brain(options), all_methods, options)};
  studies[0].name = studies[0].options.protocol.text();
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  const std::vector<Score> all = scores(evaluations[0]);
  Outcome outcome{.title = "Brain networks (Table VIII)", .answer = verdict(all)};
  for (const std::string& sentence : one_class_sentences(all)) outcome.answer += " " + sentence;
  OutcomeSection section = method_section("", all, paper::brain);
  section.text.push_back(informed_choice(true, true));
  section.text.emplace_back(
      "The subjects differ from the paper's: functional network connectivity of patients with schizophrenia and "
      "controls (28 regions) replaces ADNI (82 subjects, 42 regions). Accuracies are not comparable; differences from "
      "SK may be.");
  if (!options.quick)
    section.text.emplace_back("With leave-one-out, p compares correct and wrong predictions subject by subject.");
  outcome.sections = {section};
  say_quick(outcome, options, "5-fold cross-validation instead of leave-one-out");
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
  EvaluationOptions with = on_halves("MDM,TS:lr,PEK:knn,SK:knn,DSK-CA-s:mean,auto", 0, options);
  with.protocol = {.kind = Protocol::Kind::logo};
  with.selection.recentre = Recentring::groups;
  return {"leave one subject out", data, with};
}

OutcomeSection each_subject(const std::vector<Study>& studies, const std::vector<Evaluation>& evaluations) {
  OutcomeSection each{.heading = "Subject by subject, %"};
  const std::vector<std::string> shown = {
      "SK:knn", "DSK-CS-p-printed:knn", "DSK-auto:knn", "SK:svm", "DSK-RM-p-printed:svm", "DSK-auto:svm", "TS:lr",
      "auto"};
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
  section.text.push_back(informed_choice(false, true));
  return section;
}

/// The best methods of each origin; no order of few subjects.
std::string across_answer(const Evaluation& evaluation) {
  const std::string best = highest_accuracies(scores(evaluation));
  return "Leave one subject out: " + (best.empty() ? "too few subjects to compare." : best + ".");
}

}  // namespace

Outcome eeg_table(const RunOptions& options) {
  const Dataset data = options.quick ? first_subjects(eeg(options), quick_subjects) : eeg(options);
  std::vector<Study> studies = by_subject(data, on_halves(all_methods, splits_of(options, 20), options));
  const std::size_t subjects = studies.size();
  // Settings are chosen with whole subjects left out, so that at least two must remain.
  const bool several = subjects > 2;
  if (several) studies.push_back(across_subjects(data, options));
  std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  std::vector<Evaluation::Setting> made_with = settings(options, "eeg", evaluations);
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
  section.text.push_back(informed_choice(true, true));
  outcome.sections = {section, each_subject(studies, evaluations)};
  if (across) {
    outcome.answer += " " + across_answer(*across);
    outcome.sections.push_back(across_section(*across));
  }
  say_quick(outcome, options, fmt::format("{} of 12 subjects", quick_subjects));
  outcome.settings = std::move(made_with);
  return outcome;
}

}  // namespace dsk::experiment

#include <dsk/files.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>

#include "experiment/experiment.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

using namespace dsk::experiment;

std::vector<Study> two_studies(Index splits) {
  std::vector<Study> studies;
  for (const std::uint64_t seed : {1u, 2u}) {
    EvaluationOptions with = on_halves("SK:knn,LEK:knn", splits, {});
    studies.push_back({"study " + std::to_string(seed),
                       wishart_classes({.per_class = 8, .dim = 2, .degrees = 5, .tau = 1, .seed = seed}), with});
  }
  return studies;
}

using Kept = std::map<std::string, std::vector<SplitResult>>;

RunOptions keeping(Kept& kept) {
  RunOptions options;
  options.threads = 1;
  options.finished = [&](const Study& study) { return kept[study.name]; };
  options.on_result = [&](const Study& study, const SplitResult& result) {
    kept[study.name].push_back(result);
    return true;
  };
  return options;
}

TEST(EvaluateAll, IsEvaluateForEveryStudy) {
  const std::vector<Study> studies = two_studies(5);
  const std::vector<Evaluation> found = evaluate_all(studies, {});
  for (std::size_t s = 0; s < studies.size(); ++s) {
    const Evaluation by_itself = evaluate(studies[s].data, studies[s].options);
    ASSERT_EQ(found[s].splits.size(), 5u);
    for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(found[s].methods[m].accuracies, by_itself.methods[m].accuracies);
  }
}

TEST(EvaluateAll, LearnsTheSameKernelsWhereMethodsShareThem) {
  std::vector<Study> studies = two_studies(1);
  studies.pop_back();
  studies[0].options.methods = Method::parse_list(
      "DSK-KA-p-printed:knn,DSK-CS-p:knn,DSK-KA-p:knn,DSK-auto:knn,DSK-RM-p:svm,DSK-auto:svm,DSK-RM-p-printed:svm,"
      "DSK-RM-c-printed:svm,DSK-RM-c:svm,DSK-KA-c-printed:knn");
  const Evaluation found = evaluate_all(studies, {}).front();
  const Evaluation by_itself = evaluate(studies[0].data, studies[0].options);
  ASSERT_EQ(found.results.size(), 10u);
  for (std::size_t r = 0; r < 10; ++r) {
    EXPECT_EQ(found.results[r].method, by_itself.results[r].method);
    EXPECT_EQ(found.results[r].predicted, by_itself.results[r].predicted) << found.results[r].method;
    EXPECT_EQ(found.results[r].penalty, by_itself.results[r].penalty) << found.results[r].method;
    EXPECT_EQ(found.results[r].theta, by_itself.results[r].theta) << found.results[r].method;
  }
}

TEST(EvaluateAll, GoesOnWhereItWasStopped) {
  const std::vector<Study> studies = two_studies(5);
  Kept kept;
  RunOptions stopping = keeping(kept);
  int left = 7;
  stopping.on_result = [&](const Study& study, const SplitResult& result) {
    kept[study.name].push_back(result);
    return --left > 0;
  };
  EXPECT_THROW(evaluate_all(studies, stopping), Cancelled);
  EXPECT_EQ(kept["study 1"].size() + kept["study 2"].size(), 7u);
  int computed = 0;
  RunOptions going_on = keeping(kept);
  going_on.on_result = [&](const Study&, const SplitResult&) { return ++computed > 0; };
  const std::vector<Evaluation> found = evaluate_all(studies, going_on);
  EXPECT_EQ(computed, 20 - 7);
  const std::vector<Evaluation> at_once = evaluate_all(studies, {});
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(found[s].methods[1].accuracies, at_once[s].methods[1].accuracies);
}

TEST(EvaluateAll, MoreSplitsBuildOnFewer) {
  Kept kept;
  evaluate_all(two_studies(2), keeping(kept));
  int computed = 0;
  RunOptions more = keeping(kept);
  more.on_result = [&](const Study&, const SplitResult&) { return ++computed > 0; };
  evaluate_all(two_studies(5), more);
  EXPECT_EQ(computed, 2 * 2 * 3);
  EXPECT_EQ(evaluate_all(two_studies(1), keeping(kept))[0].splits.size(), 1u);
}

TEST(EvaluateAll, StopsInTimeWithEquallyManySplits) {
  RunOptions options;
  options.minutes = 1e-9;
  const std::vector<Evaluation> found = evaluate_all(two_studies(9), options);
  EXPECT_EQ(found[0].splits.size(), 2u);
  EXPECT_EQ(found[1].splits.size(), 2u);
}

TEST(EvaluateAll, LeavesOneOutAsAWhole) {
  std::vector<Study> studies = two_studies(5);
  studies[1].options.protocol = {.kind = Protocol::Kind::loo};
  RunOptions options;
  options.minutes = 1e-9;
  const std::vector<Evaluation> found = evaluate_all(studies, options);
  EXPECT_EQ(found[0].splits.size(), 2u);
  ASSERT_EQ(found[1].splits.size(), 16u);
  EXPECT_EQ(found[1].methods[0].accuracies, evaluate(studies[1].data, studies[1].options).methods[0].accuracies);
}

TEST(EvaluateAll, CountsDownToNothing) {
  RunOptions options;
  std::vector<ExperimentOptions::Progress> seen;
  options.threads = 1;
  options.on_progress = [&](const ExperimentOptions::Progress& progress) { seen.push_back(progress); };
  evaluate_all(two_studies(3), options);
  ASSERT_EQ(seen.size(), 13u);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].done, static_cast<Index>(k));
    EXPECT_EQ(seen[k].all, 12);
  }
  EXPECT_EQ(seen.back().seconds_left, 0);
  EXPECT_GT(seen[6].seconds_left, 0);
}

using StudyFiles = Scratch;

/// A method has one accuracy on a study, and is computed once, whichever experiments show it.
TEST_F(StudyFiles, TakeOverResultsOfTheSameStudyInOtherFiles) {
  const Study made = two_studies(2)[0];
  const std::vector<SplitResult> results = evaluate(made.data, made.options).results;
  ASSERT_EQ(results.size(), 4u);
  {
    StudyFile first(*this / "brain.json.gz", "brain", 1);
    for (const SplitResult& result : results) first.add(made, result);
    first.finish({}, {});
    EXPECT_EQ(first.taken_over(), "");
  }
  Study same = made, fewer = made, other = two_studies(2)[1];
  same.name = "by another name";
  fewer.name = "with SK alone";
  fewer.options.methods = Method::parse_list("SK:knn");
  {
    StudyFile second(*this / "eeg.json", "eeg", 2);
    EXPECT_EQ(second.results(same).size(), 4u);
    EXPECT_EQ(second.results(same).size(), 4u) << "once";
    EXPECT_EQ(second.results(fewer).size(), 2u);
    EXPECT_TRUE(second.results(other).empty()) << "other data";
    same.options.selection.folds = 3;
    same.name = "by other folds";
    EXPECT_TRUE(second.results(same).empty());
    EXPECT_EQ(second.taken_over(), "6 from brain");
    EXPECT_EQ(second.results(made)[3].predicted, results[3].predicted);
    second.finish({}, {});
  }
  std::ifstream stream(*this / "eeg.json");
  const nlohmann::json file = nlohmann::json::parse(stream);
  ASSERT_EQ(file["made_by"].size(), 1u) << "who computed them";
  EXPECT_EQ(file["made_by"][0]["threads"], 1);
  put("damaged.json", "{ no json");
  EXPECT_EQ(StudyFile(*this / "timing.json", "timing").results(made).size(), 4u);
}

/// Version 0.2.0 wrote format 1. Since then, learned methods choose theta by other rules.
TEST_F(StudyFiles, OfAVersionWithOtherRulesAreNotMixedIn) {
  const Study made = two_studies(2)[0];
  {
    StudyFile file(*this / "eeg.json", "eeg", 1);
    for (const SplitResult& result : evaluate(made.data, made.options).results) file.add(made, result);
    file.finish({}, {});
  }
  std::ifstream stream(*this / "eeg.json");
  nlohmann::json old = nlohmann::json::parse(stream);
  EXPECT_EQ(StudyFile(*this / "timing.json", "timing").results(made).size(), 4u);
  std::filesystem::remove(*this / "timing.json");
  old["studies"][made.name]["settings"]["format"] = 1;
  put("eeg.json", old.dump());
  EXPECT_TRUE(StudyFile(*this / "faces.json", "faces").results(made).empty()) << "beside it";
  EXPECT_SAYS(message_of([&] { (void)StudyFile(*this / "eeg.json", "eeg").results(made); }),
              "eeg.json: holds results of another version of dsk, which chose settings by other rules");
}

TEST(Experiments, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const Experiment& one : experiments()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(&find_experiment(one.name), &one);
  }
  EXPECT_EQ(names.size(), 16u);
  EXPECT_NE(
      message_of([] { find_experiment("brodaz"); }).find("unknown experiment 'brodaz'; available: eigenvalue-bias"),
      std::string::npos);
}

}  // namespace
}  // namespace dsk::test

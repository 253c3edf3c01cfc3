#include <dsk/evaluate.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <limits>

#include "files/scratch.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class ResultsFile : public Scratch {
 protected:
  static Dataset data() {
    return wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 12, .tau = 0.5});
  }

  EvaluationOptions options(const std::string& methods) const {
    EvaluationOptions options;
    options.methods = Method::parse_list(methods);
    options.protocol = Protocol::parse("halves:3");
    options.selection.folds = 3;
    options.selection.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
    options.threads = 1;
    options.results_file = *this / "r.json";
    return options;
  }

  nlohmann::json kept() const { return nlohmann::json::parse(get("r.json")); }
};

TEST_F(ResultsFile, HoldsTheEvaluationAndIsResumed) {
  EvaluationOptions with = options("SK:knn,DSK-CA-a:knn,LEK:svm");
  const Evaluation first = evaluate(data(), with);
  EXPECT_EQ(get("r.json"), as_json(first) + "\n");
  EXPECT_EQ(kept()["splits"].size(), 9u);
  const std::string before = get("r.json");
  Index computed = 0;
  EvaluationOptions::Plan plan;
  with.on_result = [&](const SplitResult&) { return ++computed > 0; };
  with.on_start = [&](const EvaluationOptions::Plan& one) { plan = one; };
  const Evaluation again = evaluate(data(), with);
  EXPECT_EQ(computed, 0);
  EXPECT_EQ(plan.finished, 9);
  EXPECT_EQ(plan.splits, 3);
  EXPECT_EQ(plan.methods, 3);
  EXPECT_EQ(plan.kernels, 3 * 7);
  EXPECT_EQ(get("r.json"), before);
}

TEST_F(ResultsFile, OfVersionsWithoutTheMajorityClassIsResumed) {
  const Evaluation whole = evaluate(data(), options("SK:knn,LEK:knn"));
  nlohmann::ordered_json old = nlohmann::ordered_json::parse(get("r.json"));
  old["methods"].erase(2);
  old.erase("ranking");
  for (auto& row : old["methods"]) {
    for (const std::string key : {"interval", "answers_one_class"}) row.erase(key);
    if (row.contains("against"))
      for (const std::string key : {"test", "p", "p_holm"}) row["against"].erase(key);
  }
  put("r.json", old.dump());
  EvaluationOptions again = options("SK:knn,LEK:knn");
  Index computed = 0;
  again.on_result = [&](const SplitResult&) { return ++computed > 0; };
  const Evaluation resumed = evaluate(data(), again);
  EXPECT_EQ(computed, 0);
  ASSERT_EQ(resumed.methods.size(), 3u);
  EXPECT_EQ(resumed.methods[2].accuracies, whole.methods[2].accuracies);
  EXPECT_EQ(get("r.json"), as_json(whole) + "\n");

  // With the majority class asked for, it is a method like the others and kept in the file.
  evaluate(data(), options("SK:knn,majority"));
  EXPECT_EQ(kept()["splits"].size(), 9u);
  EXPECT_EQ(kept()["methods"].size(), 2u);
}

/// Version 0.2.0 wrote format 1. Since then, learned methods choose theta by other rules.
TEST_F(ResultsFile, OfAVersionWithOtherRulesIsRefused) {
  evaluate(data(), options("SK:knn"));
  ASSERT_EQ(kept()["settings"]["format"], 2);
  for (const int format : {1, 3}) {
    nlohmann::json other = kept();
    other["settings"]["format"] = format;
    put("r.json", other.dump());
    for (const std::string methods : {"SK:knn", "LEK:knn"})
      EXPECT_SAYS(message_of([&] { evaluate(data(), options(methods)); }),
                  "r.json: holds results of another version of dsk, which chose settings by other rules; remove it");
    EXPECT_EQ(get("r.json"), other.dump());
    // On its own it is read as it is.
    EXPECT_EQ(load_evaluation(*this / "r.json", data()).methods.size(), 2u);
    std::filesystem::remove(*this / "r.json");
    evaluate(data(), options("SK:knn"));
  }
}

TEST_F(ResultsFile, KeepsResultsOfOtherMethods) {
  evaluate(data(), options("SK:knn,EUK:knn"));
  evaluate(data(), options("LEK:knn"));
  EXPECT_EQ(kept()["splits"].size(), 9u);
  EXPECT_EQ(kept()["methods"].size(), 2u) << "and the majority class";
  Index computed = 0;
  EvaluationOptions all = options("SK:knn,EUK:knn,LEK:knn");
  all.on_result = [&](const SplitResult&) { return ++computed > 0; };
  evaluate(data(), all);
  EXPECT_EQ(computed, 0);
}

TEST_F(ResultsFile, IsRefusedForOtherSettingsOrSomethingElse) {
  evaluate(data(), options("SK:knn"));
  EvaluationOptions other = options("SK:knn");
  other.seed = 1;
  EXPECT_SAYS(message_of([&] { evaluate(data(), other); }), "holds results of other data or settings");
  other = options("SK:knn");
  other.selection.svm.margin = SoftMargin::squared;
  EXPECT_SAYS(message_of([&] { evaluate(data(), other); }), "holds results of other data or settings");
  put("r.json", "my notes");
  EXPECT_SAYS(message_of([&] { evaluate(data(), options("SK:knn")); }), "exists but is not an evaluation file");
  EXPECT_EQ(get("r.json"), "my notes");
}

TEST_F(ResultsFile, IsReadAndWrittenByRankZero) {
  const Evaluation alone = evaluate(data(), options("SK:knn,LEK:knn"));
  nlohmann::ordered_json part = nlohmann::ordered_json::parse(get("r.json"));
  part["splits"].erase(2);
  part["splits"][0]["theta"] = 42.5;  // recognisable: it is not computed again
  put("r.json", part.dump());
  as_team(3, [&](const Team& team) {
    EvaluationOptions shared = options("SK:knn,LEK:knn");
    shared.selection.pairs.team = &team;
    const Evaluation found = evaluate(data(), shared);
    EXPECT_EQ(found.results[0].theta, 42.5);
    ASSERT_EQ(found.results.size(), alone.results.size());
    for (std::size_t k = 0; k < alone.results.size(); ++k)
      EXPECT_EQ(found.results[k].predicted, alone.results[k].predicted);
  });
  EXPECT_EQ(kept()["splits"].size(), 6u);
}

TEST_F(ResultsFile, SaysWhichClassesLieInOneGroup) {
  std::vector<std::string> groups;
  for (Index i = 0; i < 30; ++i) groups.push_back(i < 10 ? "one" : "group " + std::to_string(i % 5));
  const Dataset drawn = data();
  const Dataset some(drawn.matrices(), drawn.labels(), Labels(groups));
  const Evaluation evaluation = evaluate(some, options("SK:knn"));
  ASSERT_EQ(evaluation.warnings.size(), 1u);
  EXPECT_SAYS(evaluation.warnings[0], "1 of 3 classes lies in a single group ('0')");
  EXPECT_EQ(kept()["warnings"], evaluation.warnings);

  for (Index i = 0; i < 30; ++i) groups[static_cast<std::size_t>(i)] = std::to_string(i / 10);
  const Dataset all(drawn.matrices(), drawn.labels(), Labels(groups));
  for (const std::string protocol : {"halves:2", "kfold:3", "loo"}) {
    EvaluationOptions with = options("SK:knn");
    with.results_file.clear();
    with.protocol = Protocol::parse(protocol);
    EXPECT_THROW(evaluate(all, with), ClassesInOneGroup);
    EXPECT_NO_THROW(evaluate(all.without_groups(), with));
  }
}

TEST_F(ResultsFile, IsUsedByOneEvaluationAtATime) {
  EvaluationOptions outer = options("SK:knn");
  std::string complaint;
  outer.on_result = [&](const SplitResult&) {
    if (complaint.empty()) complaint = message_of([&] { evaluate(data(), options("SK:knn")); });
    return true;
  };
  evaluate(data(), outer);
  EXPECT_SAYS(complaint, "r.json: is in use by another run");
  EXPECT_NO_THROW(evaluate(data(), options("SK:knn")));
  EXPECT_FALSE(std::filesystem::exists(*this / "r.json.lock"));
}

TEST_F(ResultsFile, HoldsEveryResultAfterAnInterruption) {
  EvaluationOptions with = options("EUK:knn");
  with.protocol = Protocol::parse("halves:40");
  Index computed = 0;
  with.on_result = [&](const SplitResult&) { return ++computed < 30; };
  EXPECT_THROW(evaluate(data(), with), Cancelled);
  EXPECT_EQ(kept()["splits"].size(), 30u);
}

/// Everything in a results file but how long it took.
nlohmann::json without_times(nlohmann::json file) {
  for (const char* const part : {"splits", "methods"})
    for (auto& row : file[part]) row.erase("seconds");
  return file;
}

TEST_F(ResultsFile, OfKernelsByOtherMetricsAndCombinedOnesIsResumed) {
  const std::string methods = "DLEK-CA-a:svm,DPEK-CA-s:svm,DCHK-CA-p:knn,MK:svm";
  EvaluationOptions with = options(methods);
  with.selection.svm_cs = {1, 100};
  const Evaluation whole = evaluate(data(), with);
  const nlohmann::json expected = without_times(kept());
  std::filesystem::remove(with.results_file);
  Index computed = 0;
  with.on_result = [&](const SplitResult&) { return ++computed < 5; };
  EXPECT_THROW(evaluate(data(), with), Cancelled);
  EXPECT_EQ(kept()["splits"].size(), 5u);
  computed = 0;
  with.on_result = [&](const SplitResult&) { return ++computed > 0; };
  const Evaluation resumed = evaluate(data(), with);
  EXPECT_EQ(computed, 7);
  ASSERT_EQ(resumed.results.size(), whole.results.size());
  for (std::size_t r = 0; r < whole.results.size(); ++r) {
    EXPECT_EQ(resumed.results[r].predicted, whole.results[r].predicted) << whole.results[r].method;
    EXPECT_EQ(resumed.results[r].chosen, whole.results[r].chosen);
    EXPECT_EQ(resumed.results[r].theta, whole.results[r].theta);
  }
  EXPECT_EQ(without_times(kept()), expected);
}

/// The interrupt comes when a result is there, and stops what is computed next.
TEST_F(ResultsFile, OfCombinedKernelsThatWereInterruptedIsThatOfOneRun) {
  EvaluationOptions with = options("MK:svm,MK-aligned:svm");
  with.selection.svm_cs = {1, 100};
  evaluate(data(), with);
  const nlohmann::json expected = without_times(kept());
  std::filesystem::remove(with.results_file);
  for (std::size_t finished = 1; finished < 6; ++finished) {
    with.on_result = [](const SplitResult&) {
      interrupt();
      return true;
    };
    EXPECT_THROW(evaluate(data(), with), Interrupted);
    allow_computation();
    EXPECT_EQ(kept()["splits"].size(), finished);
  }
  with.on_result = {};
  evaluate(data(), with);
  EXPECT_EQ(without_times(kept()), expected);
}

TEST_F(ResultsFile, IsWrittenAndReadOnItsOwn) {
  EvaluationOptions with = options("SK:knn,MDM");
  with.results_file.clear();
  with.first_splits = 2;
  const Evaluation evaluation = evaluate(data(), with);
  save(evaluation, *this / "e.json");
  const Evaluation copy = load_evaluation(*this / "e.json", data());
  EXPECT_EQ(as_json(copy), as_json(evaluation));
  EXPECT_EQ(copy.splits.size(), 2u);
  EXPECT_EQ(copy.protocol.text(), "halves:3");
  EXPECT_EQ(copy.class_names, evaluation.class_names);
  EXPECT_EQ(answer(copy), answer(evaluation));
}

TEST_F(ResultsFile, IsReadForTheSameDataOnly) {
  EvaluationOptions with = options("SK:knn");
  evaluate(data(), with);
  const auto message = [&](const std::string& name, const Dataset& given) {
    return message_of([&] { load_evaluation(*this / name, given); });
  };
  const Dataset other = wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 12, .seed = 5});
  EXPECT_NE(message("r.json", other).find("other data"), std::string::npos);
  EXPECT_NE(message("none.json", data()).find("does not exist"), std::string::npos);
  put("text.json", "[1, 2]");
  EXPECT_NE(message("text.json", data()).find("is not an evaluation file"), std::string::npos);
  nlohmann::json changed = kept();
  changed["splits"].erase(1);
  put("part.json", changed.dump());
  EXPECT_NE(message("part.json", data()).find("lacks the result of SK:knn on split 2"), std::string::npos);
  changed = kept();
  changed["splits"][0]["predicted"][0] = 77;
  put("codes.json", changed.dump());
  EXPECT_NE(message("codes.json", data()).find("codes.json: finished results do not fit"), std::string::npos);
  for (const char* const field : {"/splits/0/split", "/splits/0/predicted/0"})
    for (const double number : {1e20, -1e20, 0.5}) {
      changed = kept();
      changed[nlohmann::json::json_pointer(field)] = number;
      put("numbers.json", changed.dump());
      EXPECT_SAYS(message("numbers.json", data()), "numbers.json: exists but is not an evaluation file");
    }
}

TEST_F(ResultsFile, OfDeepNestsIsRefused) {
  // Deep enough for a copy of it to overflow the stack.
  constexpr std::size_t depth = 1000000;
  const std::string nest = std::string(depth, '[') + std::string(depth, ']');
  put("r.json", R"({"settings": {"methods": )" + nest + R"(}, "splits": []})");
  EXPECT_SAYS(message_of([&] { evaluate(data(), options("SK:knn")); }), "r.json: exists but is not an evaluation file");
  nlohmann::json changed = nlohmann::json::parse(as_json(evaluate(data(), {.methods = {"MDM"}})));
  std::string text = changed.dump();
  text.insert(text.find("\"settings\":{") + 12, "\"nest\":" + nest + ",");
  put("nest.json", text);
  EXPECT_SAYS(message_of([&] { load_evaluation(*this / "nest.json", data()); }), "is not an evaluation file");
  // Brackets in texts are no nests.
  changed["settings"]["repair"] = std::string(200, '[') + "\\\"";
  put("text.json", changed.dump());
  EXPECT_EQ(load_evaluation(*this / "text.json", data()).methods.size(), 2u);
}

TEST(Methods, AreGivenByTheirNames) {
  const EvaluationOptions two{.methods = {"SK:knn", "MDM"}, .protocol = random_halves(3)};
  ASSERT_EQ(two.methods.size(), 2u);
  EXPECT_EQ(two.methods[0].full_name(), "SK:knn");
  EXPECT_EQ(two.methods[1].full_name(), "MDM");
  EXPECT_EQ(two.protocol.text(), "halves:3");
  EXPECT_EQ(EvaluationOptions{.methods = {"auto"}}.methods[0].best, true);
  EXPECT_EQ(k_folds(4).text(), "kfold:4");
  EXPECT_EQ(leave_one_out().text(), "loo");
  EXPECT_EQ(leave_one_group_out().text(), "logo");
  EXPECT_NE(message_of([] { const Methods unknown = {"SK:knn", "nonsense"}; }).find("nonsense"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test

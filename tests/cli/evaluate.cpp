#include <fmt/format.h>

#include <functional>

#include <cli/program.hpp>
#include <nlohmann/json.hpp>

namespace dsk::test {
namespace {

/// As Program, with classes that overlap in t.npz.
class Evaluate : public Program {
 protected:
  Evaluate() { save(made(12), *this / "t.npz"); }

  static Dataset made(Index per_class) {
    return wishart_classes({.per_class = per_class, .dim = 3, .degrees = 10, .tau = 0.8});
  }

  nlohmann::json results(const std::string& file = "r.json") const { return nlohmann::json::parse(get(file)); }

  /// Without what differs from run to run.
  static nlohmann::json without_times(nlohmann::json json) {
    for (const std::string part : {"splits", "methods"})
      for (auto& one : json[part]) one.erase("seconds");
    return json;
  }

  /// What the program says; checks that it leaves no result.
  std::string refused(const std::string& arguments, const std::string& input = "t.npz") const {
    std::string text = refusal("evaluate " + input + " --json r.json --report r.html " + arguments);
    EXPECT_FALSE(std::filesystem::exists(*this / "r.json")) << arguments;
    EXPECT_FALSE(std::filesystem::exists(*this / "r.html")) << arguments;
    return text;
  }

  static constexpr auto some = "evaluate t.npz --methods SK:knn,DSK-CA-a:knn,EUK:svm --penalty 0.1 --folds 3 ";
};

TEST_F(Evaluate, TableAndResults) {
  const Outcome outcome = run(std::string(some) + "--protocol halves:4 --seed 3 --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const std::string word :
       {"24 matrices of size 3 in 2 classes; 4 splits, 3 methods", "p (Holm)", "p (t)", "p (W)", "SK:knn",
        "DSK-CA-a:knn", "EUK:svm", "\nmajority ", "4 random halves: p is from the corrected resampled t-test"})
    EXPECT_SAYS(outcome.out, word);
  const nlohmann::json json = results();
  EXPECT_EQ(json["settings"]["protocol"], "halves:4");
  EXPECT_EQ(json["settings"]["seed"], 3);
  EXPECT_EQ(json["settings"]["methods"], (std::vector<std::string>{"SK:knn", "DSK-CA-a:knn", "EUK:svm"}));
  EXPECT_EQ(json["splits"].size(), 12u);
  for (const auto& split : json["splits"]) {
    EXPECT_EQ(split["predicted"].size(), 12u);
    for (const std::string key :
         {"method", "split", "chosen", "theta", "setting", "penalty", "accuracy", "validation_accuracy"})
      EXPECT_TRUE(split.contains(key)) << key;
  }
  ASSERT_EQ(json["methods"].size(), 4u);
  EXPECT_EQ(json["methods"][3]["method"], "majority");
  EXPECT_SAYS(outcome.out, json["ranking"]["answer"].get<std::string>());
  for (const auto& method : json["methods"]) {
    EXPECT_EQ(method["accuracies"].size(), 4u);
    double mean = 0;
    for (const double one : method["accuracies"]) mean += one / 4;
    EXPECT_NEAR(method["mean"].get<double>(), mean, 1e-15);
    EXPECT_SAYS(outcome.out, fmt::format("{:.2f} +- {:.2f}", 100 * mean, 100 * method["std"].get<double>()));
    for (const std::string key : {"balanced_mean", "balanced_std", "seconds", "confusion", "interval"})
      EXPECT_TRUE(method.contains(key)) << key;
    EXPECT_EQ(method.contains("against"), method["method"] != "SK:knn");
    if (!method.contains("against")) continue;
    EXPECT_EQ(method["against"]["baseline"], "SK:knn");
    for (const std::string key : {"difference", "low", "high", "p", "p_holm", "p_student", "p_wilcoxon"})
      EXPECT_TRUE(method["against"][key].is_number()) << key;
  }
}

TEST_F(Evaluate, ReportStandsAlone) {
  for (const std::string protocol : {"kfold:3", "loo"}) {
    const Outcome outcome = run(some + ("--report r.html --protocol " + protocol));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_SAYS(outcome.out, "r.html");
    const std::string page = get("r.html");
    for (const std::string part :
         {"</html>", "<svg", "DSK-CA-a:knn", "Accuracy", "Confusion matrix", "The learned kernel", "relative thetas"})
      EXPECT_SAYS(page, part);
    for (const std::string outside : {"src=\"http", "href=\"http", "<link", "@import", "url(http", "<script src"})
      EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST_F(Evaluate, OneSplitHasADashForItsDeviation) {
  const Outcome outcome = run("evaluate t.npz --methods SK:knn,LEK:knn --protocol halves:1 --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, " +- - ");
  EXPECT_EQ(outcome.out.find("+- 0.00"), std::string::npos) << outcome.out;
  EXPECT_SAYS(get("r.html"), " ± –</td>");
  EXPECT_EQ(get("r.html").find("± 0.00"), std::string::npos);
}

TEST_F(Evaluate, ReportNamesTheDataTheCommandTheVersionAndTheDate) {
  ASSERT_EQ(run("evaluate t.npz --methods SK:knn --protocol halves:2 --report 'my page.html'").status, 0);
  const std::string page = get("my page.html");
  EXPECT_SAYS(page, "t.npz: 24 matrices of size 3 x 3 in 2 classes; 2 random halves.");
  EXPECT_SAYS(page, "<dt>data file</dt><dd>t.npz</dd>");
  EXPECT_SAYS(page, "<dt>shape</dt><dd>24 x 3 x 3</dd>");
  EXPECT_SAYS(page,
              "<dt>command</dt><dd>dsk evaluate t.npz <span>--methods</span> SK:knn <span>--protocol</span> "
              "halves:2 <span>--report</span> &#39;my page.html&#39;</dd>");
  EXPECT_SAYS(page, "<dt>version</dt>");
  EXPECT_SAYS(page, "<dt>date</dt><dd>2");
}

TEST_F(Evaluate, NotesAClassThatIsNeverScored) {
  const Dataset drawn = made(12);
  std::vector<std::string> labels;
  for (Index i = 0; i < drawn.size(); ++i) labels.push_back(i == 0 ? "rare" : std::to_string(drawn.labels()[i]));
  save(Dataset(drawn.matrices(), Labels(labels)), *this / "rare.npz");
  const Outcome outcome = run("evaluate rare.npz --methods SK:knn --protocol kfold:3 --json r.json --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("dsk: note: 1 of 3 classes is never scored ('rare')")) << outcome.err;
  EXPECT_EQ(results()["not_scored"], nlohmann::json({"rare"}));
  EXPECT_SAYS(get("r.html"), "1 of 3 classes is never scored");
}

TEST_F(Evaluate, OneClassIsRefusedInOneWay) {
  put("same.csv", [] {
    std::string lines;
    for (int i = 0; i < 24; ++i) lines += "a\n";
    return lines;
  }());
  const std::string message = "training needs matrices of at least two classes; all 24 are of class 'a'";
  for (const std::string method : {"SK:knn", "SK:svm", "MDM", "TS:lr", "auto"})
    EXPECT_SAYS(refused("--labels same.csv --methods " + method), message);
  for (const std::string classifier : {"knn --neighbours 1", "svm", "mean", "mdm", "logistic"})
    EXPECT_SAYS(refusal("train t.npz --labels same.csv -o m.dsk --classifier " + classifier), message);
  EXPECT_SAYS(refusal("train t.npz --labels same.csv -o m.dsk"), message);
  EXPECT_SAYS(refusal("learn t.npz --labels same.csv -o k.dsk"), message);
}

TEST_F(Evaluate, WhatIsThereIsNotComputedAgain) {
  const std::string command = some + std::string("--protocol halves:3 --json r.json");
  ASSERT_EQ(run(command).status, 0);
  const nlohmann::json first = results();
  const Outcome again = run(command + " --threads 1");
  EXPECT_EQ(again.status, 0);
  EXPECT_SAYS(again.out, "resuming, 9 results already finished");
  EXPECT_EQ(results(), first) << "seconds, too, are those of the first run";

  ASSERT_EQ(
      run("evaluate t.npz --methods DSK-CA-a:knn,EUK:svm --penalty 0.1 --folds 3 --protocol halves:3 --json r.json")
          .status,
      0);
  EXPECT_EQ(results()["methods"].size(), 3u);
  EXPECT_EQ(results()["splits"].size(), 9u) << "results of methods not asked for are lost";
  ASSERT_EQ(run(command).status, 0);
  EXPECT_EQ(results(), first);
}

TEST_F(Evaluate, ResultsOfOtherSettingsAreLeftAlone) {
  ASSERT_EQ(run("evaluate t.npz --methods SK --protocol halves:2 --json r.json").status, 0);
  const std::string before = get("r.json");
  save(made(11), *this / "other.npz");
  for (const std::string other :
       {"t.npz --protocol halves:3", "t.npz --protocol halves:2 --seed 1", "t.npz --protocol halves:2 --folds 4",
        "t.npz --protocol halves:2 --neighbours 3", "other.npz --protocol halves:2"}) {
    EXPECT_SAYS(refusal("evaluate --methods SK --json r.json --report r.html " + other),
                "r.json: holds results of other");
    EXPECT_EQ(get("r.json"), before) << other;
    EXPECT_FALSE(std::filesystem::exists(*this / "r.html"));
  }
}

TEST_F(Evaluate, OtherFilesAreLeftAlone) {
  for (const std::string text : {"", "my notes\n", "{}", "[]", "3", "null", "{\"settings\": 5}", "{\"settings\": {}"}) {
    put("r.json", text);
    EXPECT_SAYS(refusal("evaluate t.npz --methods SK --json r.json"),
                "r.json: exists but is not an evaluation file; remove it or choose another name");
    EXPECT_EQ(get("r.json"), text);
  }
  const std::string data = get("t.npz");
  EXPECT_SAYS(refusal("evaluate t.npz --methods SK --json t.npz"), "is an input");
  EXPECT_SAYS(refusal("evaluate t.npz --methods SK --report t.npz"), "is an input");
  EXPECT_SAYS(refusal("evaluate t.npz --methods SK --report r.html --json r.html"), "two results");
  EXPECT_EQ(get("t.npz"), data);
}

TEST_F(Evaluate, TamperedResultsAreRefused) {
  const std::string command = "evaluate t.npz --methods SK --protocol halves:2 --json r.json";
  ASSERT_EQ(run(command).status, 0);
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(get("r.json"));
  for (const auto& [key, value] : {std::pair<std::string, nlohmann::ordered_json>{"split", 7},
                                   {"split", -1},
                                   {"predicted", {5}},
                                   {"theta", "x"}}) {
    nlohmann::ordered_json json = whole;
    json["splits"][0][key] = value;
    put("r.json", json.dump());
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << key;
    EXPECT_TRUE(outcome.err.starts_with("dsk: ")) << outcome.err;
    EXPECT_EQ(get("r.json"), json.dump());
  }
}

TEST_F(Evaluate, RefusesBadFlags) {
  EXPECT_SAYS(refused("--methods luck"), "unknown method 'luck'");
  EXPECT_SAYS(refused("--methods SK,SK:knn"), "named twice");
  EXPECT_SAYS(refused("--methods AIRM:svm"), "AIRM");
  EXPECT_SAYS(refused("--methods ''"), "--methods: must not be empty");
  for (const std::string protocol : {"thirds:3", "halves:0", "kfold", "''"})
    EXPECT_SAYS(refused("--protocol " + protocol), "protocol");
  EXPECT_SAYS(refused("--protocol kfold:1"), "at least 2 folds");
  EXPECT_SAYS(refused("--folds 1"), "--folds");
  EXPECT_SAYS(refused("--threads -1"), "--threads");
  EXPECT_SAYS(refused("--seed -1"), "--seed");
  EXPECT_SAYS(refused("--theta wide"), "--theta");
  EXPECT_SAYS(refused("--frobnicate"), "frobnicate");
  EXPECT_SAYS(refused("", "none.npz"), "none.npz: cannot be opened");
  EXPECT_SAYS(refusal("evaluate t.npz --report none/r.html"), "no folder none");
  EXPECT_SAYS(refusal("evaluate t.npz --json none/r.json"), "no folder none");
  for (const std::string name : {"r.pdf", "r", "html"})
    EXPECT_EQ(refusal("evaluate t.npz --report " + name), "dsk: " + name + ": reports are written as .html\n");
  put("bare.npy", two_matrices_npy());
  EXPECT_SAYS(refused("", "bare.npy"), "has no labels to learn from");
}

TEST_F(Evaluate, RefusesAThetaThatGivesNoKernel) {
  const Outcome outcome = run("evaluate t.npz --methods SK:svm --protocol kfold:2 --theta 0.3");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_SAYS(outcome.err, "dsk: SK:svm on split 1: theta 0.3 is not valid");
  EXPECT_SAYS(outcome.err, "or allow indefinite kernels with --theta-range any");
  EXPECT_EQ(run("evaluate t.npz --methods SK:svm --protocol kfold:2 --theta 0.3 --theta-range any").status, 0);
}

/// The matrices of t.npz with these groups, in g.npz.
class EvaluateGroups : public Evaluate {
 protected:
  void group(const std::function<std::string(const Dataset&, Index)>& group_of) const {
    const Dataset drawn = made(12);
    std::vector<std::string> groups;
    for (Index i = 0; i < drawn.size(); ++i) groups.push_back(group_of(drawn, i));
    save(Dataset(drawn.matrices(), drawn.labels(), Labels(groups)), *this / "g.npz");
  }
};

TEST_F(EvaluateGroups, RefusesClassesThatLieInOneGroupEach) {
  group([](const Dataset& data, Index i) { return data.labels().names()[static_cast<std::size_t>(data.labels()[i])]; });
  for (const std::string protocol : {"halves:2", "kfold:2", "loo"})
    EXPECT_SAYS(refused("--methods SK --protocol " + protocol, "g.npz"),
                "each class lies in a single group ('0', '1'): groups are kept together, so that no class can be both "
                "learned and tested; ignore the groups with --ignore-groups");
  for (const std::string command : {"train g.npz -o m.dsk", "learn g.npz -o k.dsk"}) {
    EXPECT_SAYS(refusal(command), "ignore the groups with --ignore-groups");
    EXPECT_EQ(run(command + " --ignore-groups").status, 0);
  }
  const Outcome outcome = run("evaluate g.npz --methods SK --protocol halves:2 --ignore-groups --json r.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(results()["settings"]["groups"], false);
  EXPECT_GT(results()["methods"][0]["mean"], 0.3);
}

TEST_F(EvaluateGroups, NotesClassesThatLieInOneGroup) {
  group([](const Dataset& data, Index i) { return data.labels()[i] == 0 ? "one" : "group " + std::to_string(i % 4); });
  const Outcome outcome = run("evaluate g.npz --methods SK --protocol halves:2 --json r.json --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("dsk: note: 1 of 2 classes lies in a single group ('0')")) << outcome.err;
  EXPECT_EQ(results()["warnings"].size(), 2u) << "and that class is in no test part of these two halves";
  EXPECT_SAYS(get("r.html"), "lies in a single group");
}

TEST_F(Evaluate, TakesAGivenSplit) {
  std::string parts;
  for (int i = 0; i < 24; ++i) parts += i % 3 == 0 ? "test\n" : "train\n";
  put("parts.csv", parts);
  const Outcome outcome = run(std::string(some) + "--protocol given:parts.csv --json r.json --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, "; 1 split, 3 methods");
  const nlohmann::json json = results();
  for (const auto& split : json["splits"]) EXPECT_EQ(split["predicted"].size(), 8u);
  put("parts.csv", parts.substr(5) + "train\n");
  EXPECT_SAYS(refusal(std::string(some) + "--protocol given:parts.csv --json r.json"), "holds results of other data");
  std::filesystem::remove(*this / "r.json");
  std::filesystem::remove(*this / "r.html");
  put("parts.csv", "test\ntrain\n");
  EXPECT_SAYS(refused("--protocol given:parts.csv"), "2 entries for 24 matrices");
  put("parts.csv", "red\nblue\n");
  EXPECT_SAYS(refused("--protocol given:parts.csv"), "parts.csv: a given split says 'train' or 'test'");
  EXPECT_SAYS(refused("--protocol given:nowhere.csv"), "nowhere.csv");
  EXPECT_SAYS(refused("--protocol given:"), "--protocol given:FILE needs the name of a file");
  EXPECT_SAYS(refused("--protocol mine"), "or a given split with given:FILE (see dsk evaluate --help)");
}

}  // namespace
}  // namespace dsk::test

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace dsk::test {
namespace {

/// With an EEG set of two subjects in data/ssvep/.
class RunExperiment : public Program {
 protected:
  RunExperiment() {
    std::filesystem::create_directories(*this / "data/ssvep");
    const Dataset drawn = wishart_classes({.per_class = 12, .dim = 2, .degrees = 9, .tau = 1});
    std::vector<std::string> subjects;
    for (Index i = 0; i < drawn.size(); ++i) subjects.push_back(i % 2 == 0 ? "a" : "b");
    save(Dataset(drawn.matrices(), drawn.labels(), Labels(subjects)), *this / "data/ssvep/ssvep_covariances.npz");
  }
  nlohmann::json kept() const { return nlohmann::json::parse(get("e.json")); }
};

/// The page with a section that an experiment without results file made.
std::string outcome_of_another(const std::string& page) {
  return page + "\n## Waves\n\nAn answer.\n\n- command: dsk experiment eeg --seed 0\n";
}

TEST_F(RunExperiment, ListNamesAll) {
  const Outcome outcome = run("experiment list");
  EXPECT_EQ(outcome.status, 0);
  for (const std::string name : {"eigenvalue-bias", "brodatz-pairs", "brodatz-samples", "faces-samples", "brodatz-all",
                                 "brodatz-all-svm", "faces", "faces-neighbours", "objects", "brain", "timing",
                                 "wishart-tau", "wishart-dof", "estimators", "convergence", "eeg"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
}

TEST_F(RunExperiment, KeepsEverySplitAndGoesOn) {
  const std::string command =
      "experiment eeg --data data --splits 1 --seed 4 --json e.json --report e.html --text e.md";
  const Outcome first = run(command);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("### Subject by subject, %"), std::string::npos);
  EXPECT_TRUE(first.out.starts_with(get("e.md")));
  nlohmann::json results = kept();
  ASSERT_EQ(results["studies"].size(), 2u);
  for (const auto& study : results["studies"]) EXPECT_EQ(study["splits"].size(), 32u);

  // What is there is believed: a result that was changed shows.
  auto& splits = results["studies"]["subject a"]["splits"];
  for (auto& one : splits)
    if (one["method"] == "SK:knn") one["predicted"] = std::vector<int>(one["predicted"].size(), 0);
  put("e.json", results.dump());
  const Outcome again = run(command);
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.out, first.out);
  EXPECT_NE(again.out.find("50.00"), std::string::npos);
  const Outcome more = run("experiment eeg --data data --splits 2 --seed 4 --json e.json");
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(kept()["studies"]["subject b"]["splits"].size(), 64u);
}

TEST_F(RunExperiment, RendersThePageOfAllResults) {
  std::filesystem::create_directories(*this / "results");
  ASSERT_EQ(run("experiment eigenvalue-bias --quick --json results/bias.json.gz").status, 0);
  const Outcome outcome = run("experiment render results");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 16 experiments, 1 figure in results/figures"), std::string::npos) << outcome.out;
  EXPECT_NE(get("results/results.md").find("## Bias of sample eigenvalues"), std::string::npos);
  EXPECT_NE(get("results/figures/eigenvalue-bias-1.svg").find("</svg>"), std::string::npos);
  put("page.md", outcome_of_another(get("results/results.md")));
  const Outcome kept = run("experiment render results --text page.md");
  ASSERT_EQ(kept.status, 0);
  EXPECT_NE(kept.out.find("1 section of the page that this folder has no results for"), std::string::npos) << kept.out;
  EXPECT_NE(get("page.md").find("## Waves"), std::string::npos);
  EXPECT_NE(get("page.md").find("(figures/eigenvalue-bias-1.svg)"), std::string::npos);
  EXPECT_NE(refusal("experiment render").find("render needs the folder"), std::string::npos);
  EXPECT_NE(refusal("experiment timing results").find("is for dsk experiment render only"), std::string::npos);
  EXPECT_NE(refusal("experiment render data").find("holds no results"), std::string::npos);
}

TEST_F(RunExperiment, RefusesWhatItCannotUse) {
  EXPECT_EQ(refusal("experiment egg"),
            "dsk: unknown experiment 'egg'; available: eigenvalue-bias, brodatz-pairs, brodatz-samples, faces-samples, "
            "brodatz-all, brodatz-all-svm, faces, faces-neighbours, objects, brain, timing, wishart-tau, wishart-dof, "
            "estimators, convergence, eeg\n");
  EXPECT_EQ(refusal("experiment eeg"), "dsk: this experiment needs a data folder that contains ssvep/\n");
  EXPECT_NE(refusal("experiment eeg --data nowhere").find("ssvep_covariances.npz not found"), std::string::npos);
  EXPECT_NE(refusal("experiment eeg --data data --splits -1").find("--splits"), std::string::npos);
  EXPECT_NE(refusal("experiment eeg --data data --minutes -1").find("--minutes"), std::string::npos);
  EXPECT_NE(refusal("experiment timing --report nowhere/e.html").find("nowhere"), std::string::npos);
  EXPECT_SAYS(refusal("experiment timing --report e.pdf"), "e.pdf: reports are written as .html");
  put("e.json", R"({"experiment": "brain", "studies": {}})");
  EXPECT_NE(refusal("experiment eeg --data data --json e.json").find("holds results of the experiment \"brain\""),
            std::string::npos);
  put("e.json", "{}");
  EXPECT_NE(refusal("experiment eeg --data data --json e.json").find("exists but is not an experiment file"),
            std::string::npos);
  put("e.json", R"({"experiment": "eeg", "studies": {"subject a": {"settings": {}, "splits": []}}})");
  EXPECT_NE(refusal("experiment eeg --data data --json e.json").find("other data or settings (subject a)"),
            std::string::npos);
  put("e.json", R"({"experiment": "eeg", "studies": {"subject a": 7}})");
  EXPECT_NE(refusal("experiment eeg --data data --json e.json").find("subject a is damaged"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test

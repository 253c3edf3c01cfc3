#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

#include "cluster/made_clusters.hpp"

namespace dsk::test {
namespace {

class ClusterProgram : public Program {
 protected:
  ClusterProgram() { save(separated({.classes = 3, .per_class = 20, .dim = 3}), *this / "three.npz"); }

  std::vector<int> labels(const std::string& text) const {
    std::istringstream lines(text);
    return {std::istream_iterator<int>(lines), {}};
  }
};

TEST_F(ClusterProgram, WritesLabelsFactsAndAReport) {
  for (const std::string method : {"kmeans", "kernel-kmeans", "spectral"}) {
    const Outcome outcome =
        run("cluster three.npz --clusters 3 -o labels.csv --report r.html --json facts.json --method " + method);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(labels(get("labels.csv")).size(), 60u);
    const auto facts = nlohmann::json::parse(get("facts.json"));
    EXPECT_EQ(facts["n"], 60);
    EXPECT_EQ(facts["method"], method);
    EXPECT_EQ(facts["clusters"], 3);
    EXPECT_EQ(facts["sizes"], (std::vector<int>{20, 20, 20}));
    EXPECT_EQ(facts["adjusted_rand"], 1);
    EXPECT_EQ(facts["mutual_information"], 1);
    EXPECT_GT(facts["silhouette"], 0.5);
    EXPECT_SAYS(outcome.out, "adjusted Rand index 1.000");
    EXPECT_SAYS(get("r.html"), "60 matrices in 3 clusters");
    EXPECT_SAYS(get("r.html"), "dsk cluster three.npz");
  }
}

TEST_F(ClusterProgram, FindsTheNumberOfClusters) {
  const Outcome outcome = run("cluster three.npz -o labels.csv --json facts.json --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto facts = nlohmann::json::parse(get("facts.json"));
  EXPECT_EQ(facts["clusters"], 3);
  EXPECT_EQ(facts["tried"].size(), 9u);
  EXPECT_EQ(facts["structure"]["structured"], true);
  EXPECT_SAYS(get("r.html"), "There is structure");
}

TEST_F(ClusterProgram, FindsNoClustersInNoise) {
  save(Dataset(wishart_classes({.classes = 1, .per_class = 150, .dim = 4, .degrees = 20, .tau = 0}).matrices()),
       *this / "noise.npz");
  const Outcome outcome = run("cluster noise.npz -o labels.csv --json facts.json --report r.html");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(get("facts.json"))["clusters"], 1);
  EXPECT_SAYS(outcome.out, "no clusters were found");
  EXPECT_SAYS(get("r.html"), "no clusters were found");
}

TEST_F(ClusterProgram, LabelsGoToStandardOutputWithoutAFile) {
  const Outcome outcome = run("cluster three.npz --clusters 3");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(labels(outcome.out).size(), 60u);
  EXPECT_EQ(outcome.out, run("cluster three.npz --clusters 3 --threads 1 --quiet").out);
}

TEST_F(ClusterProgram, SaysWhetherLearningHelped) {
  const Outcome outcome = run("cluster three.npz --clusters 3 --restarts 2 --learn -o labels.csv --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, "not used");
  EXPECT_EQ(nlohmann::json::parse(get("facts.json"))["learning"]["adopted"], false);
}

TEST_F(ClusterProgram, RefusesWhatItCannotUse) {
  EXPECT_SAYS(refusal("cluster"), "X");
  EXPECT_SAYS(refusal("cluster none.npz"), "none.npz");
  EXPECT_SAYS(refusal("cluster three.npz --clusters 61"),
              "clusters is 61, but must be from 1 to the number of matrices, 60");
  EXPECT_SAYS(refusal("cluster three.npz --clusters 0"), "--clusters 0 must be");
  EXPECT_SAYS(refusal("cluster three.npz --clusters some"), "--clusters some must be");
  EXPECT_SAYS(refusal("cluster three.npz --method dbscan"), "--method: unknown clustering method 'dbscan'");
  EXPECT_SAYS(refusal("cluster three.npz --metric furlong"), "--metric");
  EXPECT_SAYS(refusal("cluster three.npz --metric thompson"), "the metric thompson has no mean");
  EXPECT_SAYS(refusal("cluster three.npz --restarts 0"), "--restarts 0");
  EXPECT_SAYS(refusal("cluster three.npz --clusters 3 -o labels.npy"), "labels are written as .csv or .txt");
  EXPECT_SAYS(refusal("cluster three.npz --clusters 3 --report r.pdf"), "r.pdf: reports are written as .html");
  EXPECT_SAYS(refusal("cluster three.npz --clusters 3 -o three.npz"), "is an input");
  EXPECT_SAYS(refusal("cluster three.npz --method kernel-kmeans --theta 0.3"), "theta 0.3");
}

}  // namespace
}  // namespace dsk::test

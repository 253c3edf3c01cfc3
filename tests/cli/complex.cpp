#include <algorithm>
#include <cli/program.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace dsk::test {
namespace {

/// Twelve Hermitian matrices [[a, ib], [-ib, 1]] of two classes, z.npz, and the real ones [[a, b], [b, 1]], r.npz,
/// which they become by the unitary congruence with diag(1, i).
class ComplexProgram : public Program {
 protected:
  ComplexProgram() {
    std::vector<double> values, real;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 12; ++i) {
      const double a = i % 2 == 0 ? 2 : 6, b = 0.1 + 0.02 * i;
      for (const double part : {a, 0.0, 0.0, b, 0.0, -b, 1.0, 0.0}) values.push_back(part);
      for (const double entry : {a, b, b, 1.0}) real.push_back(entry);
      labels.push_back(i % 2);
    }
    make_zip(folder() / "z.npz", {{"X.npy", npy("<c16", "(12, 2, 2)", bytes_of(values))},
                                  {"y.npy", npy("<i8", "(12,)", bytes_of(labels))}});
    make_zip(folder() / "r.npz",
             {{"X.npy", npy("<f8", "(12, 2, 2)", bytes_of(real))}, {"y.npy", npy("<i8", "(12,)", bytes_of(labels))}});
  }
};

TEST_F(ComplexProgram, DistancesAreThoseOfTheComplexMatrices) {
  const Outcome outcome = run("distance z.npz --metric stein --squared -o D.csv --json d.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto facts = nlohmann::json::parse(get("d.json"));
  EXPECT_EQ(facts["d"], 2);
  EXPECT_EQ(facts["complex"], true);
  // S = log det((X + Y) / 2) - (log det X + log det Y) / 2, with determinants a - b^2.
  const auto logdet = [](double a, double b) { return std::log(a - b * b); };
  const double expected = logdet(4, (0.1 + 0.12) / 2) - (logdet(2, 0.1) + logdet(6, 0.12)) / 2;
  const std::string row = get("D.csv");
  EXPECT_NEAR(std::stod(row.substr(row.find(',') + 1)), expected, 1e-12);
}

TEST_F(ComplexProgram, ModelsAreTrainedAndUsed) {
  for (const std::string classifier : {"knn --neighbours 1", "svm --C 1 --theta 2", "mdm"}) {
    ASSERT_EQ(run("train z.npz --classifier " + classifier + " -o m.dsk").status, 0) << classifier;
    const Outcome outcome = run("predict m.dsk z.npz -o labels.csv --json p.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(get("p.json"))["accuracy"], 1) << classifier;
  }
}

TEST_F(ComplexProgram, ClassMeansGiveCongruentMatricesTheSameScores) {
  const auto scores = [&](const std::string& data, const std::string& metric) {
    EXPECT_EQ(run("train " + data + " --classifier mdm --metric " + metric + " -o m.dsk").status, 0) << metric;
    EXPECT_EQ(run("predict m.dsk " + data + " --scores -o s.csv").status, 0) << metric;
    std::istringstream lines(get("s.csv"));
    std::vector<double> found;
    for (std::string line; std::getline(lines, line);)
      if (const auto comma = line.rfind(','); line[0] != 'l') found.push_back(std::stod(line.substr(comma + 1)));
    return found;
  };
  for (const std::string metric : {"airm", "stein", "euclidean", "kullback", "kullback_sym"}) {
    const std::vector<double> real = scores("r.npz", metric), complex = scores("z.npz", metric);
    ASSERT_EQ(real.size(), 12u);
    ASSERT_EQ(complex.size(), 12u);
    for (std::size_t i = 0; i < real.size(); ++i) EXPECT_NEAR(complex[i], real[i], 1e-10) << metric << " " << i;
  }
}

TEST_F(ComplexProgram, WhatLearnsRefusesInOneLine) {
  for (const std::string command :
       {"learn z.npz -o k.dsk", "train z.npz -o m.dsk", "evaluate z.npz --methods DSK-KA-p:knn --protocol kfold:2",
        "train z.npz --classifier knn --project 1 -o m.dsk"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_SAYS(outcome.err, "z.npz: holds complex matrices");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(run("evaluate z.npz --methods SK:knn,MDM --protocol kfold:2").status, 0);
  const Outcome mixed = run("distance z.npz x.npz -o D.npy");
  EXPECT_EQ(mixed.status, 2);
  EXPECT_SAYS(mixed.err, "z.npz holds complex matrices, but x.npz does not");
}

TEST_F(ComplexProgram, MetricsWithoutKernelOrMeanRefuseInOneLine) {
  EXPECT_SAYS(run("kernel x.npz --metric kullback --theta 1 --allow-indefinite -o K.npy").err,
              "kullback is not symmetric and gives no kernel");
  EXPECT_SAYS(run("kernel x.npz --metric wasserstein --theta 1 -o K.npy").err, "gives no positive definite kernel");
  EXPECT_SAYS(run("train z.npz --classifier mdm --metric thompson -o m.dsk").err, "--metric thompson has no mean");
  EXPECT_EQ(run("train z.npz --classifier mdm --metric kullback_sym -o m.dsk").status, 0);
  EXPECT_SAYS(run("distance x.npz --metric thompson --float32 -o D.npy").err, "--float32 has no effect");
  EXPECT_EQ(run("distance x.npz --metric kullback -o D.npy").status, 0);
}

}  // namespace
}  // namespace dsk::test

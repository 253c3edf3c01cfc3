#include <dsk/files.hpp>

#include <fmt/format.h>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>

namespace dsk::test {
namespace {

/// As Program, with overlapping classes to train on in many.npz and to predict in others.npz.
class Approximate : public Program {
 protected:
  Approximate() {
    save(drawn(0), *this / "many.npz");
    save(drawn(1), *this / "others.npz");
  }

  static Dataset drawn(std::uint64_t seed) {
    return wishart_classes({.classes = 3, .per_class = 100, .dim = 3, .degrees = 15, .tau = 0.9, .seed = seed});
  }

  nlohmann::json told() const { return nlohmann::json::parse(get("told.json")); }

  nlohmann::json trained(const std::string& flags) const {
    const Outcome outcome = run("train many.npz -o m.dsk --json told.json --approximate " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const nlohmann::json facts = told();
    for (const auto& [name, value] : facts.items()) EXPECT_SAYS(outcome.out, name);
    return facts;
  }

  double predicted() const {
    const Outcome outcome = run("predict m.dsk others.npz -o labels.csv --json told.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return told()["accuracy"];
  }

  std::string refused(const std::string& arguments) const {
    std::string text = refusal("train many.npz -o m.dsk " + arguments);
    EXPECT_FALSE(std::filesystem::exists(*this / "m.dsk")) << arguments;
    return text;
  }
};

TEST_F(Approximate, TrainsAndPredictsLikeTheExactModel) {
  for (const std::string classifier : {"knn", "svm"}) {
    SCOPED_TRACE(classifier);
    ASSERT_EQ(run("train many.npz -o m.dsk --classifier " + classifier).status, 0);
    const double exact = predicted();
    for (const std::string how : {"nystrom:100", "nystrom:100 --landmarks greedy", "nystrom:100 --landmarks uniform",
                                  "nystrom:auto", "nystrom:error=0.001 --choose-on 150"}) {
      const nlohmann::json facts = trained(how + " --classifier " + classifier);
      EXPECT_EQ(facts["n"], 300);
      EXPECT_EQ(facts["classifier"], classifier);
      EXPECT_EQ(facts["approximation"], "nystrom");
      EXPECT_EQ(facts["chosen_on"], how.ends_with("150") ? 150 : 300);
      EXPECT_LT(facts["residual_share"], 0.05);
      EXPECT_LT(facts["kernel_error"]["mean"], facts["kernel_error"]["largest"]);
      EXPECT_EQ(facts["sample"]["trained_on"], 150);
      EXPECT_EQ(facts["sample"]["predicted"], 150);
      EXPECT_NEAR(facts["sample"]["exact"].get<double>(), facts["sample"]["approximate"].get<double>(), 0.05);
      EXPECT_GT(facts["sample"]["agreement"], 0.9);
      EXPECT_EQ(facts.contains("error"), !how.starts_with("nystrom:100"));
      EXPECT_NEAR(predicted(), exact, 0.05);
    }
  }
}

TEST_F(Approximate, KeepsHowItWasMade) {
  const nlohmann::json facts = trained("nystrom:20 --classifier svm --choose-on 90 --seed 5 --C 10 --balanced");
  const SavedModel saved = load_model(*this / "m.dsk");
  ASSERT_TRUE(saved.origin.approximation);
  EXPECT_EQ(saved.origin.samples, 300);
  EXPECT_EQ(saved.origin.approximation->landmarks, 20);
  EXPECT_EQ(saved.origin.approximation->choice, "adaptive");
  EXPECT_EQ(saved.origin.approximation->chosen_on, 90);
  EXPECT_EQ(saved.origin.approximation->seed, 5u);
  EXPECT_EQ(saved.origin.approximation->residual_share, facts["residual_share"]);
  EXPECT_EQ(std::get<SvmClassifier>(saved.model).support().size(), 20);
  EXPECT_EQ(facts["C"], 10);
}

TEST_F(Approximate, SaysWhetherTheStatedErrorIsReached) {
  const nlohmann::json loose = trained("nystrom:error=0.2"), tight = trained("nystrom:error=0.01");
  for (const nlohmann::json& facts : {loose, tight}) {
    EXPECT_TRUE(facts["error_reached"]);
    EXPECT_LE(facts["residual_share"], facts["error"]) << "the pool is the whole training set";
  }
  EXPECT_LT(loose["landmarks"], tight["landmarks"]);
}

TEST_F(Approximate, LearnedKernelsToo) {
  trained("nystrom:50 --criterion centred --adjust affine --penalty 0.01 --classifier svm --choose-on 100");
  const Model model = load_model(*this / "m.dsk").model;
  ASSERT_TRUE(comparison(model).learned);
  EXPECT_GT(predicted(), 0.5);
  save(SavedKernel{*comparison(model).learned}, *this / "k.dsk");
  EXPECT_EQ(trained("nystrom:50 --kernel k.dsk")["theta"], comparison(model).learned->theta());
  EXPECT_EQ(comparison(load_model(*this / "m.dsk").model).learned->theta(), comparison(model).learned->theta());
}

TEST_F(Approximate, GivesTheSameFileForAnyNumberOfThreads) {
  for (const std::string classifier : {"knn", "svm"}) {
    trained("nystrom:40 --threads 1 --classifier " + classifier);
    const std::string one = get("m.dsk");
    trained("nystrom:40 --threads 3 --classifier " + classifier);
    EXPECT_EQ(get("m.dsk"), one);
  }
}

TEST_F(Approximate, RefusesBadFlags) {
  for (const std::string value : {"nystrom", "nystrom:0", "nystrom:x", "nystrom:error=1", "100"})
    EXPECT_SAYS(refused("--approximate " + value),
                "--approximate: approximation '" + value + "' is unknown; use nystrom:M");
  EXPECT_SAYS(refused("--approximate ''"), "--approximate: must not be empty");
  EXPECT_SAYS(refused("--approximate nystrom:10 --landmarks best"), "--landmarks: unknown landmarks 'best'");
  EXPECT_SAYS(refused("--landmarks greedy"), "--landmarks requires --approximate");
  EXPECT_SAYS(refused("--choose-on 100"), "--choose-on requires --approximate");
  for (const std::string value : {"1", "-5", "many"})
    EXPECT_SAYS(refused("--approximate nystrom:10 --choose-on " + value), "--choose-on");
  EXPECT_SAYS(refused("--approximate nystrom:10 --metric airm"), "--metric airm has no positive definite kernel");
  EXPECT_SAYS(refused("--approximate nystrom:10 --classifier svm --probabilities"), "--probabilities");
  EXPECT_SAYS(refused("--approximate nystrom:10 --theta-range any"), "--theta-range any");
  EXPECT_SAYS(refused("--approximate nystrom:10 --theta 0.7"), "theta 0.7 is not valid");
}

}  // namespace
}  // namespace dsk::test

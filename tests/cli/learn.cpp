#include <dsk/files.hpp>

#include <fmt/format.h>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace dsk::test {
namespace {

/// As Program, with two classes that overlap in t.npz.
class Learn : public Program {
 protected:
  Learn() { save(wishart_classes({.per_class = 15, .dim = 3, .degrees = 10, .tau = 0.8}), *this / "t.npz"); }

  nlohmann::json facts() const { return nlohmann::json::parse(get("facts.json")); }

  /// What the program says; checks that it leaves no result.
  std::string refused(const std::string& arguments, const std::string& input = "t.npz") const {
    std::string text = refusal("learn " + input + " -o k.dsk --json facts.json " + arguments);
    EXPECT_FALSE(std::filesystem::exists(*this / "k.dsk")) << arguments;
    EXPECT_FALSE(std::filesystem::exists(*this / "facts.json")) << arguments;
    return text;
  }

  /// That the program learned and saved what its JSON says.
  void expect_learned(const Outcome& outcome) const {
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const SavedKernel saved = load_kernel(*this / "k.dsk");
    const nlohmann::json facts = this->facts();
    const EigenvalueAdjustment& adjustment = saved.kernel.adjustment();
    EXPECT_EQ(facts["alpha"], std::vector<double>(adjustment.alpha.begin(), adjustment.alpha.end()));
    EXPECT_EQ(facts["beta"], std::vector<double>(adjustment.beta.begin(), adjustment.beta.end()));
    EXPECT_EQ(facts["d"], adjustment.dim());
    EXPECT_EQ(facts["adjustment"], name(adjustment.kind));
    EXPECT_EQ(facts["scale"], adjustment.scale);
    EXPECT_EQ(facts["theta"], saved.kernel.theta());
    EXPECT_EQ(facts["criterion"], saved.origin.criterion);
    EXPECT_EQ(facts["value"], saved.origin.value);
    EXPECT_EQ(facts["history"], saved.origin.history);
    EXPECT_EQ(facts["iterations"], saved.origin.iterations);
    EXPECT_EQ(facts["history"].size(), facts["iterations"].get<std::size_t>() + 1);
    EXPECT_EQ(facts["stop"], saved.origin.stop);
    EXPECT_EQ(facts["n"], saved.origin.samples);
    EXPECT_EQ(facts["C"].is_null() ? 0 : facts["C"].get<double>(), saved.origin.c);
    if (std::isinf(saved.origin.penalty))
      EXPECT_EQ(facts["penalty"], "infinite");
    else
      EXPECT_EQ(facts["penalty"], saved.origin.penalty);
    EXPECT_EQ(facts["output"], "k.dsk");
    for (const std::string fact : {"theta", "criterion", "adjustment", "objective", "stopped", "k.dsk"})
      EXPECT_SAYS(outcome.out, fact);
  }
};

TEST_F(Learn, GivenPenalty) {
  expect_learned(run("learn t.npz --penalty 0.01 -o k.dsk --json facts.json"));
  EXPECT_EQ(facts()["penalty"], 0.01);
  EXPECT_GT(facts()["history"].back(), facts()["history"].front());
  EXPECT_TRUE(facts()["C"].is_null());
  EXPECT_FALSE(facts().contains("cross_validation"));
  EXPECT_EQ(load_kernel(*this / "k.dsk").origin.classes, load(*this / "t.npz").labels().names());
}

TEST_F(Learn, Alpha0) {
  const Outcome outcome = run("learn t.npz --penalty 1e4 --alpha0 1.2,0.9,0.8 -o k.dsk --json facts.json");
  expect_learned(outcome);
  EXPECT_SAYS(outcome.out, "for alpha0,");
  const auto alpha = facts()["alpha"].get<std::vector<double>>();
  for (std::size_t z = 0; z < 3; ++z) EXPECT_NEAR(alpha[z], (std::vector<double>{1.2, 0.9, 0.8}[z]), 0.02);
  EXPECT_EQ(facts()["alpha0"], (std::vector<double>{1.2, 0.9, 0.8}));
  std::filesystem::remove(*this / "k.dsk");
  std::filesystem::remove(*this / "facts.json");
  EXPECT_SAYS(refused("--penalty 1 --alpha0 1,2"), "alpha0 has 2 values");
}

TEST_F(Learn, PenaltyByCrossValidation) {
  for (const std::string classifier : {"knn", "svm"}) {
    const Outcome outcome = run("learn t.npz --folds 3 --seed 4 --classifier " + classifier +
                                " --required-gain -1e9 --max-iterations 20 -o k.dsk --json facts.json");
    expect_learned(outcome);
    EXPECT_SAYS(outcome.out, "3-fold cross-validation with " + classifier);
    const auto validation = facts()["cross_validation"];
    EXPECT_EQ(validation["classifier"], classifier);
    EXPECT_EQ(validation["folds"], 3);
    EXPECT_EQ(validation["seed"], 4);
    nlohmann::json best{{"accuracy", -1}};
    for (const auto& score : validation["scores"])
      if (score["accuracy"] >= best["accuracy"]) best = score;
    EXPECT_EQ(facts()["penalty"], best["penalty"]);
    EXPECT_EQ(validation["scores"].back()["penalty"], "infinite");
  }
}

TEST_F(Learn, AdjustsOnlyIfTheGainIsLargeEnough) {
  save(wishart_classes({.classes = 3, .per_class = 20, .dim = 6, .degrees = 14, .tau = 0.5, .seed = 1}),
       *this / "gain.npz");
  const std::string command =
      "learn gain.npz --criterion centred --adjust affine --folds 3 -o k.dsk --json facts.json --required-gain ";
  expect_learned(run(command + "-1"));
  EXPECT_TRUE(facts()["penalty"].is_number());
  const Outcome outcome = run(command + "1000");
  expect_learned(outcome);
  EXPECT_EQ(facts()["penalty"], "infinite");
  EXPECT_SAYS(outcome.out, "No eigenvalue is adjusted");
}

TEST_F(Learn, Batch) {
  save(wishart_classes({.per_class = 100, .dim = 3, .degrees = 10, .tau = 0.8}), *this / "many.npz");
  const std::string command = "learn many.npz --criterion ca --batch 50 --seed 3 -o k.dsk --json facts.json ";
  const Outcome outcome = run(command + "--penalty 0.01");
  expect_learned(outcome);
  const nlohmann::json batch = facts()["batch"];
  EXPECT_EQ(batch["size"], 50);
  EXPECT_EQ(batch["seed"], 3);
  EXPECT_GE(batch["learned_on"], 8);
  EXPECT_GE(batch["evaluated_on"], 16);
  EXPECT_GT(batch["standard_error"], 0);
  EXPECT_SAYS(outcome.out, "random blocks of 50 matrices");
  EXPECT_SAYS(outcome.out, "standard error");
  expect_learned(run(command + "--choose-on 60 --folds 3"));
  EXPECT_EQ(facts()["cross_validation"]["folds"], 3);

  const Outcome whole = run("learn t.npz --penalty 0.01 --batch 500 -o k.dsk --json facts.json");
  EXPECT_EQ(whole.status, 0);
  EXPECT_SAYS(whole.err, "batch 500 is not below the 30 matrices: learned from all pairs");
  EXPECT_FALSE(facts().contains("batch"));

  for (const std::string file : {"k.dsk", "facts.json"}) std::filesystem::remove(*this / file);
  EXPECT_SAYS(refused("--batch 1"), "--batch 1 must be 2 or more");
  EXPECT_SAYS(refused("--batch 8"), "batch 8 is too small for the 2 classes of these 30 matrices; use 24 or more");
  EXPECT_SAYS(refused("--batch 25 --criterion rm"), "--batch cannot learn by the criterion radius-margin");
  EXPECT_SAYS(refused("--batch 25 --device cuda"), "--batch works on the CPU");
  EXPECT_SAYS(refused("--choose-on 25"), "--choose-on");
  EXPECT_SAYS(refused("--choose-on 1"), "--choose-on 1 must be 2 or more");
  EXPECT_SAYS(refused("--batch 25 --choose-on -1"), "--choose-on -1 must be 2 or more");
}

TEST_F(Learn, EveryCriterionAndAdjustment) {
  for (const std::string criterion : {"alignment", "separability", "rm", "trace-margin", "centred", "neighbour"})
    for (const std::string adjustment : {"power", "coefficient", "a"}) {
      SCOPED_TRACE(fmt::format("{} {}", criterion, adjustment));
      const Outcome outcome = run(fmt::format(
          "learn t.npz --penalty 0.1 --max-iterations 5 --criterion {} --adjust {} -o k.dsk --json facts.json",
          criterion, adjustment));
      expect_learned(outcome);
      const bool soft = criterion == "rm" || criterion == "trace-margin";
      EXPECT_EQ(facts()["C"].is_number(), soft);
      EXPECT_EQ(outcome.out.find("C   ") != std::string::npos, soft);
    }
}

TEST_F(Learn, GivenThetaScaleAndC) {
  expect_learned(
      run("learn t.npz --penalty 0 --theta 2.5 --scale unit --criterion rm --C 3 --max-iterations 0 "
          "-o k.dsk --json facts.json"));
  EXPECT_EQ(facts()["theta"], 2.5);
  EXPECT_NEAR(facts()["C"].get<double>(), 3, 1e-14);
  EXPECT_EQ(facts()["stop"], "iteration_limit");
  EXPECT_EQ(facts()["history"].size(), 1u);
  EXPECT_NE(facts()["scale"], 1);
  expect_learned(run("learn t.npz --penalty 0.1 --scale 1e-3 -o k.dsk --json facts.json"));
  EXPECT_EQ(facts()["scale"], 1e-3);
}

TEST_F(Learn, InfinitePenaltyAdjustsNothing) {
  const Outcome outcome = run("learn t.npz --penalty inf -o k.dsk --json facts.json");
  expect_learned(outcome);
  EXPECT_SAYS(outcome.out, "No eigenvalue is adjusted");
  EXPECT_TRUE(load_kernel(*this / "k.dsk").kernel.adjustment().is_none());
}

TEST_F(Learn, SubspaceAndRecentring) {
  ASSERT_EQ(run("learn t.npz --adjust none --project 2 -o k.dsk --json facts.json").status, 0);
  EXPECT_EQ(facts()["components"], 2);
  EXPECT_EQ(facts()["adjustment"], "none");
  EXPECT_EQ(facts()["projection"].size(), 3u);
  EXPECT_EQ(facts()["projection"][0].size(), 2u);
  EXPECT_EQ(facts()["patterns"].size(), 3u);
  EXPECT_EQ(facts()["patterns"][0].size(), 2u);
  EXPECT_EQ(load_kernel(*this / "k.dsk").kernel.result_dim(), 2);
  for (const std::string classifier : {"knn", "svm"}) {
    const Outcome outcome =
        run("learn t.npz --project 2 --folds 3 --classifier " + classifier + " -o k.dsk --json facts.json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GT(facts()["cross_validation"]["scores"].size(), 1u);
  }
  for (const std::string project : {"auto", "start"}) {
    const Outcome outcome = run("learn t.npz --folds 3 --project " + project + " -o k.dsk --json facts.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(facts()["by_components"][0]["components"], 3);
    EXPECT_GT(facts()["by_components"][0]["standard_error"], 0);
    EXPECT_SAYS(outcome.out, "components by cross-validation");
  }
  ASSERT_EQ(run("learn t.npz --penalty 0.1 --recentre all -o k.dsk --json facts.json").status, 0);
  EXPECT_EQ(facts()["recentre"], "all");
  EXPECT_EQ(load_kernel(*this / "k.dsk").kernel.transform().steps().size(), 2u);
  std::filesystem::remove(*this / "k.dsk");
  std::filesystem::remove(*this / "facts.json");
  EXPECT_SAYS(refused("--project ladder"), "use dsk train --project ladder");
  EXPECT_SAYS(refused("--recentre groups"), "use dsk train --recentre groups");
  EXPECT_SAYS(refused("--adjust none --penalty 1"), "--penalty has no effect with --adjust none");
  EXPECT_SAYS(refused("--project 4"), "1 to 3 components, not 4");
  EXPECT_SAYS(refused("--classifier mdm"), "knn and svm, not by mdm");
}

TEST_F(Learn, NotesClassesThatLieInOneGroup) {
  const Dataset data = wishart_classes({.classes = 3, .per_class = 12, .dim = 3});
  std::vector<std::string> groups;
  for (Index i = 0; i < data.size(); ++i)
    groups.push_back(data.labels()[i] == 0 ? "one" : "group " + std::to_string(i % 4));
  save(Dataset(data.matrices(), data.labels(), Labels(groups)), *this / "g.npz");
  const Outcome outcome = run("learn g.npz --folds 3 -o k.dsk");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.err, "1 of 3 classes lies in a single group");
  EXPECT_SAYS(outcome.err, "ignore the groups with --ignore-groups");
}

TEST_F(Learn, SameKernelForAnyNumberOfThreads) {
  ASSERT_EQ(run("learn t.npz --max-iterations 10 --threads 1 -o one.dsk").status, 0);
  ASSERT_EQ(run("learn t.npz --max-iterations 10 --threads 2 -o two.dsk").status, 0);
  EXPECT_EQ(get("one.dsk"), get("two.dsk"));
}

TEST_F(Learn, MatricesOfSizeOne) {
  put("one.csv", "a,1\na,1.5\na,2\nb,2\nb,3\nb,4.5\n");
  for (const std::string criterion : {"alignment", "rm", "neighbour"})
    expect_learned(run("learn one.csv --criterion " + criterion + " -o k.dsk --json facts.json"));
}

TEST_F(Learn, FewerMembersThanFolds) {
  expect_learned(run("learn x.npz --folds 1000000 -o k.dsk --json facts.json"));
  EXPECT_EQ(facts()["cross_validation"]["folds"], 2);
}

TEST_F(Learn, ClassNamesOfAnyKind) {
  put("names.csv", "größe 1\n{} %s\n{} %s\n");
  expect_learned(run("learn x.npz --labels names.csv --penalty 1 -o k.dsk --json facts.json"));
  EXPECT_EQ(load_kernel(*this / "k.dsk").origin.classes, (std::vector<std::string>{"größe 1", "{} %s"}));
}

TEST_F(Learn, HelpHasAnExample) {
  const Outcome outcome = run("learn --help");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_SAYS(outcome.out, "Example: dsk learn ");
  for (const std::string flag : {"--json", "--threads", "--seed", "--penalty", "--criterion"})
    EXPECT_SAYS(outcome.out, flag);
}

TEST_F(Learn, RefusesBadFlags) {
  EXPECT_SAYS(refused("--criterion luck"), "luck");
  EXPECT_SAYS(refused("--adjust sideways"), "sideways");
  EXPECT_SAYS(refused("--scale big"), "big");
  EXPECT_SAYS(refused("--classifier tree"), "tree");
  for (const std::string value : {"wide", "''", "1e999", "1x", "' 1'"})
    for (const std::string flag : {"--theta", "--penalty", "--C"})
      EXPECT_SAYS(refused(fmt::format("--criterion rm {} {}", flag, value)), flag);
  for (const std::string value : {"-1", "0", "nan", "inf", "0.75"}) EXPECT_SAYS(refused("--theta " + value), "theta");
  for (const std::string value : {"-1", "0", "nan", "inf"}) {
    EXPECT_SAYS(refused("--criterion rm --C " + value), "C " + value);
    EXPECT_SAYS(refused("--scale " + value), "scale");
  }
  EXPECT_SAYS(refused("--C 1"), "--C is for the margin criteria");
  EXPECT_SAYS(refused("--theta 0.75 --allow-indefinite --theta-range valid"),
              "--allow-indefinite is the same as --theta-range any");
  for (const std::string value : {"1", "0", "-5", "many", "''"}) EXPECT_SAYS(refused("--folds " + value), "--folds");
  EXPECT_SAYS(refused("--folds 1 --penalty 1"), "--folds");
  EXPECT_SAYS(refused("--threads -1"), "--threads");
  EXPECT_SAYS(refused("--max-iterations -1"), "iterations -1");
  for (const std::string value : {"1e10", "99999999999", "''"})
    EXPECT_SAYS(refused("--max-iterations " + value), "--max-iterations");
  for (const std::string value : {"nan", "-1"}) EXPECT_SAYS(refused("--tolerance " + value), "tolerance");
  for (const std::string value : {"-1", "nan", "-inf"}) EXPECT_SAYS(refused("--penalty " + value), "penalty " + value);
  EXPECT_SAYS(refused("--tolerance 1e999"), "'1e999' is out of range");
  EXPECT_SAYS(refused("--folds 99999999999999999999"), "'99999999999999999999' is out of range");
  for (const std::string value : {"-1", "1.5", "''", "18446744073709551616"})
    EXPECT_SAYS(refused("--seed " + value), "--seed");
  for (const std::string value : {"much", "inf", "nan"})
    EXPECT_SAYS(refused("--required-gain " + value), "--required-gain");
  EXPECT_SAYS(refused("--learn-on -1"), "--learn-on");
  EXPECT_SAYS(refused("--repair pray"), "pray");
  EXPECT_SAYS(refused("--part half"), "--part");
}

TEST_F(Learn, RefusesBadFiles) {
  const std::string before = get("t.npz");
  EXPECT_SAYS(refusal("learn t.npz -o k.npz"), ".dsk");
  EXPECT_SAYS(refusal("learn t.npz -o ''"), "--output: must not be empty");
  EXPECT_SAYS(refusal("learn t.npz"), "output");
  EXPECT_SAYS(refusal("learn t.npz -o none/k.dsk"), "no folder none");
  EXPECT_SAYS(refusal("learn t.npz -o t.npz"), "t.npz");
  std::filesystem::create_hard_link(*this / "t.npz", *this / "link.dsk");
  EXPECT_SAYS(refusal("learn t.npz -o link.dsk"), "is an input");
  EXPECT_SAYS(refusal("learn t.npz -o k.dsk --json t.npz"), "is an input");
  EXPECT_SAYS(refusal("learn t.npz -o k.dsk --json k.dsk"), "two results");
  EXPECT_EQ(get("t.npz"), before);
  EXPECT_SAYS(refused("", "none.npz"), "none.npz: cannot be opened");
  EXPECT_SAYS(refused("--labels none.csv"), "none.csv: cannot be opened");
  EXPECT_FALSE(std::filesystem::exists(*this / "k.npz"));
}

TEST_F(Learn, RefusesDataThatCannotBeLearnedFrom) {
  put("bare.npy", two_matrices_npy());
  EXPECT_SAYS(refused("", "bare.npy"), "bare.npy: has no labels to learn from; give --labels");
  put("three.csv", "1\n2\n3\n");
  EXPECT_SAYS(refused("--labels three.csv", "bare.npy"), "3 labels for 2 matrices");
  put("same.csv", "a\na\n");
  EXPECT_SAYS(refused("--labels same.csv", "bare.npy"), "at least two classes");
  EXPECT_SAYS(refused("--labels same.csv --penalty 1", "bare.npy"), "at least two classes");
  put("latin1.csv",
      "gr\xf6\xdf"
      "e\nb\n");
  EXPECT_SAYS(refused("--labels latin1.csv --penalty 1", "bare.npy"), "latin1.csv: has a class name that is not UTF-8");
  put("two.csv", "a\nb\n");
  EXPECT_SAYS(refused("--labels two.csv", "bare.npy"), "cross-validation needs a class with at least two matrices");
  EXPECT_SAYS(refused("--labels two.csv --penalty 1 --criterion neighbour", "bare.npy"), "at least two matrices");
  EXPECT_SAYS(refused("--labels two.csv --penalty 1 --criterion cs", "bare.npy"), "separability");
  expect_learned(run("learn bare.npy --labels two.csv --penalty 1 -o k.dsk --json facts.json"));
}

}  // namespace
}  // namespace dsk::test

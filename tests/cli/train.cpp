#include <dsk/files.hpp>
#include <dsk/model.hpp>
#include <dsk/transform.hpp>

#include <fmt/format.h>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace dsk::test {
namespace {

/// As Program, with classes that overlap to train on in t.npz and to predict in u.npz.
class Train : public Program {
 protected:
  Train() {
    save(made(0), *this / "t.npz");
    save(made(1), *this / "u.npz");
  }

  static Dataset made(std::uint64_t seed) {
    const Dataset drawn =
        wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 15, .tau = 0.9, .seed = seed});
    std::vector<std::string> labels;
    for (Index i = 0; i < drawn.size(); ++i) labels.push_back(odd_names[static_cast<std::size_t>(drawn.labels()[i])]);
    return Dataset(drawn.matrices(), Labels(labels));
  }

  nlohmann::json facts() const { return nlohmann::json::parse(get("facts.json")); }

  std::vector<std::string> lines(const std::string& text) const {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
  }

  /// What the program says; checks that it leaves no result.
  std::string refused(const std::string& arguments, const std::string& input = "t.npz") const {
    std::string text = refusal("train " + input + " -o m.dsk --json facts.json " + arguments);
    EXPECT_FALSE(std::filesystem::exists(*this / "m.dsk")) << arguments;
    EXPECT_FALSE(std::filesystem::exists(*this / "facts.json")) << arguments;
    return text;
  }

  inline static const std::vector<std::string> odd_names{"a,b", "größe", "say \"x\""};
  inline static const std::vector<std::string> odd_fields{"\"a,b\"", "größe", "\"say \"\"x\"\"\""};
};

TEST_F(Train, ThenPredict) {
  for (const std::string flags :
       {"", "--classifier mdm", "--classifier logistic", "--classifier tangent-svm", "--classifier mean --project 2",
        "--metric logeuclidean --recentre all", "--classifier knn", "--classifier svm",
        "--classifier svm --probabilities --balanced --margin squared", "--metric airm",
        "--metric powereuclidean --classifier svm", "--criterion centred --adjust affine --folds 3",
        "--criterion alignment --penalty 0.1 --classifier svm", "--kernel combined --folds 3",
        "--kernel combined --probabilities --balanced --C 10"}) {
    SCOPED_TRACE(flags);
    const Outcome trained = run("train t.npz -o m.dsk --json facts.json " + flags);
    ASSERT_EQ(trained.status, 0) << trained.err;
    // Alignment takes a theta for which the few matrices here are hardly alike, and a note says so.
    if (flags.find("alignment") == std::string::npos) {
      EXPECT_EQ(trained.err, "");
    } else {
      EXPECT_SAYS(trained.err, "dsk: note: the kernel matrix is nearly the identity");
    }
    EXPECT_EQ(facts()["n"], 30);
    EXPECT_EQ(facts()["classes"], 3);
    EXPECT_EQ(facts()["output"], "m.dsk");
    EXPECT_GT(facts()["validated"], 0.4);
    const nlohmann::json told = facts();
    for (const auto& [name, value] : told.items()) {
      if (name == "classifier" && value == "pipeline") continue;  // what was chosen says more
      EXPECT_SAYS(trained.out, name);
    }

    const Outcome outcome = run("predict m.dsk u.npz -o labels.csv --json facts.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Model model = load_model(*this / "m.dsk").model;
    const Dataset test = load(*this / "u.npz");
    const Prediction expected = predict(model, test.matrices());
    EXPECT_EQ(facts()["n"], 30);
    EXPECT_EQ(facts()["accuracy"], accuracy(expected.labels, test.labels()));
    EXPECT_GT(facts()["accuracy"], 0.4);
    const std::vector<std::string> found = lines(get("labels.csv"));
    ASSERT_EQ(found.size(), 30u);
    for (Index i = 0; i < 30; ++i)
      EXPECT_EQ(found[static_cast<std::size_t>(i)], odd_fields[static_cast<std::size_t>(expected.labels[i])]);

    const Outcome shown = run("predict m.dsk u.npz");
    EXPECT_EQ(shown.status, 0);
    EXPECT_EQ(shown.out, get("labels.csv"));
    EXPECT_EQ(shown.err, "");
  }
}

TEST_F(Train, TellsTheSubspacesThatItProjectsTo) {
  save(load(*this / "t.npz").with_channels({"C3", "Cz", "C4"}), *this / "named.npz");
  for (const std::string flags :
       {"--classifier mdm --project 2", "--classifier logistic --project 2", "--classifier knn --project 2",
        "--criterion centred --penalty 0.1 --project 2", "--criterion centred --penalty 0.1 --project start",
        "--criterion centred --penalty 0.1 --recentre all"}) {
    SCOPED_TRACE(flags);
    const Outcome trained = run("train named.npz -o m.dsk --json facts.json --folds 3 " + flags);
    ASSERT_EQ(trained.status, 0) << trained.err;
    const nlohmann::json told = facts();
    if (told.contains("by_components")) {
      for (const auto& one : told["by_components"]) {
        EXPECT_GT(one["accuracy"], 0.3);
        EXPECT_GT(one["standard_error"], 0);
        EXPECT_SAYS(trained.out,
                    fmt::format("{}: {:.1f} %", one["components"].dump(), 100 * one["accuracy"].get<double>()));
      }
    }
    const std::vector<Projection> expected = projections(load_model(*this / "m.dsk").model);
    if (flags.ends_with("2")) {
      EXPECT_EQ(expected.size(), 1u);
    }
    ASSERT_EQ(told.contains("subspaces"), !expected.empty());
    if (expected.empty()) continue;
    EXPECT_EQ(told["channels"], (std::vector<std::string>{"C3", "Cz", "C4"}));
    const nlohmann::json subspace = told["subspaces"][0];
    const Matrix patterns = spatial_patterns(expected[0], load(*this / "named.npz").matrices());
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c < expected[0].result_dim(); ++c) {
        const auto row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
        EXPECT_EQ(subspace["projection"][row][column], expected[0].w(r, c));
        EXPECT_NEAR(subspace["patterns"][row][column].get<double>(), patterns(r, c), 1e-12 * patterns.norm());
      }
  }
  std::filesystem::remove(*this / "m.dsk");
  std::filesystem::remove(*this / "facts.json");
  EXPECT_SAYS(refused("--criterion centred --project ladder"), "a ladder of subspaces is for class means");
}

TEST_F(Train, CombinedKernelsShowTheirWeights) {
  const Outcome trained = run("train t.npz -o m.dsk --kernel combined --folds 3 --json facts.json");
  ASSERT_EQ(trained.status, 0) << trained.err;
  double sum = 0;
  const nlohmann::json told = facts();
  for (const auto& [name, weight] : told["kernels"].items()) {
    EXPECT_SAYS(name, " / median");
    EXPECT_GT(weight, 0);
    sum += weight.get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  const bool equal = told["kernels"].size() > 1 && trained.out.find("with equal weights") != std::string::npos;
  EXPECT_SAYS(trained.out, fmt::format("{}{} kernel", equal ? "" : "weights of ", told["kernels"].size()));
  EXPECT_SAYS(trained.out, fmt::format("{:.1f} % in cross-validation", 100 * told["validated"].get<double>()));
  EXPECT_SAYS(trained.out, "runners_up MK-");
}

TEST_F(Train, CombinedKernelsAreForTheSvmAndHaveTheirOwnThetas) {
  EXPECT_SAYS(refused("--kernel combined --classifier knn"), "--kernel combined is for --classifier svm");
  EXPECT_SAYS(refused("--kernel combined --theta 2"), "with --kernel combined, which has several");
  EXPECT_SAYS(refused("--kernel combined --neighbours 3"), "with --kernel combined, which is for the SVM");
  EXPECT_SAYS(refused("--kernel combined --required-gain 1"), "--required-gain has no effect with --kernel combined");
  EXPECT_SAYS(refused("--kernel combined --scale unit"), "--scale has no effect with --kernel combined");
  EXPECT_SAYS(refused("--kernel combined --approximate nystrom:9"), "cannot be used with --kernel combined");
  EXPECT_SAYS(refused("--kernel combine"),
              "--kernel combine: no such file; give a .dsk file of dsk learn, or combined");
  // Its subspaces are learned with a penalty.
  EXPECT_EQ(run("train t.npz -o m.dsk --kernel combined --penalty 1").status, 0);
}

TEST_F(Train, ScoresHaveAHeaderAndSumToOne) {
  for (const std::string flags : {"--classifier knn", "--classifier svm", "--classifier svm --probabilities"}) {
    ASSERT_EQ(run("train t.npz -o m.dsk " + flags).status, 0);
    ASSERT_EQ(run("predict m.dsk u.npz --scores -o scores.csv").status, 0);
    ASSERT_EQ(run("predict m.dsk u.npz -o labels.csv").status, 0);
    const std::vector<std::string> rows = lines(get("scores.csv")), labels = lines(get("labels.csv"));
    ASSERT_EQ(rows.size(), 31u);
    EXPECT_EQ(rows[0], fmt::format("label,{},{},{}", odd_fields[0], odd_fields[1], odd_fields[2]));
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ASSERT_TRUE(rows[i].starts_with(labels[i - 1] + ",")) << rows[i];
      std::istringstream numbers(rows[i].substr(labels[i - 1].size()));
      double sum = 0, score = 0;
      int count = 0;
      for (char comma = 0; numbers >> comma >> score; ++count) {
        EXPECT_GE(score, 0);
        sum += score;
      }
      EXPECT_EQ(count, 3) << rows[i];
      EXPECT_NEAR(sum, 1, 1e-12) << rows[i];
    }
  }
}

TEST_F(Train, PredictedLabelsCanBeReadBack) {
  ASSERT_EQ(run("train t.npz -o m.dsk").status, 0);
  ASSERT_EQ(run("predict m.dsk u.npz -o labels.csv").status, 0);
  const Outcome outcome = run("predict m.dsk u.npz --labels labels.csv -o again.csv --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(facts()["accuracy"], 1);
}

TEST_F(Train, WithASavedKernel) {
  ASSERT_EQ(run("learn t.npz --penalty 0.1 --theta 2 -o k.dsk").status, 0);
  const LearnedKernel kernel = load_kernel(*this / "k.dsk").kernel;
  for (const std::string classifier : {"knn", "svm"}) {
    const Outcome outcome = run("train t.npz --kernel k.dsk -o m.dsk --json facts.json --classifier " + classifier);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(facts()["theta"], 2);
    EXPECT_EQ(facts()["alpha"],
              std::vector<double>(kernel.adjustment().alpha.begin(), kernel.adjustment().alpha.end()));
    EXPECT_FALSE(facts().contains("penalty")) << "known only where it was learned";
    EXPECT_EQ(run("predict m.dsk u.npz -o labels.csv").status, 0);
  }
  EXPECT_SAYS(refusal("train t.npz --kernel k.dsk -o n.dsk --criterion rm"), "--criterion");
  EXPECT_SAYS(refusal("train t.npz --kernel k.dsk -o n.dsk --metric stein"), "--metric");
  EXPECT_SAYS(refusal("train t.npz --kernel none.dsk -o n.dsk"), "none.dsk: cannot be opened");
  EXPECT_SAYS(refusal("train t.npz --kernel m.dsk -o n.dsk"), "m.dsk");
  EXPECT_SAYS(refusal("train t.npz --kernel k.dsk -o k.dsk"), "is an input");
  EXPECT_SAYS(refusal("train x.npz --kernel k.dsk -o n.dsk"), "size");
  EXPECT_FALSE(std::filesystem::exists(*this / "n.dsk"));
}

TEST_F(Train, GivenValuesAreKept) {
  ASSERT_EQ(run("train t.npz --neighbours 4 -o m.dsk --json facts.json").status, 0);
  EXPECT_EQ(facts()["neighbours"], 4);
  ASSERT_EQ(run("train t.npz --criterion cs --penalty 0.25 --theta 3 --C 7 --classifier svm -o m.dsk --json facts.json")
                .status,
            0);
  EXPECT_EQ(facts()["C"], 7);
  EXPECT_EQ(facts()["theta"], 3);
  EXPECT_EQ(facts()["penalty"], 0.25);
  ASSERT_EQ(run("train t.npz --criterion cs --penalty inf -o m.dsk --json facts.json").status, 0);
  EXPECT_EQ(facts()["penalty"], "infinite");
}

TEST_F(Train, RefusesBadFlags) {
  EXPECT_SAYS(refused("--penalty 0.1"), "--penalty has no effect without --criterion");
  for (const std::string flag : {"--balanced", "--probabilities", "--margin squared"})
    EXPECT_SAYS(refused("--classifier knn " + flag), "has no effect with --classifier knn; it is for --classifier svm");
  EXPECT_SAYS(refused("--margin soft --classifier svm"), "--margin: unknown margin 'soft'; use one of linear, squared");
  EXPECT_SAYS(refused("--metric airm --classifier svm"), "airm");
  EXPECT_SAYS(refused("--metric airm --criterion ka"), "kernels by --metric airm cannot be learned");
  EXPECT_SAYS(refused("--adjust power"), "--adjust requires --criterion");
  EXPECT_SAYS(refused("--criterion luck"), "luck");
  EXPECT_SAYS(refused("--criterion ka --adjust sideways"), "sideways");
  EXPECT_SAYS(refused("--classifier tree"), "tree");
  for (const std::string value : {"0", "-1", "1.5", "many", "nan", "inf", "1e10", "''"})
    EXPECT_SAYS(refused("--neighbours " + value), "--neighbours");
  for (const std::string value : {"0", "-1", "nan", "inf", "wide", "''"})
    for (const std::string flag : {"--C", "--theta"})
      EXPECT_SAYS(refused(fmt::format("--classifier svm {} {}", flag, value)), flag);
  for (const std::string value : {"0", "nan", "inf"}) EXPECT_SAYS(refused("--zeta " + value), "--zeta");
  for (const std::string value : {"-1", "nan"}) EXPECT_SAYS(refused("--penalty " + value), "--penalty");
  for (const std::string value : {"1", "-3", "many"}) EXPECT_SAYS(refused("--folds " + value), "--folds");
  EXPECT_SAYS(refused("--classifier svm --theta 0.75"), "theta 0.75");
  EXPECT_SAYS(refused("--theta-range wide"), "--theta-range");
  EXPECT_SAYS(refused("--scale big"), "big");
  EXPECT_SAYS(refused("--threads -1"), "--threads");
  EXPECT_SAYS(refused("--repair pray"), "pray");
  EXPECT_SAYS(refusal("train t.npz -o m.npz"), ".dsk");
  EXPECT_SAYS(refusal("train t.npz -o none/m.dsk"), "no folder none");
  EXPECT_SAYS(refusal("train t.npz"), "output");
  put("bare.npy", two_matrices_npy());
  EXPECT_SAYS(refused("", "bare.npy"), "has no labels to learn from");
}

TEST_F(Train, PredictRefusesWhatItCannotUse) {
  ASSERT_EQ(run("train t.npz -o m.dsk").status, 0);
  ASSERT_EQ(run("learn t.npz --penalty 1 -o k.dsk").status, 0);
  const auto refused = [&](const std::string& arguments) {
    std::string text = refusal("predict " + arguments + " -o labels.csv --json facts.json");
    EXPECT_FALSE(std::filesystem::exists(*this / "labels.csv"));
    EXPECT_FALSE(std::filesystem::exists(*this / "facts.json"));
    return text;
  };
  EXPECT_SAYS(refused("k.dsk t.npz"), "k.dsk: ");
  EXPECT_SAYS(refused("k.dsk t.npz"), "kernel");
  EXPECT_SAYS(refused("t.npz t.npz"), "t.npz: is not a .dsk file");
  EXPECT_SAYS(refused("none.dsk t.npz"), "none.dsk: cannot be opened");
  EXPECT_SAYS(refused("m.dsk x.npz"), "x.npz: holds matrices of size 2, but the model is for size 3");
  EXPECT_SAYS(refused("m.dsk none.npz"), "none.npz: cannot be opened");
  EXPECT_SAYS(refused("m.dsk t.npz --threads -1"), "--threads");
  EXPECT_SAYS(refusal("predict m.dsk t.npz -o m.dsk"), "is an input");
  EXPECT_SAYS(refusal("predict m.dsk"), "X is required");
  put("cut.dsk", get("m.dsk").substr(0, 200));
  EXPECT_SAYS(refused("cut.dsk t.npz"), "cut.dsk: ");
}

}  // namespace
}  // namespace dsk::test

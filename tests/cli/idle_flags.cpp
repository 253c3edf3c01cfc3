#include <cli/program.hpp>

#include <regex>
#include <sstream>

namespace dsk::test {
namespace {

struct IdleFlag {
  std::string arguments;  ///< without the flag
  std::string flag;       ///< with its value
};

const std::vector<IdleFlag> idle_flags{
    {"train x.npz -o m.dsk --classifier svm", "--neighbours 3"},
    {"train x.npz -o m.dsk --classifier mdm", "--neighbours 3"},
    {"train x.npz -o m.dsk --classifier knn", "--C 1"},
    {"train x.npz -o m.dsk --classifier knn", "--theta 2"},
    {"train x.npz -o m.dsk --classifier mean", "--theta 2"},
    {"train x.npz -o m.dsk --classifier svm --project 1", "--theta 2"},
    {"train x.npz -o m.dsk --classifier knn", "--theta-range any"},
    {"train x.npz -o m.dsk --classifier knn", "--zeta 0.5"},
    {"train x.npz -o m.dsk --classifier svm", "--scale unit"},
    {"train x.npz -o m.dsk --classifier svm", "--required-gain 1"},
    {"train x.npz -o m.dsk --criterion ka --penalty 1", "--required-gain 1"},
    {"train x.npz -o m.dsk --classifier svm", "--learn-on 2"},
    {"train x.npz -o m.dsk --classifier svm", "--penalty 1"},
    {"train x.npz -o m.dsk --classifier knn", "--balanced"},
    {"train x.npz -o m.dsk --classifier knn", "--probabilities"},
    {"train x.npz -o m.dsk --classifier knn", "--margin squared"},
    {"train x.npz -o m.dsk", "--part test"},
    {"learn x.npz -o k.dsk", "--part test"},
    {"learn x.npz -o k.dsk --penalty 1", "--required-gain 1"},
    {"learn x.npz -o k.dsk --penalty 1", "--classifier knn"},
    {"predict m.dsk x.npz", "--part test"},
    {"evaluate x.npz --methods SK:svm,MDM", "--neighbours 3"},
    {"evaluate x.npz --methods SK:knn,MDM", "--C 1"},
    {"evaluate x.npz --methods SK:knn,MDM", "--theta 2"},
    {"evaluate x.npz --methods SK:knn", "--theta-range any"},
    {"evaluate x.npz --methods SK:knn,auto", "--zeta 0.5"},
    {"evaluate x.npz --methods SK:knn,auto", "--scale unit"},
    {"evaluate x.npz --methods SK:svm", "--required-gain 1"},
    {"evaluate x.npz --methods SK:svm", "--learn-on 2"},
    {"evaluate x.npz --methods SK:svm", "--penalty 1"},
    {"evaluate x.npz", "--part test"},
    {"cluster x.npz --clusters 2", "--part test"},
    {"cluster x.npz --clusters 2", "--most-clusters 5"},
    {"cluster x.npz --clusters 2", "--theta 2"},
    {"cluster x.npz --clusters 2", "--neighbours 5"},
    {"cluster x.npz --clusters 2 --method spectral", "--landmarks 5"},
    {"cluster x.npz --clusters 2 --metric stein", "--zeta 0.5"},
    {"distance x.npz -o D.npy", "--part test"},
    {"distance x.npz -o D.npy --metric airm", "--zeta 0.5"},
    {"distance x.npz -o D.npy --metric airm", "--float32"},
    {"kernel x.npz -o K.npy --theta 1", "--zeta 0.5"},
    {"kernel x.npz -o K.npy --theta 1 --metric airm --allow-indefinite", "--float32"},
    {"describe series x.npz -o S.npz", "--order 3"},
    {"describe series x.npz -o S.npz", "--rate 100"},
    {"describe texture . -o T.npz", "--seed 1"},
};

TEST_F(Program, FlagsWithoutEffectAreRefused) {
  for (const auto& [arguments, flag] : idle_flags) {
    const std::string name = flag.substr(0, flag.find(' '));
    EXPECT_SAYS(refusal(arguments + " " + flag), "dsk: " + name + " has no effect ");
  }
}

TEST_F(Program, FlagsWithEffectAreNot) {
  save(wishart_classes({.per_class = 8, .dim = 3, .degrees = 9, .tau = 0.9}), *this / "t.npz");
  for (const std::string arguments :
       {"train t.npz -o m.dsk --classifier svm --C 1 --theta 2", "train t.npz -o m.dsk --C 1 --theta 2",
        "train t.npz -o m.dsk --neighbours 3", "train t.npz -o m.dsk --metric powereuclidean --zeta 0.5 --neighbours 1",
        "train t.npz -o m.dsk --criterion ka --penalty 1 --theta 2 --scale unit --learn-on 10 --neighbours 1",
        "train t.npz -o m.dsk --classifier logistic --C 1", "train t.npz -o m.dsk --classifier svm --project 2 --C 1",
        "train t.npz -o m.dsk --classifier svm --balanced --margin squared --theta 2",
        "evaluate t.npz --methods SK:svm,SK:knn --neighbours 3 --C 1 --theta 2 --protocol halves:2",
        "evaluate t.npz --methods PEK:knn --zeta 0.5 --protocol halves:2",
        "distance t.npz -o D.npy --metric powereuclidean --zeta 0.3", "distance t.npz -o D.npy --float32"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.err;
  }
}

TEST_F(Program, EmptyArgumentsAreErrors) {
  for (const std::string command : {"distance", "kernel", "learn", "train", "predict", "evaluate", "info", "demo",
                                    "experiment", "describe texture", "describe series"}) {
    std::istringstream help(run(command + " --help").out);
    const std::regex option("^  (?:-.,)?(--[A-Za-z0-9-]+) (TEXT|INT|UINT|FLOAT|PATH).*");
    std::smatch found;
    int options = 0;
    for (std::string line; std::getline(help, line);) {
      if (!std::regex_match(line, found, option)) continue;
      ++options;
      EXPECT_SAYS(refusal(command + " x.npz " + found[1].str() + " ''"), found[1].str());
    }
    EXPECT_GT(options, 0) << command;
  }
  EXPECT_SAYS(refusal("distance '' -o D.npy"), "must not be empty");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --labels ''"), "--labels: must not be empty");
}

TEST_F(Program, ErrorsPointToTheHelpOfTheCommand) {
  EXPECT_SAYS(refusal("distance x.npz"), "(see dsk distance --help)");
  EXPECT_SAYS(refusal("train x.npz -o m.dsk --classifier knn --C 1"), "(see dsk train --help)");
  EXPECT_SAYS(refusal("describe series x.npz -o S.npz --frobnicate"), "(see dsk describe series --help)");
  EXPECT_SAYS(refusal("evaluate x.npz --methods nonsense"), "(see dsk evaluate --help)");
  EXPECT_SAYS(refusal("--frobnicate"), "(see dsk --help)");
}

TEST_F(Program, NumbersThatDoNothingAreRefused) {
  EXPECT_SAYS(refusal("evaluate x.npz --methods SK:knn --protocol kfold:1000"), "kfold:1000 is not possible");
  EXPECT_SAYS(refusal("experiment brain --minutes 0"), "--minutes 0 must be finite and above 0");
  EXPECT_SAYS(refusal("experiment brain --splits 0"), "--splits 0 must be 1 or more");
  EXPECT_SAYS(run("experiment brain --data none --splits 1").err,
              "note: brain has no random splits: --splits and --minutes have no effect");
  EXPECT_SAYS(refusal("describe series x.npz -o S.npz --bands 0-10 --rate 100"), "the lower edge must be above 0");
}

TEST_F(Program, MethodsMayHaveSpacesBetweenThem) {
  save(wishart_classes({.per_class = 8, .dim = 3, .degrees = 9, .tau = 0.9}), *this / "t.npz");
  EXPECT_EQ(run("evaluate t.npz --methods 'SK:knn, MDM' --protocol halves:2").status, 0);
}

TEST_F(Program, TrainingOnTwoMatricesNeedsNoCrossValidation) {
  put("two.csv", "1,2,1,1,2\n2,5,1,1,9\n");
  for (const std::string settings : {"--neighbours 1", "--classifier svm --C 1 --theta 2", "--C 1 --theta 2"}) {
    const Outcome outcome = run("train two.csv -o m.dsk " + settings);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("validated"), std::string::npos) << outcome.out;
    EXPECT_EQ(run("predict m.dsk two.csv").out, "1\n2\n") << settings;
  }
}

TEST_F(Program, PredictAsksForNoLabels) {
  const std::string help = run("predict --help").out;
  EXPECT_EQ(help.find("with labels"), std::string::npos) << help;
  EXPECT_SAYS(help, "labels are not needed");
}

}  // namespace
}  // namespace dsk::test

#include <dsk/engine.hpp>

#include <cli/program.hpp>

namespace dsk::test {
namespace {

TEST_F(Program, UnknownCommandListsTheCommands) {
  EXPECT_SAYS(refusal("distances x.npz"),
              "unknown command 'distances'; use one of demo, describe, distance, kernel, learn, train, predict, "
              "evaluate, cluster, "
              "experiment, info");
}

TEST_F(Program, ResultsNeverReplaceInputsOrEachOther) {
  const std::string before = get("x.npz");
  EXPECT_SAYS(refusal("distance x.npz -o ./x.npz"), "is an input");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --json x.npz"), "is an input");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --json D.npy"), "two results");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --json none/facts.json"), "no folder none");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
  EXPECT_EQ(get("x.npz"), before);
}

TEST_F(Program, ThousandsOfThreadsAreNotStarted) {
  save(Dataset(wishart_classes({.per_class = 700}).matrices()), *this / "many.npy");
  EXPECT_EQ(run("distance many.npy --threads 100000 -o D.npy").status, 0);
}

TEST_F(Program, BadArguments) {
  EXPECT_SAYS(refusal("distance"), "X");
  EXPECT_SAYS(refusal("distance x.npz"), "output");
  EXPECT_SAYS(refusal("--frobnicate"), "frobnicate");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --frobnicate"), "frobnicate");
  EXPECT_SAYS(refusal("distance x.npz x.npz x.npz -o D.npy"), "x.npz");
  EXPECT_SAYS(refusal("distance x.npz -o"), "dsk: --output needs a value (see dsk distance --help)");
  EXPECT_SAYS(refusal("learn x.npz -o k.dsk --alpha0"), "dsk: --alpha0 needs a value");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy -o E.npy"), "dsk: --output is given more than once");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --squared=perhaps"), "dsk: --squared takes no value");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --threads many"), "threads");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --threads -1"), "--threads");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --metric furlong"), "furlong");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --zeta 0"), "--zeta");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --part half"), "--part");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --repair pray"), "pray");
  EXPECT_SAYS(refusal("kernel x.npz -o K.npy"), "theta");
  EXPECT_SAYS(refusal("kernel x.npz -o K.npy --theta wide"), "theta");
  EXPECT_SAYS(refusal("info --threads -3"), "--threads");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
}

TEST_F(Program, DevicesThatAreNotThere) {
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --device abacus"), "device 'abacus' is unknown; use cpu or cuda");
  EXPECT_SAYS(refusal("learn x.npz -o k.dsk --adjust cubic"), "affine (a), or none (see dsk learn --help)");
  EXPECT_SAYS(refusal("describe series x.npz -o y.npz --estimator best"), "ledoit-wolf (lwf, lw), oas");
  if (cuda_status().usable) GTEST_SKIP() << "there is a CUDA device";
  for (const std::string command :
       {"distance x.npz -o D.npy", "kernel x.npz --theta 1 -o D.npy", "learn x.npz -o k.dsk", "train x.npz -o m.dsk",
        "predict m.dsk x.npz", "evaluate x.npz"})
    EXPECT_SAYS(refusal(command + " --device cuda"), "device cuda: ");
  EXPECT_EQ(run("distance x.npz -o D.npy --device cpu").status, 0);
}

TEST_F(Program, NumbersAreReadWhole) {
  for (const std::string value : {"''", "1e3", "0x10", "99999999999999999999", "'1 '"})
    EXPECT_SAYS(refusal("distance x.npz -o D.npy --threads " + value), "--threads");
  for (const std::string value : {"''", "0.5x", "1e999"})
    EXPECT_SAYS(refusal("distance x.npz -o D.npy --zeta " + value), "--zeta");
  EXPECT_SAYS(refusal("demo --seed -1"), "--seed");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
}

TEST_F(Program, ThetaThatMakesNoKernel) {
  refusal("kernel x.npz -o K.npy --theta -1");
  refusal("kernel x.npz -o K.npy --theta nan");
  refusal("kernel x.npz -o K.npy --metric airm --theta 1");
  EXPECT_EQ(run("kernel x.npz -o K.npy --metric airm --theta 1 --allow-indefinite").status, 0);
}

TEST_F(Program, BadInputFiles) {
  const auto says = [&](const std::string& file) { return refusal("distance " + file + " -o D.npy"); };
  EXPECT_SAYS(says("none.npz"), "none.npz: cannot be opened");
  EXPECT_SAYS(says("."), ".: has no extension; it must be .npy, .npz, .mat or .csv");
  put("data.txt", "1 2 3");
  EXPECT_SAYS(says("data.txt"), "data.txt: has extension '.txt'");
  std::filesystem::create_directory(*this / "folder.npy");
  EXPECT_SAYS(says("folder.npy"), "is a directory");
  put("empty.npy", "");
  EXPECT_SAYS(says("empty.npy"), "not a .npy array");
  put("garbage.npz", "garbage");
  EXPECT_SAYS(says("garbage.npz"), "not a complete zip archive");
  put("short.npy", two_matrices_npy().substr(0, 100));
  EXPECT_SAYS(says("short.npy"), "truncated");
  put("huge.npy", npy("<f8", "(1000000000000, 1000, 1000)", ""));
  EXPECT_SAYS(says("huge.npy"), "truncated");
  put("objects.npy", npy("|O", "(1, 1, 1)", "12345678"));
  EXPECT_SAYS(says("objects.npy"), "pickles");
  put("flat.npy", npy("<f8", "(2, 4)", bytes_of(two_matrices)));
  EXPECT_SAYS(says("flat.npy"), "not (n, d, d)");
  put("oblong.npy", npy("<f8", "(2, 4, 1)", bytes_of(two_matrices)));
  EXPECT_SAYS(says("oblong.npy"), "not square");
  put("nan.csv", "nan,0,0,1\n");
  EXPECT_SAYS(says("nan.csv"), "nan.csv");
  put("asymmetric.csv", "2,1,0,2\n");
  EXPECT_SAYS(says("asymmetric.csv"), "asymmetric.csv");
  put("indefinite.csv", "1,2,2,1\n");
  EXPECT_SAYS(says("indefinite.csv"), "indefinite.csv");
  put("zero.csv", "0,0,0,0\n");
  EXPECT_SAYS(says("zero.csv"), "zero.csv");
  put("broken.mat", "broken");
  EXPECT_SAYS(says("broken.mat"), "not a MAT-file");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
}

TEST_F(Program, DifferentSizes) {
  put("other.csv", "1\n");
  refusal("distance x.npz other.csv -o D.npy");
}

TEST_F(Program, OutputThatCannotBeWritten) {
  EXPECT_SAYS(refusal("distance x.npz -o D.txt"), "D.txt");
  EXPECT_SAYS(refusal("distance x.npz -o none/D.npy"), "none/D.npy: cannot be written");
  std::filesystem::create_symlink("/dev/full", *this / "full.npy");
  EXPECT_SAYS(refusal("distance x.npz -o full.npy"), "No space left");
  EXPECT_SAYS(refusal("distance x.npz -o D.npy --json none/facts.json"), "none/facts.json");
}

TEST_F(Program, FullStandardOutputIsNotTheInputsFault) {
  const Outcome outcome = run("info", "/dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "dsk: cannot write to standard output\n");
}

}  // namespace
}  // namespace dsk::test

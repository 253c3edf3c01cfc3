#include <fmt/format.h>

#include <cli/program.hpp>
#include <nlohmann/json.hpp>

namespace dsk::test {
namespace {

constexpr const char* all_commands[] = {"demo",  "describe", "distance", "kernel",  "learn",
                                        "train", "predict",  "evaluate", "cluster", "info"};

TEST_F(Program, AloneGivesAnOverview) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.status, 0);
  for (const char* const command : all_commands) EXPECT_SAYS(outcome.out, command);
}

TEST_F(Program, HelpHasAnExample) {
  for (const std::string command : all_commands) {
    const Outcome outcome = run(command + " --help");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_SAYS(outcome.out, "Example: dsk " + command);
    EXPECT_SAYS(outcome.out, "--json");
    EXPECT_SAYS(outcome.out, "--threads");
  }
}

TEST_F(Program, Version) {
  const Outcome outcome = run("--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.out.starts_with("dsk ")) << outcome.out;
}

TEST_F(Program, Info) {
  const Outcome outcome = run("info --json info.json");
  EXPECT_EQ(outcome.status, 0);
  const auto facts = nlohmann::json::parse(get("info.json"));
  for (const char* const name : {"version", "simd", "compiled", "threads", "backends", "cuda", "lapack"}) {
    EXPECT_TRUE(facts.contains(name)) << name;
    EXPECT_SAYS(outcome.out, name);
  }
}

TEST_F(Program, InfoCountsTheThreadsThatAreUsed) {
  for (const int threads : {1, 3}) {
    const std::string variable = "OMP_NUM_THREADS=" + std::to_string(threads);
    ASSERT_EQ(
        std::system(("cd '" + folder().string() + "' && " + variable + " '" DSK_PROGRAM "' info --json info.json >out")
                        .c_str()),
        0);
    EXPECT_EQ(nlohmann::json::parse(get("info.json"))["threads"], threads);
  }
}

TEST_F(Program, DistanceWritesMatrixAndFacts) {
  const Outcome outcome = run("distance x.npz -o D.npy --json facts.json --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(get("D.npy").size(), 128u + 9 * 8);
  const auto facts = nlohmann::json::parse(get("facts.json"));
  EXPECT_EQ(facts["n"], 3);
  EXPECT_EQ(facts["d"], 2);
  EXPECT_EQ(facts["metric"], "stein");
  EXPECT_LE(facts["distance"]["smallest"], facts["distance"]["median"]);
  EXPECT_LE(facts["distance"]["median"], facts["distance"]["largest"]);
  EXPECT_EQ(facts["output"], "D.npy");
  for (const auto& [name, value] : facts.items()) EXPECT_SAYS(outcome.out, name);
}

TEST_F(Program, DistanceSaysHowAccurateItIs) {
  ASSERT_EQ(run("distance x.npz -o D.npy --json facts.json").status, 0);
  const auto facts = nlohmann::json::parse(get("facts.json"));
  EXPECT_LT(facts["condition"], 10);
  EXPECT_LT(facts["error"], 1e-14);

  // Near-duplicates of condition 1e12: S is hardly larger than its error.
  const auto near_one = [](double off) { return fmt::format("1,{0},{0},1\n", 1 - off); };
  put("near.csv", "a," + near_one(1e-12) + "a," + near_one(1.2e-12) + "b,1,0,0,1\n");
  const Outcome outcome = run("distance near.csv -o D.npy --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("dsk: note: S may be off by ")) << outcome.err;
  EXPECT_SAYS(outcome.err, "fewer than two digits of it are certain");
  EXPECT_GT(nlohmann::json::parse(get("facts.json"))["condition"], 1e12);
  EXPECT_EQ(run("distance near.csv --metric euclidean -o D.npy").err, "");
}

TEST_F(Program, SinglePrecisionWarnsAboveItsLimit) {
  put("ill.csv", "a,1,0.999999,0.999999,1\nb,1,0,0,1\n");
  for (const std::string command : {"distance", "kernel --theta 1"}) {
    const Outcome outcome = run(command + " ill.csv --float32 -o D.npy");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_SAYS(outcome.err,
                "dsk: note: --float32 is for condition numbers below 100000, but there is a matrix with 2e+06");
    EXPECT_EQ(run(command + " x.npz --float32 -o D.npy").err, "");
    EXPECT_EQ(run(command + " ill.csv --metric logeuclidean --float32 -o D.npy").err, "");
  }
}

TEST_F(Program, SquaredDistancesAboveTheLargestDoubleAreRefused) {
  put("huge.csv", "a,1e200,0,0,1e200\nb,1,0,0,1\n");
  EXPECT_SAYS(refusal("distance huge.csv --metric euclidean --squared -o D.npy"), "is above the largest double");
  EXPECT_FALSE(std::filesystem::exists(*this / "D.npy"));
  EXPECT_EQ(run("distance huge.csv --metric euclidean -o D.npy").status, 0);
}

TEST_F(Program, DistanceBetweenTwoSetsInEveryFormat) {
  for (const std::string extension : {".npy", ".npz", ".mat", ".csv"}) {
    const Outcome outcome = run("distance x.npz x.npz --metric airm --squared -o D" + extension);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(*this / ("D" + extension)));
  }
}

TEST_F(Program, KernelValues) {
  ASSERT_EQ(run("kernel x.npz --metric euclidean --theta 0.25 -o K.csv").status, 0);
  // Squared distance of the first two matrices: 1 + 9.
  EXPECT_SAYS(get("K.csv"), "1,0.0820849986");
  EXPECT_EQ(run("kernel x.npz x.npz --theta 0.7 -o K.npy").status, 0);
}

TEST_F(Program, RepairMendsWhatIsRefusedWithoutIt) {
  put("flat.csv", "1,1,1,1\n2,0,0,1\n");
  EXPECT_SAYS(refusal("distance flat.csv -o D.npy"), "flat.csv");
  EXPECT_EQ(run("distance flat.csv --repair shrink:0.1 -o D.npy").status, 0);
  EXPECT_EQ(run("distance flat.csv --repair ridge -o D.npy").status, 0);
}

TEST_F(Program, DemoLeavesItsResultsAndAReport) {
  const Outcome outcome = run("demo -o here --seed 3 --json facts.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_SAYS(outcome.out, "DSK-CA-a:knn");
  EXPECT_EQ(load((*this / "here") / "matrices.npz").size(), 180);
  EXPECT_SAYS(get("here/report.html"), "</html>");
  const auto facts = nlohmann::json::parse(get("facts.json"));
  ASSERT_EQ(facts["methods"].size(), 7);
  for (const auto& method : facts["methods"])
    EXPECT_EQ(method["mean"] > 0.5, method["method"] != "majority") << method["method"];
  put("file", "");
  EXPECT_SAYS(refusal("demo -o file/here"), "file/here");
}

TEST_F(Program, LabelsAreChecked) {
  put("y.csv", "1\n2\n");
  EXPECT_SAYS(refusal("distance x.npz --labels y.csv -o D.npy"), "2 labels for 3 matrices");
}

}  // namespace
}  // namespace dsk::test

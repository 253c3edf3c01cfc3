#include <mpi/ranks.hpp>

namespace dsk::test {
namespace {

TEST_F(Ranks, MakeTheSameMatrices) {
  alone("learn t.npz --criterion centred --penalty 0.01 -o k.dsk");
  for (const std::string command :
       {"distance t.npz", "distance t.npz u.npz --metric airm", "distance t.npz --metric logeuclidean --squared",
        "distance u.npz --kernel k.dsk", "distance x.npz", "kernel t.npz u.npz --theta 1.5",
        "kernel t.npz --kernel k.dsk"}) {
    alone(command + " -o one.npy --json one.json");
    output_of(command + " -o three.npy --json three.json");
    EXPECT_EQ(get("three.npy"), get("one.npy")) << command;
    EXPECT_EQ(facts("three.json"), facts("one.json")) << command;
  }
}

TEST_F(Ranks, LearnTheSameKernels) {
  for (const std::string criterion :
       {"alignment", "separability", "radius-margin", "trace-margin", "centred", "neighbour"}) {
    // Without a penalty to speak of, separability leaves alpha all but undetermined.
    const std::string command = "learn t.npz --adjust affine --penalty 0.1 --criterion " + criterion;
    alone(command + " -o one.dsk --json one.json");
    EXPECT_NE(output_of(command + " -o three.dsk --json three.json").find("theta"), std::string::npos);
    expect_alike(facts("three.json"), facts("one.json"), criterion);
    output_of(command + " -o again.dsk --threads 2");
    EXPECT_EQ(get("again.dsk"), get("three.dsk")) << criterion;
  }
}

TEST_F(Ranks, LearnTheSameSubspaces) {
  for (const std::string flags : {"--criterion centred --adjust affine --penalty 0.1", "--adjust none"}) {
    const std::string command = "learn t.npz --project 2 " + flags;
    alone(command + " -o one.dsk --json one.json");
    output_of(command + " -o three.dsk --json three.json");
    EXPECT_EQ(facts("one.json")["components"], 2);
    expect_alike(facts("three.json"), facts("one.json"), flags);
  }
}

TEST_F(Ranks, ChooseThePenaltyOfOneProcess) {
  const std::string command = "learn t.npz --criterion centred --folds 3";
  alone(command + " -o one.dsk --json one.json");
  output_of(command + " -o three.dsk --json three.json");
  expect_alike(facts("three.json"), facts("one.json"));
}

TEST_F(Ranks, TrainAndPredictTheSame) {
  for (const std::string flags :
       {"--criterion alignment --penalty 0.01", "--classifier svm --criterion neighbour --penalty 0.1", "--metric airm",
        "--classifier svm --metric stein --probabilities --folds 3"}) {
    alone("train t.npz " + flags + " -o one.dsk --json one.json");
    output_of("train t.npz " + flags + " -o three.dsk --json three.json");
    expect_alike(facts("three.json"), facts("one.json"), flags);
    alone("predict one.dsk u.npz --scores -o one.csv --json one.json");
    output_of("predict three.dsk u.npz --scores -o three.csv --json three.json");
    EXPECT_EQ(facts("three.json"), facts("one.json")) << flags;
    std::istringstream one(get("one.csv")), three(get("three.csv"));
    for (std::string wanted, found; std::getline(one, wanted);) {
      ASSERT_TRUE(std::getline(three, found));
      std::istringstream fields(wanted), others(found);
      for (std::string field, other; std::getline(fields, field, ',');) {
        ASSERT_TRUE(std::getline(others, other, ','));
        char* end = nullptr;
        const double value = std::strtod(field.c_str(), &end);
        if (end == field.c_str())
          EXPECT_EQ(other, field);
        else
          EXPECT_NEAR(std::stod(other), value, 1e-12);
      }
    }
    EXPECT_FALSE(three.get() != EOF) << "more lines";
  }
}

TEST_F(Ranks, PredictPartsOfAFileAndFewerMatricesThanTheyAre) {
  save(load(*this / "u.npz"), *this / "u.npy");
  save(load(*this / "u.npz").select(std::vector<Index>{0, 30}), *this / "two.npy");
  alone("train t.npz -o m.dsk");
  for (const std::string arguments : {"predict m.dsk u.npy --scores", "predict m.dsk two.npy"}) {
    alone(arguments);
    const std::string wanted = get("out");
    EXPECT_EQ(output_of(arguments), wanted);
  }
}

TEST_F(Ranks, EvaluateTheSame) {
  // As many splits and methods as fill several turns of the ranks, and fewer than there are ranks.
  for (const std::string protocol : {"halves:5", "halves:1"}) {
    const std::string command =
        "evaluate t.npz --methods SK:knn,DSK-CA-a:knn --penalty 0.01 --folds 3 --protocol " + protocol;
    alone(command + " --json one.json");
    EXPECT_NE(output_of(command + " --json three.json --report three.html").find("DSK-CA-a"), std::string::npos);
    expect_alike(facts("three.json"), facts("one.json"), protocol);
    EXPECT_NE(get("three.html").find("</html>"), std::string::npos);
    for (const char* name : {"one.json", "three.json"}) std::filesystem::remove(*this / name);
  }
}

TEST_F(Ranks, GoOnWithAnEvaluation) {
  const std::string command = "evaluate t.npz --methods SK:knn,SK:svm --folds 3 --protocol halves:4 --json ";
  alone(command + "whole.json");
  auto part = nlohmann::ordered_json::parse(get("whole.json"));
  part.erase("methods");
  for (const std::size_t last : {6u, 4u, 1u}) part["splits"].erase(last);
  part["splits"][0]["theta"] = 42.5;  // to be recognised: it is not computed again
  put("part.json", part.dump());
  EXPECT_NE(output_of(command + "part.json").find("resuming, 5 results already finished"), std::string::npos);
  nlohmann::json found = facts("part.json"), wanted = facts("whole.json");
  EXPECT_EQ(found["splits"][0]["theta"], 42.5);
  found["splits"][0].erase("theta");
  wanted["splits"][0].erase("theta");
  expect_alike(found, wanted);
}

TEST_F(Ranks, AreCounted) {
  EXPECT_NE(output_of("info").find("3 ranks"), std::string::npos);
  alone("info");
  EXPECT_NE(get("out").find("built in"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test

#include <dsk/files.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/small_runs.hpp"
#include "support/made_pictures.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class Runs : public SmallRuns {};

ExperimentOutcome run_named(std::string_view name, const ExperimentOptions& options) {
  return find_experiment(name).run(options);
}

TEST_F(Runs, EigenvalueBias) {
  const ExperimentOutcome outcome = run_named("eigenvalue-bias", quick());
  expect_tables(outcome);
  EXPECT_NE(outcome.answer.find("we agree"), std::string::npos) << outcome.answer;
}

TEST_F(Runs, Timing) {
  expect_tables(run_named("timing", quick()));
}

TEST_F(Runs, Objects) {
  for (const std::string kind : {"cup", "dog"})
    for (const std::string object : {"1", "2", "3", "4"})
      for (const std::string view : {"000", "022", "045"})
        write_texture(folder() / "eth80" / kind / (kind + object + "-" + view + "-000.png"), 24, 24,
                      std::hash<std::string>()(kind + object + view));
  const ExperimentOutcome outcome = run_named("objects", quick(2));
  expect_tables(outcome);
  EXPECT_EQ(outcome.sections[0].table.size(), 22u);
  EXPECT_NE(outcome.sections[0].text.back().find("Warning"), std::string::npos);
}

TEST_F(Runs, Brain) {
  std::filesystem::create_directories(folder() / "fnc");
  save(wishart_classes({.per_class = 10, .dim = 3, .degrees = 9, .tau = 1}), folder() / "fnc" / "fnc.npz");
  const ExperimentOutcome outcome = run_named("brain", quick());
  expect_tables(outcome);
  EXPECT_EQ(outcome.sections[0].table[1][1], "56.10");
}

TEST_F(Runs, Eeg) {
  std::filesystem::create_directories(folder() / "ssvep");
  const Dataset drawn = wishart_classes({.per_class = 20, .dim = 3, .degrees = 9, .tau = 1});
  std::vector<std::string> subjects;
  for (Index i = 0; i < drawn.size(); ++i) subjects.push_back(i % 2 == 0 ? "a" : "b");
  save(Dataset(drawn.matrices(), drawn.labels(), Labels(subjects)), folder() / "ssvep" / "ssvep_covariances.npz");
  const ExperimentOutcome outcome = run_named("eeg", quick());
  expect_tables(outcome);
  ASSERT_EQ(outcome.sections[1].table.size(), 3u);
  EXPECT_EQ(outcome.sections[1].table[2][0], "subject b");
}

TEST_F(Runs, Convergence) {
  for (const int texture : {30, 31})
    write_texture(folder() / "brodatz" / fmt::format("D{}.png", texture), 256, 256,
                  static_cast<std::uint64_t>(texture));
  const ExperimentOutcome outcome = run_named("convergence", quick());
  expect_tables(outcome);
  EXPECT_EQ(outcome.sections[0].table.size(), 9u);
  EXPECT_EQ(message_of([&] { run_named("brodatz-samples", quick()); }), "the data have no class D43");
}

TEST_F(Runs, SayWhatIsMissing) {
  EXPECT_EQ(message_of([&] { run_named("faces", {}); }),
            "this experiment reads orl/: name the folder it lies in with --data");
  EXPECT_NE(message_of([&] { run_named("brain", quick()); }).find("fnc.npz: is not there"), std::string::npos);
}

}  // namespace
}  // namespace dsk::test

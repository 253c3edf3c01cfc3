#include <dsk/evaluate.hpp>
#include <dsk/matrices.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "evaluate/evaluate.hpp"
#include "support/made_team.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

EvaluationOptions team_options(const std::string& protocol) {
  EvaluationOptions options;
  options.methods = Method::parse_list("SK:knn,DSK-CA-a:knn");
  options.protocol = Protocol::parse(protocol);
  options.seed = 8;
  options.other_neighbours = {1, 2};
  options.selection.folds = 3;
  options.selection.relative_penalties = {1e-2, std::numeric_limits<double>::infinity()};
  options.threads = 1;
  return options;
}

Dataset team_classes() {
  return wishart_classes({.classes = 3, .per_class = 10, .dim = 3, .degrees = 12, .tau = 0.5});
}

TEST(EvaluatingTeams, HaveTheResultsOfOneProcess) {
  const Dataset data = team_classes();
  for (const std::string protocol : {"halves:4", "halves:1"}) {
    EvaluationOptions options = team_options(protocol);
    const Evaluation whole = evaluate(data, options);
    options.finished = {whole.results[1]};
    std::vector<std::string> told;
    as_team(3, [&](const Team& team) {
      EvaluationOptions shared = options;
      shared.threads = 1 + team.rank();
      shared.selection.pairs.team = &team;
      shared.on_result = [&](const SplitResult& result) {
        EXPECT_EQ(team.rank(), 0);
        told.push_back(result.method + std::to_string(result.split));
        return true;
      };
      const Evaluation found = evaluate(data, shared);
      ASSERT_EQ(found.results.size(), whole.results.size());
      for (std::size_t k = 0; k < whole.results.size(); ++k) {
        EXPECT_EQ(found.results[k].method, whole.results[k].method);
        EXPECT_EQ(found.results[k].split, whole.results[k].split);
        EXPECT_EQ(found.results[k].predicted, whole.results[k].predicted);
        EXPECT_EQ(found.results[k].by_neighbours, whole.results[k].by_neighbours);
        EXPECT_EQ(found.results[k].neighbours_or_c, whole.results[k].neighbours_or_c);
        EXPECT_EQ(found.results[k].chosen, whole.results[k].chosen);
        EXPECT_NEAR(found.results[k].theta, whole.results[k].theta, 1e-12 * whole.results[k].theta);
      }
      for (std::size_t m = 0; m < whole.methods.size(); ++m)
        EXPECT_EQ(found.methods[m].accuracies, whole.methods[m].accuracies);
    });
    EXPECT_EQ(told.size(), whole.results.size() - 1);
    std::sort(told.begin(), told.end());
    EXPECT_EQ(std::unique(told.begin(), told.end()), told.end());
  }
}

TEST(EvaluatingTeams, DoTheTasksOfARankOneAtATimeIfAskedTo) {
  const std::vector<std::size_t> todo{0, 1, 2, 3, 4, 5, 6};
  as_team(2, [&](const Team& team) {
    std::atomic<int> at_once = 0, most = 0;
    const detail::RankedTasks tasks{.team = team,
                                    .threads = 3,
                                    .one_at_a_time = true,
                                    .run =
                                        [&](std::size_t, int threads, const Team* inside) {
                                          EXPECT_EQ(threads, 3);
                                          EXPECT_EQ(inside, nullptr);
                                          const int now = ++at_once;
                                          most = std::max<int>(most, now);
                                          std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                          --at_once;
                                          return SplitResult{};
                                        },
                                    .on_result = {}};
    std::vector<SplitResult> results(todo.size());
    detail::run_over_ranks(tasks, todo, results);
    EXPECT_EQ(most, 1);
  });
}

TEST(EvaluatingTeams, StopTogether) {
  const Dataset data = team_classes();
  for (const std::string protocol : {"halves:4", "halves:1"})
    as_team(3, [&](const Team& team) {
      EvaluationOptions options = team_options(protocol);
      options.selection.pairs.team = &team;
      options.on_result = [](const SplitResult&) { return false; };
      EXPECT_THROW(evaluate(data, options), Cancelled);
      options.on_result = [](const SplitResult&) -> bool { throw InvalidInput("no room"); };
      EXPECT_EQ(message_of([&] { evaluate(data, options); }), "no room");
      options.methods = Method::parse_list("DSK-CA-a:knn");
      options.selection.theta = -1;
      EXPECT_SAYS(message_of([&] { evaluate(data, options); }), "theta -1");
    });
}

}  // namespace
}  // namespace dsk::test

#include <dsk/kernel.hpp>

#include <chrono>
#include <memory>
#include <optional>

#include "command.hpp"
#include "progress.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Distance : PairCommand {
  bool squared = false;

  void run() const {
    check();
    const auto start = std::chrono::steady_clock::now();
    const std::optional<LearnedKernel> learned = load_learned();
    const Dataset first = load_x(learned);
    std::optional<Dataset> second;
    if (!y.empty()) second = load_y(learned);
    DistanceOptions options;
    options.metric = parse_metric(metric);
    options.squared = squared;
    options.zeta = zeta;
    options.pairs = pairs();
    options.pairs.team = team();
    Progress progress("distances");
    const Matrix result = collect_distances(first.matrices(), second ? &second->matrices() : nullptr,
                                            learned ? &*learned : nullptr, options);
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    Facts facts;
    facts.add("n", first.size());
    if (second) facts.add("m", second->size());
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    add_learned(facts, learned);
    add_range(facts, squared ? "squared" : "distance", result, y.empty());
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    on_rank_zero(team(), [&] { facts.write(json); });
    facts.print();
  }
};

}  // namespace

void add_distance(CLI::App& program) {
  auto* const command = program.add_subcommand("distance", "Compute distances between all pairs of matrices");
  const auto task = std::make_shared<Distance>();
  task->add_to(*command);
  command->add_flag("--squared", task->squared, "Write squared distances");
  command->footer(
      "Example: dsk distance train.npz test.npz --metric stein -o D.npy\n"
      "         dsk distance train.npz --kernel k.dsk --squared -o S.npy");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

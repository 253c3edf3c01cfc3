#include <dsk/metric.hpp>

#include <chrono>
#include <memory>

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
    DistanceOptions options;
    options.metric = parse_metric(metric);
    options.squared = squared;
    options.zeta = zeta;
    options.pairs = pairs();
    const auto adjusted = [&](const Dataset& set) {
      return learned ? learned->adjust(set.matrices(), threads) : set.matrices();
    };
    const PairFunction compute = [&](const SpdBatch& rows, const SpdBatch* columns) {
      return columns == nullptr ? pairwise_distance(rows, options) : pairwise_distance(rows, *columns, options);
    };
    Facts facts;
    facts.add("n", first.size());
    Progress progress("distances");
    Matrix result;
    if (y.empty()) {
      result = gather_pairs(adjusted(first), nullptr, compute, team());
    } else {
      const Dataset second = load_y(learned);
      facts.add("m", second.size());
      const SpdBatch columns = adjusted(second);
      result = gather_pairs(adjusted(first), &columns, compute, team());
    }
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    add_learned(facts, learned);
    facts.add_repairs(repair);
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

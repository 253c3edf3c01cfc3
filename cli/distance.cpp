#include <dsk/metric/metric.hpp>

#include <chrono>
#include <memory>
#include "command.hpp"
#include "progress.hpp"

namespace dsk::cli {
namespace {

struct Distance : PairCommand {
  bool squared = false;

  void run() const {
    check();
    const auto start = std::chrono::steady_clock::now();
    const Dataset first = load_x();
    DistanceOptions options;
    options.metric = parse_metric(metric);
    options.squared = squared;
    options.zeta = zeta;
    options.pairs = pairs();
    Facts facts;
    facts.add("n", first.size());
    Matrix result;
    if (y.empty()) {
      const Progress progress("distances");
      result = pairwise_distance(first.matrices(), options);
    } else {
      const Dataset second = load_y();
      facts.add("m", second.size());
      const Progress progress("distances");
      result = pairwise_distance(first.matrices(), second.matrices(), options);
    }
    save(result, output);
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    add_range(facts, squared ? "squared" : "distance", result, y.empty());
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    facts.write(json);
    facts.print();
  }
};

}  // namespace

void add_distance(CLI::App& program) {
  auto* const command = program.add_subcommand("distance", "Distances between all pairs of matrices");
  const auto task = std::make_shared<Distance>();
  task->add_to(*command);
  command->add_flag("--squared", task->squared, "Squared distances");
  command->footer("Example: dsk distance train.npz test.npz --metric stein -o D.npy");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

#include <dsk/geometry.hpp>
#include <dsk/kernel.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>
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
    const PairData data = load(learned);
    DistanceOptions options;
    options.metric = parse_metric(metric);
    options.squared = squared;
    options.zeta = zeta;
    options.pairs = pairs();
    options.pairs.team = team();
    Progress progress("distances");
    Matrix result = collect_pairwise_distances(data.first.matrices(), data.second_matrices(),
                                               learned ? &*learned : nullptr, options);
    if (data.are_complex) result /= embedding_factor(learned ? learned->metric() : options.metric, squared);
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    Facts facts;
    data.add_sizes(facts);
    facts.add("metric", std::string(name(learned ? learned->metric() : options.metric)));
    add_learned(facts, learned);
    facts.add_repairs(repair);
    add_range(facts, squared ? "squared" : "distance", result, y.empty());
    if (const auto accuracy = add_accuracy(facts, data.first, data.second, learned))
      note_near_duplicates(*accuracy, result);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    on_rank_zero(team(), [&] { facts.write(json); });
    facts.print();
  }

 private:
  /// Where the smallest S of different matrices is within the error, or nearly.
  void note_near_duplicates(const SteinAccuracy& accuracy, const Matrix& result) const {
    constexpr double two_digits = 100;
    double smallest = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < result.rows(); ++i)
      for (Index j = y.empty() ? i + 1 : 0; j < result.cols(); ++j) {
        const double divergence = squared ? result(i, j) : result(i, j) * result(i, j);
        if (divergence > 0) smallest = std::min(smallest, divergence);
      }
    if (smallest > two_digits * accuracy.error || !std::isfinite(smallest)) return;
    print_notes({fmt::format(
        "S may be off by {:.2g}, because condition numbers go up to {:.2g}; the smallest S above 0 "
        "is {:.2g}: {}",
        accuracy.error, accuracy.condition, smallest,
        smallest > accuracy.error ? "fewer than two digits of it are certain" : "no digit of it is certain")});
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

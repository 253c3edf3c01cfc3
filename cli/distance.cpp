#include <dsk/metric.hpp>

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <limits>
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
    const SpdBatch rows_of = adjusted(first);
    std::optional<SpdBatch> columns_of;
    if (!y.empty()) {
      const Dataset second = load_y(learned);
      facts.add("m", second.size());
      columns_of = adjusted(second);
    }
    const SpdBatch* const others = columns_of ? &*columns_of : nullptr;
    const Matrix result = gather_pairs(rows_of, others, compute, team());
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    add_learned(facts, learned);
    add_range(facts, squared ? "squared" : "distance", result, y.empty());
    if (const auto accuracy = add_accuracy(facts, rows_of, others)) note_near_duplicates(*accuracy, result);
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
        smallest > accuracy.error ? "less than two digits of it are certain" : "no digit of it is certain")});
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

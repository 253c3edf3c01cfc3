#include <dsk/kernel.hpp>

#include <chrono>
#include <memory>
#include <optional>

#include "command.hpp"
#include "progress.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

struct Kernel : PairCommand {
  std::optional<double> theta;
  bool allow_indefinite = false;

  void run() const {
    check();
    if (!theta && !kernel) throw UsageError("--theta or --kernel is required");
    const auto start = std::chrono::steady_clock::now();
    const std::optional<LearnedKernel> learned = load_learned();
    const Dataset first = load_x(learned);
    std::optional<Dataset> second;
    if (!y.empty()) second = load_y(learned);
    KernelOptions options;
    options.metric = parse_metric(metric);
    options.theta = learned ? learned->theta() : *theta;
    options.zeta = zeta;
    options.allow_indefinite = allow_indefinite;
    options.pairs = pairs();
    options.pairs.team = team();
    Progress progress("kernel");
    const Matrix result = collect_kernel_matrix(first.matrices(), second ? &second->matrices() : nullptr,
                                                learned ? &*learned : nullptr, options);
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    Facts facts;
    facts.add("n", first.size());
    if (second) facts.add("m", second->size());
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    add_learned(facts, learned);
    facts.add_repairs(repair);
    facts.add("theta", options.theta);
    add_range(facts, "kernel", result, y.empty());
    add_accuracy(facts, first, second, learned);
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    on_rank_zero(team(), [&] { facts.write(json); });
    facts.print();
  }
};

}  // namespace

void add_kernel(CLI::App& program) {
  auto* const command =
      program.add_subcommand("kernel", "Compute kernel values exp(-theta d^2) of all pairs of matrices");
  const auto task = std::make_shared<Kernel>();
  auto* const kernel_option = task->add_to(*command);
  auto* const theta_option = command->add_option("--theta", task->theta, "Width of the kernel");
  auto* const indefinite_option = command->add_flag("--allow-indefinite", task->allow_indefinite,
                                                    "Allow values for which the kernel need not be positive definite");
  kernel_option->excludes(theta_option)->excludes(indefinite_option);
  command->footer(
      "Example: dsk kernel train.npz --metric stein --theta 1.5 -o K.npy\n"
      "         dsk kernel test.npz train.npz --kernel k.dsk -o K.npy");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

#include <dsk/geometry.hpp>
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
    const PairData data = load(learned);
    KernelOptions options;
    options.metric = parse_metric(metric);
    options.theta = learned ? learned->theta() : *theta;
    if (data.are_complex) options.theta /= embedding_factor(options.metric, true);
    options.zeta = zeta;
    options.allow_indefinite = allow_indefinite;
    options.pairs = pairs();
    options.pairs.team = team();
    Progress progress("kernel");
    const Matrix result =
        collect_kernel_matrix(data.first.matrices(), data.second_matrices(), learned ? &*learned : nullptr, options);
    progress.end();
    on_rank_zero(team(), [&] { save(result, output); });
    Facts facts;
    data.add_sizes(facts);
    facts.add("metric", std::string(name(learned ? learned->metric() : options.metric)));
    add_learned(facts, learned);
    facts.add_repairs(repair);
    facts.add("theta", learned ? learned->theta() : *theta);
    add_range(facts, "kernel", result, y.empty());
    add_accuracy(facts, data.first, data.second, learned);
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

#include <dsk/kernel/kernel.hpp>

#include <chrono>
#include <memory>
#include "command.hpp"
#include "progress.hpp"

namespace dsk::cli {
namespace {

struct Kernel : PairCommand {
  double theta = 1;
  bool allow_indefinite = false;

  void run() const {
    check();
    const auto start = std::chrono::steady_clock::now();
    const Dataset first = load_x();
    KernelOptions options;
    options.metric = parse_metric(metric);
    options.theta = theta;
    options.zeta = zeta;
    options.allow_indefinite = allow_indefinite;
    options.pairs = pairs();
    Facts facts;
    facts.add("n", first.size());
    Matrix result;
    if (y.empty()) {
      const Progress progress("kernel");
      result = kernel_matrix(first.matrices(), options);
    } else {
      const Dataset second = load_y();
      facts.add("m", second.size());
      const Progress progress("kernel");
      result = kernel_matrix(first.matrices(), second.matrices(), options);
    }
    save(result, output);
    facts.add("d", first.dim());
    facts.add("metric", std::string(name(options.metric)));
    facts.add("theta", theta);
    add_range(facts, "kernel", result, y.empty());
    facts.add("seconds", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    facts.add("output", output.string());
    facts.write(json);
    facts.print();
  }
};

}  // namespace

void add_kernel(CLI::App& program) {
  auto* const command = program.add_subcommand("kernel", "Kernel values exp(-theta d^2) of all pairs of matrices");
  const auto task = std::make_shared<Kernel>();
  task->add_to(*command);
  command->add_option("--theta", task->theta, "Width of the kernel")->required();
  command->add_flag("--allow-indefinite", task->allow_indefinite, "Compute even what is not a kernel for every sample");
  command->footer("Example: dsk kernel train.npz --metric stein --theta 1.5 -o K.npy");
  command->callback([task] { task->run(); });
}

}  // namespace dsk::cli

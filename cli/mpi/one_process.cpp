#include <dsk/matrices.hpp>

#include <string>

#include "command.hpp"

// What dsk-mpi has in place of the commands that do not run over ranks.

namespace dsk::cli {
namespace {

void add_refusal(CLI::App& program, const char* name, const char* summary) {
  auto* const command = program.add_subcommand(name, summary)->allow_extras();
  command->callback(
      [name] { throw InvalidInput(std::string(name) + " runs in one process: start it without mpirun"); });
}

}  // namespace

void add_describe(CLI::App& program) {
  add_refusal(program, "describe", describe_summary);
}

void add_experiment(CLI::App& program) {
  add_refusal(program, "experiment", experiment_summary);
}

void hand_over(int, char**) {}

}  // namespace dsk::cli

#include <dsk/matrices.hpp>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "command.hpp"

// The light program's part of `dsk describe` and `dsk experiment`: reading pictures brings more than a hundred shared
// libraries, which would make every other command wait for a fifth of a second.

namespace dsk::cli {

void add_describe(CLI::App& program) {
  program.add_subcommand("describe", describe_summary)
      ->footer("Kinds: texture, gabor, series. See: dsk describe --help");
}

void add_experiment(CLI::App& program) {
  program.add_subcommand("experiment", experiment_summary)->footer("See: dsk experiment --help");
}

void hand_over(int count, char** arguments) {
  const std::string_view command = count < 2 ? "" : arguments[1];
  if (command != "describe" && command != "experiment" && command != "manual") return;
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("dsk-describe");
  execv(program.c_str(), arguments);
  if (command == "manual") return;  // without it, the manual has no flags of these two
  throw InvalidInput(std::string(command) +
                     " needs the program dsk-describe, which is not in the folder of dsk or cannot be started");
}

}  // namespace dsk::cli

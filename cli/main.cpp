#include <fmt/core.h>
#include <dsk/version.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "command.hpp"
#include "numbers.hpp"
#include "ranks.hpp"

namespace {

constexpr int failed = 1;
constexpr int bad_usage = 2;

int complain(std::string text, int status) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fflush(stdout);
  return dsk::cli::end_ranks(status, text);
}

std::string command_names(const CLI::App& program) {
  std::string names;
  for (const CLI::App* const command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

/// Before parsing, because CLI11 would call an unknown command an unexpected argument.
bool is_unknown_command(const CLI::App& program, const std::string& word) {
  const auto named = [&](const CLI::App* command) { return command->get_name() == word; };
  return !word.starts_with('-') && program.get_subcommands(named).empty();
}

/// Ends the program at once, except while it writes a file: the writer then removes what it had and gives up.
extern "C" void interrupt(int signal) {
  dsk::cli::tell_of_signal(signal);
  if (dsk::is_writing()) {
    dsk::abandon_writing();
    return;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Starts the program again with a setting of OpenMP, which is read before main: threads that wait for each other spin,
/// and slow everybody down where other programs run.
void limit_spinning(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (setenv("GOMP_SPINCOUNT", "1000", 0) == 0) execv("/proc/self/exe", arguments);
}

int run(int count, char** arguments) {
  CLI::App program("Classification of symmetric positive definite matrices", "dsk");
  program.set_version_flag("--version", fmt::format("dsk {}", DSK_VERSION));
  program.require_subcommand(0, 1);
  dsk::cli::remember_command_line(count, arguments);
  program.footer(
      "Example: dsk evaluate X.npz --report report.html\nEach command has its own --help. On the ranks of an MPI job: "
      "mpirun -n 4 dsk learn ... (see dsk info)");
  dsk::cli::add_demo(program);
  dsk::cli::add_describe(program);
  dsk::cli::add_distance(program);
  dsk::cli::add_kernel(program);
  dsk::cli::add_learn(program);
  dsk::cli::add_train(program);
  dsk::cli::add_predict(program);
  dsk::cli::add_evaluate(program);
  dsk::cli::add_experiment(program);
  dsk::cli::add_info(program);
  for (CLI::App* const command : program.get_subcommands({})) dsk::cli::check_numbers(*command);
  if (count > 1 && is_unknown_command(program, arguments[1])) {
    throw dsk::InvalidInput(fmt::format("no command '{}'; there are {}", arguments[1], command_names(program)));
  }
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    throw dsk::InvalidInput(fmt::format("{} (see dsk --help)", error.what()));
  }
  if (count == 1) fmt::print("{}", program.help());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, interrupt);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, with a word about it
  try {
    dsk::cli::hand_over_to_ranks(arguments);
    dsk::cli::hand_over(count, arguments);
    limit_spinning(arguments);
    dsk::cli::start_ranks();
    const int status = run(count, arguments);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return complain("cannot write to standard output", failed);
    return dsk::cli::end_ranks(status, "");
  } catch (const dsk::InvalidInput& error) {
    return complain(error.what(), bad_usage);
  } catch (const dsk::NumericalFailure& error) {
    return complain(error.what(), bad_usage);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", failed);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }
}

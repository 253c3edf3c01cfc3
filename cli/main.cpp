#include <fmt/core.h>
#include <dsk/version.hpp>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>

#include "command.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "usage.hpp"

namespace {

constexpr int failed = 1;
constexpr int bad_usage = 2;

void leave_ending_to_signal();

int complain(std::string text, int status) {
  leave_ending_to_signal();
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fflush(stdout);
  return dsk::cli::end_ranks(status, text);
}

std::string command_names(const CLI::App& program) {
  std::string names;
  for (const CLI::App* const command :
       program.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

/// Before parsing, because CLI11 would call an unknown command an unexpected argument.
bool is_unknown_command(const CLI::App& program, const std::string& word) {
  const auto named = [&](const CLI::App* command) { return command->get_name() == word; };
  return !word.starts_with('-') && program.get_subcommands(named).empty();
}

/// "dsk train --help", for the command in the arguments.
std::string help_command(const CLI::App& program, int count, char** arguments) {
  std::string names = "dsk";
  const CLI::App* command = &program;
  for (int k = 1; k < count; ++k) {
    const std::string word = arguments[k];
    const auto inner = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (inner.empty()) break;
    names += " " + word;
    command = inner.front();
  }
  return names + " --help";
}

std::atomic<int> signal_received = 0;

/// After a signal the program ends by it, with the exit status that tells of it: the thread that took it sees to that.
void leave_ending_to_signal() {
  while (signal_received != 0) ::pause();
}

/// Waits for a signal, saves the results that are held back, lets writers remove incomplete files, and ends the program
/// by the signal. A second signal ends it at once.
void end_on_signal(const sigset_t& signals) {
  int signal = 0;
  if (::sigwait(&signals, &signal) != 0) return;
  signal_received = signal;
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  dsk::cli::tell_of_signal(signal);
  dsk::close_results();
  dsk::abandon_writing();
  const auto start = std::chrono::steady_clock::now();
  while (dsk::is_writing() && std::chrono::steady_clock::now() - start < std::chrono::seconds(5))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::raise(signal);
}

/// Gives the signals that end programs, unless they are ignored (nohup), to a thread of their own. Called before there
/// are other threads, which inherit that they leave them alone.
void take_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&signals, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] { end_on_signal(signals); }).detach();
}

/// Starts the program again with settings of OpenMP and OpenBLAS, which are read before main. OpenMP's threads that
/// wait for each other spin, and slow everybody down where other programs run. OpenBLAS starts threads that we do not
/// use, and that would take the signals that end programs.
void limit_threads(char** arguments) {
  const bool waits = std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr;
  const char* const blas = std::getenv("OPENBLAS_NUM_THREADS");
  if (waits && blas != nullptr && std::string_view(blas) == "1") return;
  if (!waits && setenv("GOMP_SPINCOUNT", "1000", 0) != 0) return;
  if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) execv("/proc/self/exe", arguments);
}

int run(int count, char** arguments) {
  CLI::App program("Classification of symmetric positive definite matrices", "dsk");
  program.set_version_flag("--version", fmt::format("dsk {}", DSK_VERSION));
  program.require_subcommand(0, 1);
  dsk::cli::remember_command_line(count, arguments);
  program.footer(
      "Example: dsk evaluate X.npz --report report.html\nEach command has its own --help. With MPI: "
      "mpirun -n 4 dsk learn ... (docs/scale.md)");
  dsk::cli::add_demo(program);
  dsk::cli::add_describe(program);
  dsk::cli::add_distance(program);
  dsk::cli::add_kernel(program);
  dsk::cli::add_learn(program);
  dsk::cli::add_train(program);
  dsk::cli::add_predict(program);
  dsk::cli::add_evaluate(program);
  dsk::cli::add_cluster(program);
  dsk::cli::add_experiment(program);
  dsk::cli::add_info(program);
  dsk::cli::add_manual(program);
  for (CLI::App* const command : program.get_subcommands({})) {
    dsk::cli::add_quiet_flag(*command);
    dsk::cli::check_values(*command);
  }
  if (count > 1 && is_unknown_command(program, arguments[1])) {
    throw dsk::InvalidInput(fmt::format("unknown command '{}'; use one of {}", arguments[1], command_names(program)));
  }
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    throw dsk::InvalidInput(
        fmt::format("{} (see {})", dsk::cli::in_plain_words(error), help_command(program, count, arguments)));
  } catch (const dsk::cli::UsageError& error) {
    throw dsk::InvalidInput(fmt::format("{} (see {})", error.what(), help_command(program, count, arguments)));
  }
  if (count == 1) fmt::print("{}", program.help());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, with a word about it
  try {
    dsk::cli::hand_over_to_ranks(arguments);
    dsk::cli::hand_over(count, arguments);
    limit_threads(arguments);
    take_signals();
    dsk::cli::start_ranks();
    const int status = run(count, arguments);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return complain("cannot write to standard output", failed);
    leave_ending_to_signal();
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

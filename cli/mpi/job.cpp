#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <fmt/core.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include "mpi_team.hpp"
#include "ranks.hpp"

namespace dsk::cli {
namespace {

/// What a started job needs until its end.
struct Job {
  MPI_Comm for_team = MPI_COMM_NULL;
  MPI_Comm for_ending = MPI_COMM_NULL;  ///< of its own: what the team was about to exchange may never come
  MPI_Comm of_node = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::unique_ptr<MpiTeam> team;
};
Job* job = nullptr;  // never destroyed: after MPI_Abort there is no order of ends

// For the signal handler.
volatile std::sig_atomic_t signalled = 0;
int* told = nullptr;  ///< shared by the ranks of a machine: one of them has said why the job ends
bool speaks = false;  ///< a rank of several, on the machine of rank 0

void share_a_word() {
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &job->of_node));
  int* own = nullptr;
  check_mpi(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, job->of_node, &own, &job->window));
  *own = 0;
  MPI_Aint size = 0;
  int unit = 0;
  int* first = nullptr;
  check_mpi(MPI_Win_shared_query(job->window, 0, &size, &unit, &first));
  check_mpi(MPI_Barrier(job->of_node));
  told = first;
}

/// True on the first rank of a machine that asks.
bool may_tell() {
  return told == nullptr || __atomic_exchange_n(told, 1, __ATOMIC_SEQ_CST) == 0;
}

std::string host() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

/// Threads for a rank: the cores it may use, over the ranks that may use the same.
int threads_of_a_rank() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const bool known = sched_getaffinity(0, sizeof(cores), &cores) == 0;
  const std::string place = host() + std::string(reinterpret_cast<const char*>(&cores), sizeof(cores));
  const std::vector<std::string> places = job->team->gather(place);
  const auto here = static_cast<int>(std::count(places.begin(), places.end(), place));
  return known ? std::max(1, CPU_COUNT(&cores) / here) : 1;
}

/// Ranks take the same decisions from the same numbers, so these must be the same to the bit.
void check_like_machines() {
  const std::vector<std::string> targets = job->team->gather(simd_target());
  for (std::size_t rank = 1; rank < targets.size(); ++rank)
    if (targets[rank] != targets[0])
      throw InvalidInput(fmt::format("rank {} runs on {}, rank 0 on {}: all must run on processors of one kind", rank,
                                     targets[rank], targets[0]));
}

/// Whether all ranks come to the end with a complaint, before long.
bool all_complain() {
  constexpr auto long_enough = std::chrono::seconds(3);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(job->for_ending, &request) != MPI_SUCCESS) return false;
  for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < long_enough;) {
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

void finalize() {
  told = nullptr;
  if (job->window != MPI_WIN_NULL) MPI_Win_free(&job->window);
  MPI_Finalize();
}

}  // namespace

void hand_over_to_ranks(char**) {}

void start_ranks() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMIX_RANK") == nullptr) return;
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  job = new Job;
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &job->for_team));
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &job->for_ending));
  job->team = std::make_unique<MpiTeam>(job->for_team);
  share_a_word();
  speaks = job->team->size() > 1 && job->team->gather(host()).front() == host();
  if (job->team->rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
    throw std::runtime_error("/dev/null cannot be opened");
  check_like_machines();
  const int threads = threads_of_a_rank();
  if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(threads);
}

const Team* team() {
  return job != nullptr && job->team != nullptr && job->team->size() > 1 ? job->team.get() : nullptr;
}

int rank_on_machine() {
  int rank = 0;
  if (job != nullptr) check_mpi(MPI_Comm_rank(job->of_node, &rank));
  return rank;
}

std::string ranks_text() {
  return team() == nullptr ? "1 rank" : fmt::format("{} ranks", team()->size());
}

int end_ranks(int status, const std::string& complaint) {
  if (job == nullptr || team() == nullptr) {
    if (!complaint.empty()) fmt::print(stderr, "dsk: {}\n", complaint);
    if (job != nullptr) finalize();
    return status;
  }
  if (complaint.empty()) {
    finalize();
    return status;
  }
  if (signalled == 0 && all_complain()) {
    if (team()->rank() == 0) fmt::print(stderr, "dsk: {}\n", complaint);
    finalize();
    return status;
  }
  if (signalled == 0 && may_tell()) fmt::print(stderr, "dsk: rank {}: {}\n", team()->rank(), complaint);
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void tell_of_signal(int signal) {
  signalled = signal;
  constexpr std::string_view line =
      "dsk: the job was stopped, because a rank died or on request; no output file is incomplete\n";
  if (speaks && told != nullptr && may_tell() && write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace dsk::cli

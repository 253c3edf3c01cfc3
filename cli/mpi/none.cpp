#include <dsk/matrices.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "ranks.hpp"

// One process: what links this knows nothing of MPI, whose library every start would have to wait for.

namespace dsk::cli {
namespace {

bool is_set_to(const char* name, std::string_view value) {
  const char* const found = std::getenv(name);
  return found != nullptr && found == value;
}

std::filesystem::path dsk_mpi() {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("dsk-mpi");
}

}  // namespace

void hand_over_to_ranks(char** arguments) {
  // Other launchers than mpirun tell of a rank alone; dsk-mpi finds out of how many.
  const bool by_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  if (by_mpirun ? is_set_to("OMPI_COMM_WORLD_SIZE", "1") : std::getenv("PMIX_RANK") == nullptr) return;
  execv(dsk_mpi().c_str(), arguments);
  if (!is_set_to(by_mpirun ? "OMPI_COMM_WORLD_RANK" : "PMIX_RANK", "0")) std::exit(2);
  throw InvalidInput(
      "several processes were started, but the program dsk-mpi is not in the folder of dsk: build with DSK_WITH_MPI=ON "
      "(./run mpi)");
}

void start_ranks() {}

const Team* team() {
  return nullptr;
}

int rank_on_machine() {
  return 0;
}

std::string ranks_text() {
  return std::filesystem::exists(dsk_mpi()) ? "built in; mpirun starts ranks" : "not built in";
}

int end_ranks(int status, const std::string& complaint) {
  if (!complaint.empty()) std::fputs(("dsk: " + complaint + "\n").c_str(), stderr);
  return status;
}

void tell_of_signal(int) {}

}  // namespace dsk::cli

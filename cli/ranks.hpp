#pragma once

#include <dsk/engine.hpp>

#include <string>

namespace dsk::cli {

/// Where mpirun started several of this program: lets dsk-mpi, which alone is linked with MPI, do the work.
void hand_over_to_ranks(char** arguments);

/// Begins what the functions below tell of. On all ranks but the first, standard output leads nowhere from here on.
void start_ranks();

/// The other processes of the job, or null if this is the only one.
const Team* team();

/// The number of this process among those of the job on the same machine.
int rank_on_machine();

/// Whether this process is the one that writes files.
inline bool is_first() {
  return team() == nullptr || team()->rank() == 0;
}

/// The ranks, for `dsk info`; "not built in" without MPI.
std::string ranks_text();

/// Ends the ranks, with one line on stderr unless `complaint` is empty. Where all of them complain, the first alone
/// says so; where only some do, nobody waits for the others: the job ends at once. Returns the status to exit with.
int end_ranks(int status, const std::string& complaint);

/// For the handler of a signal that ends the program.
void tell_of_signal(int signal);

}  // namespace dsk::cli

#include "mpi_team.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace dsk::cli {
namespace {

/// Numbers in one message: MPI counts them by an int, and buffers of this size are small beside the matrices.
constexpr std::size_t most_at_once = std::size_t{1} << 22;

/// Where part k of `count` numbers begins if they are cut into `parts`.
int begin_of(std::size_t count, int k, int parts) {
  return static_cast<int>(count * static_cast<std::size_t>(k) / static_cast<std::size_t>(parts));
}

}  // namespace

void check_mpi(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
}

MpiTeam::MpiTeam(MPI_Comm communicator) : communicator_(communicator) {
  check_mpi(MPI_Comm_rank(communicator_, &rank_));
  check_mpi(MPI_Comm_size(communicator_, &size_));
}

/// Each rank gets its part of everybody's numbers, combines them in the order of the ranks, and gives the result to
/// all. MPI_Allreduce promises no order, and so no equal bits from run to run.
template <class Operation>
void MpiTeam::combine(std::span<double> values, const Operation& operation) const {
  std::vector<int> counts(static_cast<std::size_t>(size_)), begins(counts), own_counts(counts), own_begins(counts);
  while (!values.empty()) {
    const std::span<double> block = values.first(std::min(values.size(), most_at_once));
    for (int k = 0; k < size_; ++k) {
      const auto at = static_cast<std::size_t>(k);
      begins[at] = begin_of(block.size(), k, size_);
      counts[at] = begin_of(block.size(), k + 1, size_) - begins[at];
    }
    const int mine = counts[static_cast<std::size_t>(rank_)];
    for (int k = 0; k < size_; ++k) {
      own_counts[static_cast<std::size_t>(k)] = mine;
      own_begins[static_cast<std::size_t>(k)] = k * mine;
    }
    std::vector<double> parts(static_cast<std::size_t>(mine) * static_cast<std::size_t>(size_));
    check_mpi(MPI_Alltoallv(block.data(), counts.data(), begins.data(), MPI_DOUBLE, parts.data(), own_counts.data(),
                            own_begins.data(), MPI_DOUBLE, communicator_));
    double* const result = block.data() + begins[static_cast<std::size_t>(rank_)];
    std::copy_n(parts.data(), mine, result);
    for (int k = 1; k < size_; ++k) {
      const double* const part = parts.data() + own_begins[static_cast<std::size_t>(k)];
      for (int i = 0; i < mine; ++i) result[i] = operation(result[i], part[i]);
    }
    check_mpi(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, block.data(), counts.data(), begins.data(), MPI_DOUBLE,
                             communicator_));
    values = values.subspan(block.size());
  }
}

void MpiTeam::sum(std::span<double> values) const {
  combine(values, [](double a, double b) { return a + b; });
}

void MpiTeam::smallest(std::span<double> values) const {
  combine(values, [](double a, double b) { return std::min(a, b); });
}

std::vector<std::string> MpiTeam::gather(std::string_view mine) const {
  const unsigned long long own_size = mine.size();
  std::vector<unsigned long long> sizes(static_cast<std::size_t>(size_));
  check_mpi(
      MPI_Allgather(&own_size, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, communicator_));
  std::vector<std::string> all;
  if (std::accumulate(sizes.begin(), sizes.end(), 0ULL) > most_at_once) {
    for (int from = 0; from < size_; ++from) {
      std::string& text = all.emplace_back(sizes[static_cast<std::size_t>(from)], '\0');
      if (from == rank_) text = mine;
      for (std::size_t begin = 0; begin < text.size(); begin += most_at_once)
        check_mpi(MPI_Bcast(text.data() + begin, static_cast<int>(std::min(most_at_once, text.size() - begin)),
                            MPI_BYTE, from, communicator_));
    }
    return all;
  }
  const std::vector<int> counts(sizes.begin(), sizes.end());
  std::vector<int> begins(counts.size(), 0);
  std::partial_sum(counts.begin(), counts.end() - 1, begins.begin() + 1);
  std::string joined(static_cast<std::size_t>(begins.back() + counts.back()), '\0');
  check_mpi(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, joined.data(), counts.data(),
                           begins.data(), MPI_BYTE, communicator_));
  for (std::size_t k = 0; k < counts.size(); ++k)
    all.push_back(joined.substr(static_cast<std::size_t>(begins[k]), static_cast<std::size_t>(counts[k])));
  return all;
}

void MpiTeam::collect(std::span<const double> mine, const Taker& take) const {
  constexpr int tag = 1;
  unsigned long long size = mine.size();
  if (rank_ != 0) {
    check_mpi(MPI_Send(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, tag, communicator_));
    for (std::size_t begin = 0; begin < mine.size(); begin += most_at_once)
      check_mpi(MPI_Send(mine.data() + begin, static_cast<int>(std::min(most_at_once, mine.size() - begin)), MPI_DOUBLE,
                         0, tag, communicator_));
    return;
  }
  take(0, mine);
  for (int from = 1; from < size_; ++from) {
    check_mpi(MPI_Recv(&size, 1, MPI_UNSIGNED_LONG_LONG, from, tag, communicator_, MPI_STATUS_IGNORE));
    std::vector<double> values(size);
    for (std::size_t begin = 0; begin < values.size(); begin += most_at_once)
      check_mpi(MPI_Recv(values.data() + begin, static_cast<int>(std::min(most_at_once, values.size() - begin)),
                         MPI_DOUBLE, from, tag, communicator_, MPI_STATUS_IGNORE));
    take(from, values);
  }
}

}  // namespace dsk::cli

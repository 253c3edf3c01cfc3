#pragma once

#include <dsk/engine.hpp>

#include <mpi.h>

namespace dsk::cli {

/// Throws std::runtime_error, with MPI's words, unless the code is that of success.
void check_mpi(int code);

/// All ranks of an MPI job.
class MpiTeam : public Team {
 public:
  explicit MpiTeam(MPI_Comm communicator);
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(std::span<double> values) const override;
  void smallest(std::span<double> values) const override;
  std::vector<std::string> gather(std::string_view mine) const override;
  void collect(std::span<const double> mine, const Taker& take) const override;

 private:
  template <class Operation>
  void combine(std::span<double> values, const Operation& operation) const;

  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace dsk::cli

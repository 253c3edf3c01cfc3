#pragma once

#include <dsk/spd/matrix.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

/// Processes, called ranks, that compute together. Those of a team make the same calls, with the same arguments, in the
/// same order, and each does its share; what follows are the places where they meet. A null team is one process.
/// Called by one thread at a time.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Replaces the values of all ranks by their sums, added in the order of the ranks: the same bits everywhere, always.
  virtual void sum(std::span<double> values) const = 0;
  /// Replaces the values of all ranks by the smallest of each.
  virtual void smallest(std::span<double> values) const = 0;
  /// What each rank gives, in the order of the ranks, for all of them.
  virtual std::vector<std::string> gather(std::string_view mine) const = 0;
  /// Rank 0 gets what each rank gives: take(rank, values) once per rank, in order. The others only give.
  using Taker = std::function<void(int rank, std::span<const double> values)>;
  virtual void collect(std::span<const double> mine, const Taker& take) const = 0;
};

/// Does this rank's work. If any rank's throws InvalidInput, all throw the same: that of the first such rank.
void together(const Team* team, const std::function<void()>& work);

/// The same for work that rank 0 does alone, such as writing a file.
void at_first(const Team* team, const std::function<void()>& work);

/// Neighbouring rows of a result, first <= row < last.
struct RowRange {
  Index first = 0;
  Index last = 0;
};

/// The rows of one rank: as many as the others have, up to one. If there are any, rank 0 has some.
RowRange share_of_rows(Index rows, int rank, int ranks);

/// The rows of one rank where row i has the columns behind i only: of as many pairs as the others have, up to a row.
RowRange share_of_triangle(Index rows, int rank, int ranks);

}  // namespace dsk

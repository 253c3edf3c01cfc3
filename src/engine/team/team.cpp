#include <dsk/engine.hpp>

#include <cmath>

#include "engine/engine.hpp"
#include "engine/team/share.hpp"

namespace dsk {

namespace {

/// What went wrong on a rank, as the others are told of it.
enum class Problem : char { none, invalid_input, numerical_failure, pair_failure, device_error };

struct Complaint {
  Problem problem = Problem::none;
  Index row = 0;  ///< of a pair
  Index column = 0;
  std::string message = {};

  std::string bytes() const {
    engine::Parcel parcel;
    parcel.put(problem).put(row).put(column).put_all(std::span<const char>(message));
    return std::string(parcel.bytes());
  }
  static Complaint from(std::string_view bytes) {
    engine::OpenParcel parcel(bytes);
    Complaint complaint;
    complaint.problem = parcel.take<Problem>();
    complaint.row = parcel.take<Index>();
    complaint.column = parcel.take<Index>();
    complaint.message = parcel.take_text();
    return complaint;
  }
  /// Throws it again as what it was.
  void raise() const {
    switch (problem) {
      case Problem::none:
        return;
      case Problem::invalid_input:
        throw InvalidInput(message);
      case Problem::numerical_failure:
        throw NumericalFailure(message);
      case Problem::pair_failure:
        throw PairFailure(row, column);
      case Problem::device_error:
        throw DeviceError(message);
    }
  }
};

Complaint complaint_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InvalidInput& error) {
    return {.problem = Problem::invalid_input, .message = error.what()};
  } catch (const PairFailure& error) {
    return {.problem = Problem::pair_failure, .row = error.row(), .column = error.column()};
  } catch (const NumericalFailure& error) {
    return {.problem = Problem::numerical_failure, .message = error.what()};
  } catch (const DeviceError& error) {
    return {.problem = Problem::device_error, .message = error.what()};
  }
  return {};
}

}  // namespace

void together(const Team* team, const std::function<void()>& work) {
  if (team == nullptr) return work();
  for (const std::string& bytes : team->gather(complaint_of(work).bytes())) Complaint::from(bytes).raise();
}

void on_rank_zero(const Team* team, const std::function<void()>& work) {
  together(team, [&] {
    if (team == nullptr || team->rank() == 0) work();
  });
}

RowRange share_of_rows(Index rows, int rank, int ranks) {
  const auto end = [&](int k) { return (rows * k + ranks - 1) / ranks; };
  return {end(rank), end(rank + 1)};
}

RowRange engine::share_of_triangle(Index rows, int rank, int ranks) {
  // Behind the first r rows of n there are (n - r)^2 / 2 pairs left.
  const auto end = [&](int k) {
    const double left = static_cast<double>(ranks - k) / ranks;
    return k == ranks ? rows : rows - static_cast<Index>(std::llround(std::sqrt(left) * static_cast<double>(rows)));
  };
  return {end(rank), end(rank + 1)};
}

}  // namespace dsk

#include <dsk/engine.hpp>

#include <fmt/core.h>

#include <numeric>
#include <vector>

#include "engine/engine.hpp"
#include "engine/team/share.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

/// What went wrong on a rank, as the others are told of it.
enum class Problem : char { none, invalid_input, undefined_for_data, numerical_failure, pair_failure, device_error };

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
      case Problem::undefined_for_data:
        throw detail::UndefinedForData(message);
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
  } catch (const detail::UndefinedForData& error) {
    return {.problem = Problem::undefined_for_data, .message = error.what()};
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

SpdBatch slice(const SpdBatch& batch, Index first, Index last) {
  std::vector<Index> chosen(static_cast<std::size_t>(last - first));
  std::iota(chosen.begin(), chosen.end(), first);
  return batch.select(chosen);
}

/// For each coordinate a matrix with its largest diagonal entry: what the engine scales all matrices by. With these
/// beside it a part of a batch is computed as in the whole, to the bit.
SpdBatch largest_of(const SpdBatch& x, const SpdBatch* y) {
  std::vector<double> values;
  for (Index k = 0; k < x.dim(); ++k) {
    const SpdBatch* from = &x;
    Index best = 0;
    for (const SpdBatch* batch : {&x, y})
      for (Index i = 0; batch != nullptr && i < batch->size(); ++i)
        if ((*batch)[i](k, k) > (*from)[best](k, k)) from = batch, best = i;
    const MatrixView matrix = (*from)[best];
    values.insert(values.end(), matrix.data(), matrix.data() + matrix.size());
  }
  return {values, x.dim(), x.dim()};
}

SpdBatch with(const SpdBatch& batch, const SpdBatch& more) {
  std::vector<double> values(batch.values().begin(), batch.values().end());
  values.insert(values.end(), more.values().begin(), more.values().end());
  return {values, batch.size() + more.size(), batch.dim()};
}

/// Rows `rows` of the result, of x with x from the diagonal on.
Matrix computed_rows(const SpdBatch& x, const SpdBatch* y, const RowRange& rows, const PairFunction& compute) {
  const Index count = rows.last - rows.first;
  if (count == 0) return {};
  const SpdBatch largest = largest_of(x, y), mine = slice(x, rows.first, rows.last);
  Index column = 0;  // where the columns that are being computed begin
  try {
    if (y != nullptr) {
      const SpdBatch others = with(*y, largest);
      return compute(mine, &others).leftCols(y->size());
    }
    Matrix result(count, x.size() - rows.first);
    column = rows.first;
    result.leftCols(count) = compute(with(mine, largest), nullptr).topLeftCorner(count, count);
    column = rows.last;
    if (rows.last < x.size()) {
      const SpdBatch others = with(slice(x, rows.last, x.size()), largest);
      result.rightCols(x.size() - rows.last) = compute(mine, &others).leftCols(x.size() - rows.last);
    }
    return result;
  } catch (const PairFailure& failure) {
    throw PairFailure(failure.row() + rows.first, failure.column() + column);
  } catch (const NumericalFailure& error) {
    throw NumericalFailure(fmt::format("{} (counted from matrix {} on)", error.what(), rows.first));
  } catch (const detail::UndefinedForData& error) {
    throw detail::UndefinedForData(fmt::format("{} (counted from matrix {} on)", error.what(), rows.first));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{} (counted from matrix {} on)", error.what(), rows.first));
  }
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

Matrix gather_pairs(const SpdBatch& x, const SpdBatch* y, const PairFunction& compute, const Team* team) {
  if (team == nullptr) return compute(x, y);
  const auto rows_of = [&](int rank) {
    return y == nullptr ? engine::share_of_triangle(x.size(), rank, team->size())
                        : share_of_rows(x.size(), rank, team->size());
  };
  Matrix mine, result;
  together(team, [&] { mine = computed_rows(x, y, rows_of(team->rank()), compute); });
  if (team->rank() == 0) result.resize(x.size(), y == nullptr ? x.size() : y->size());
  team->collect({mine.data(), static_cast<std::size_t>(mine.size())}, [&](int rank, std::span<const double> values) {
    const auto [first, last] = rows_of(rank);
    if (first == last) return;
    const Eigen::Map<const Matrix> part(values.data(), last - first,
                                        static_cast<Index>(values.size()) / (last - first));
    result.block(first, result.cols() - part.cols(), part.rows(), part.cols()) = part;
    if (y == nullptr)
      result.block(last, first, x.size() - last, last - first) = part.rightCols(x.size() - last).transpose();
  });
  return result;
}

}  // namespace dsk

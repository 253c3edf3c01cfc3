#include <dsk/engine.hpp>

#include <fmt/core.h>

#include <numeric>
#include <vector>

#include "engine/team/share.hpp"

namespace dsk {
namespace {

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
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{} (counted from matrix {} on)", error.what(), rows.first));
  }
}

}  // namespace

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

#pragma once

#include <dsk/kernel/comparison.hpp>
#include <dsk/pairs/stein.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "kernel/compared.hpp"

namespace dsk::detail {

/// Throws InvalidInput for matrices of another size than the model's.
inline void check_model_dim(Index rows, Index columns, Index dim) {
  if (rows != dim || columns != dim)
    throw InvalidInput(fmt::format("the model is for {} x {} matrices, not for {} x {}", dim, dim, rows, columns));
}

/// The comparisons of new matrices with those of a model, in blocks of rows, so that memory is bounded for any number
/// of both: calls visit(first row, squared distances).
template <class Visitor>
void visit_row_blocks(const Comparison& comparison, const SpdBatch& x, const ComparedBatch& known,
                      const PairOptions& options, const Visitor& visit) {
  check_model_dim(x.dim(), x.dim(), known.dim());
  constexpr Index entries = Index{1} << 22;
  const Index rows = std::clamp<Index>(entries / known.size(), 64, std::max<Index>(64, x.size()));
  const ComparedBatch points(comparison, x, options.threads);
  for (Index first = 0; first < x.size(); first += rows) {
    const ComparedBatch block = points.slice(first, std::min(rows, x.size() - first));
    try {
      visit(first, compare(block, &known, options));
    } catch (const PairFailure& failure) {
      throw PairFailure(failure.row() + first, failure.column());
    }
  }
}

}  // namespace dsk::detail

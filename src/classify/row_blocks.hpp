#pragma once

#include <dsk/kernel/comparison.hpp>
#include <dsk/pairs/stein.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "kernel/compared.hpp"

namespace dsk::detail {

/// The comparisons of new matrices with those of a model, in blocks of rows, so that memory is bounded for any number
/// of both: calls visit(first row, squared distances).
template <class Visitor>
void visit_row_blocks(const Comparison& comparison, const SpdBatch& x, const ComparedBatch& known,
                      const PairOptions& options, const Visitor& visit) {
  if (x.dim() != known.dim())
    throw InvalidInput(
        fmt::format("the model is for {} x {} matrices, not for {} x {}", known.dim(), known.dim(), x.dim(), x.dim()));
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

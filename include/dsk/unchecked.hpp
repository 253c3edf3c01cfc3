#pragma once

#include <dsk/metric.hpp>

#include <span>

namespace dsk {

/// `count` row-major matrices of size `dim` x `dim`, one behind the other, where their owner keeps them.
struct UncheckedMatrices {
  std::span<const double> values;
  Index count = 0;
  Index dim = 0;
};

/// The distances of batches that are made of these matrices, to the bit, and the same errors. Metrics for which it is
/// possible do without the copy of a batch, and those that are made of Cholesky factors take them from the check.
Matrix pairwise_distances(const UncheckedMatrices& x, const DistanceOptions& options = {});
Matrix pairwise_distances(const UncheckedMatrices& x, const UncheckedMatrices& y, const DistanceOptions& options = {});

}  // namespace dsk

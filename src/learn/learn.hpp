#pragma once

#include <dsk/learn.hpp>

namespace dsk {

/// theta, C and the criterion's value of the plain kernel that is best by the criterion.
struct PlainKernel {
  double theta = 1;
  double c = 0;
  double value = 0;
};

/// Searches all valid theta: the half integers up to (d-1)/2, then the open interval above; for the margin criteria
/// together with C. What the options give is kept.
PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options = {});

namespace detail {

/// Whether matrices are recentred or projected before their eigenvalues are adjusted.
bool has_steps_before(const FitOptions& options);
/// These steps, learned from the training set.
Transform fit_steps_before(const Dataset& train, const FitOptions& options);
/// For learning the rest from the transformed matrices.
FitOptions without_steps_before(FitOptions options);
Dataset transformed(const Dataset& data, const Transform& transform, const FitOptions& options);

/// Throws InvalidInput for a criterion that cannot be learned in blocks, or blocks too small for the training set's
/// classes.
void check_blocks(Index batch, Criterion criterion, const Dataset& train);

/// Whether to learn from random blocks: not where one holds the whole training set.
inline bool learns_by_blocks(Index batch, const Dataset& train) {
  return batch > 0 && batch < train.size();
}

}  // namespace detail

}  // namespace dsk

#pragma once

#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/train.hpp>

#include <string>
#include <vector>

#include "evaluate/candidate.hpp"

namespace dsk::detail {

/// The ways to compare that a combined kernel is made of: whole matrices, with adjusted eigenvalues too, and learned
/// subspaces of half and a quarter of their size, by every metric whose kernels can be learned. Throws InvalidInput for
/// a projection that does not go with that.
std::vector<Candidate> combined_views(Index dim, const SelectionOptions& options);

/// One way to compare, learned from a training set, and the widths of its kernels.
struct CombinedView {
  Comparison comparison;
  std::vector<double> thetas;
  std::vector<std::string> names;
};

/// The base kernels of one training set: subspaces, adjustments, widths and weights are learned from it alone.
class BaseKernels {
 public:
  /// Throws InvalidInput if no kernel varies on the training set.
  BaseKernels(const Dataset& train, const SelectionOptions& options);

  /// `how` is aligned or average.
  CombinedKernel combined(Method::Combining how) const;

 private:
  std::vector<CombinedView> views_;
  KernelWeights alignment_;
};

/// Chooses between aligned weights and the plain average, and C, by cross-validation, and combines the kernels of the
/// whole training set. Of equally good ones the average and the smaller C win.
ChosenMethod choose_combined(const Dataset& train, const Method& method, const SelectionOptions& options);

}  // namespace dsk::detail

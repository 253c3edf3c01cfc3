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

/// The base kernels of one training set: subspaces, adjustments, widths and weights are learned from it alone.
class BaseKernels {
 public:
  /// Throws InvalidInput if no kernel varies on the training set.
  BaseKernels(const Dataset& train, const SelectionOptions& options);

  /// `how` is aligned or average.
  CombinedKernel combined(Combining how) const;

 private:
  /// One way to compare, and the widths of its kernels.
  struct View {
    Comparison comparison;
    std::vector<double> thetas;
    std::vector<std::string> names;
    Matrix squared;  ///< squared distances of the training set or a sample of it
  };

  void add_view(Candidate view, CandidateTransforms& transforms, const Dataset& seen, const SelectionOptions& options);

  std::vector<View> views_;
  KernelWeights alignment_;
};

/// Chooses between aligned weights and the plain average, and C, by cross-validation, and combines the kernels of the
/// whole training set. Of equally good ones the average and the smaller C win.
ChosenMethod choose_combined(const Dataset& train, const Method& method, const SelectionOptions& options);

}  // namespace dsk::detail

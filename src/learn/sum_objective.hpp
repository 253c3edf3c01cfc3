#pragma once

#include "learn/objective.hpp"

namespace dsk::detail {

/// J, and the weights that make dJ/dK o K of the forms.
struct SumValue {
  double value = 0;
  FormWeights weights;
};

/// A criterion that is a function of sums over pairs, (forms, n); the diagonal of K is 1 and not among the sums.
struct SumCriterion {
  std::vector<PairForm> forms;
  SumValue (*evaluate)(const Matrix& sums, const Classes& classes);
  bool weighs_rows = false;
};

/// Such a criterion on a sweep, in memory that grows with n d^2 only. The classes must outlive it.
std::unique_ptr<Objective> make_sum_objective(SumCriterion criterion, const Classes& classes);

}  // namespace dsk::detail

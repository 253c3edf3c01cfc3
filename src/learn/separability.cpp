#include "learn/forms.hpp"

namespace dsk::detail {

/// J = tr S_B / tr S_W = (P - Q) / (n - P), with P = sum_c 1'K_cc 1 / n_c and Q = 1'K 1 / n.
SumCriterion separability() {
  return {{Form::class_mean, Form::kernel}, [](const FormSums& sums, const Classes& classes) {
            const auto n = static_cast<double>(classes.samples());
            const double p = static_cast<double>(classes.count()) + sums.total(0), q = (n + sums.total(1)) / n;
            const double within = n - p;
            return FormWeights{(p - q) / within, {(n - q) / (within * within), -1 / (n * within)}, {}};
          }};
}

}  // namespace dsk::detail

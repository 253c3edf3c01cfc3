#include <cmath>

#include "learn/forms.hpp"

namespace dsk::detail {

/// J = <T, K> / (n |K|), dJ/dK = T / (n |K|) - <T, K> K / (n |K|^3).
SumCriterion alignment() {
  return {{Form::target, Form::square}, [](const FormSums& sums, const Classes& classes) {
            const auto n = static_cast<double>(classes.samples());
            const double product = n + sums.total(0), squared_norm = n + sums.total(1), norm = std::sqrt(squared_norm);
            const double value = product / (n * norm);
            return FormWeights{value, {1 / (n * norm), -value / squared_norm}, {}};
          }};
}

}  // namespace dsk::detail

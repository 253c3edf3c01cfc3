#pragma once

#include <dsk/learn.hpp>

namespace dsk::detail {

inline KernelOrigin kernel_origin(Criterion criterion, double penalty, const Fit& fit, const Dataset& train) {
  return {.criterion = std::string(name(criterion)),
          .value = fit.criterion,
          .c = fit.c,
          .penalty = penalty,
          .iterations = fit.iterations,
          .stop = std::string(name(fit.stop)),
          .history = fit.history,
          .samples = train.size(),
          .classes = train.labels().names()};
}

}  // namespace dsk::detail

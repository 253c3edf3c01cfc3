#pragma once

#include <dsk/learn.hpp>
#include <dsk/train.hpp>

#include <string>
#include <vector>

namespace dsk::detail {

/// The options of one method of an evaluation: the paper's methods keep to valid thetas where nothing else is asked
/// for, and groups are recentred already.
SelectionOptions selection_for(const Method& method, SelectionOptions options);

/// The kernel that choose_settings learned for a method on a training set, given the learning and the penalty that it
/// chose: the same to the bit.
LearnResult fit_as_chosen(const Dataset& train, const Method& asked, const Learning& learning, double penalty,
                          const SelectionOptions& options);

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

/// Classes whose matrices all belong to one group cannot be both learned and tested while groups are kept together.
/// Returns a sentence about them, or nothing if there are none or the data have no groups. Throws ClassesInOneGroup
/// where there is no other class.
std::vector<std::string> group_warnings(const Dataset& data);

}  // namespace dsk::detail

#pragma once

#include <dsk/train.hpp>

namespace dsk::detail {

/// The kernel that choose_settings learned for a method on a training set, given the learning and the penalty that it
/// chose: the same to the bit.
LearnResult fit_as_chosen(const Dataset& train, const Method& asked, const Learning& learning, double penalty,
                          const SelectionOptions& options);

}  // namespace dsk::detail

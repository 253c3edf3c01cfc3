#pragma once

#include <dsk/model.hpp>

namespace dsk::detail {

/// The same data set with each group recentred by its own mean. Throws InvalidInput for data without groups.
Dataset recentred_by_groups(const Dataset& data, int threads);

/// The model with the matrices to predict recentred by their groups first.
Model recentring_groups(Model model);

}  // namespace dsk::detail

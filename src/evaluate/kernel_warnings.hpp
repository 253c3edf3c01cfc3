#pragma once

#include <dsk/model.hpp>

#include <string>
#include <vector>

namespace dsk::detail {

/// A sentence where the kernel of a trained SVM or of class means is nearly the identity or nearly constant on the
/// training set, with a remedy; none for other models.
std::vector<std::string> kernel_warnings(const Model& model, const Dataset& train, int threads);

}  // namespace dsk::detail

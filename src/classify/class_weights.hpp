#pragma once

#include <dsk/classify.hpp>

namespace dsk::detail {

/// Ascending, each once.
std::vector<int> distinct(const std::vector<int>& codes);

/// Factors of C for all classes' names; empty: all 1. Throws InvalidInput for a number of weights that does not fit.
std::vector<double> class_weights(const SvmTraining& options, const Labels& labels);

/// One for each of so many classes. Throws InvalidInput unless each, and C times it, is finite and above 0.
std::vector<double> checked_weights(const std::vector<double>& weights, std::size_t classes, double c);

}  // namespace dsk::detail

#pragma once

#include <dsk/evaluate.hpp>

namespace dsk::detail {

/// The code of the most frequent class, the first of several, and its share of the matrices, by their weights.
struct MostFrequent {
  int code = 0;
  double share = 0;
};
MostFrequent most_frequent_class(const Dataset& train);

/// Fills in the scores of all methods, their comparisons and the ranking, from the results of all splits. Adds the
/// majority class if it is not among the methods, and warnings where scores mislead.
void summarise_methods(const Dataset& data, const std::vector<Method>& methods, Evaluation& evaluation);

/// "'a', 'b' and 3 more": names of classes for a message, at most five.
std::string listed_classes(const std::vector<std::string>& names);

}  // namespace dsk::detail

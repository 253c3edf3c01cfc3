#pragma once

#include <dsk/spd/dataset.hpp>

namespace dsk {

/// What a classifier says of new matrices.
struct Prediction {
  Labels labels;  ///< one per matrix, with the names of all classes of the training set
  Matrix scores;  ///< (matrices, classes' names); rows sum to 1
};

/// The share of labels that are right. Classes are the same if their names are, so that one the classifier never saw
/// is always wrong. Throws InvalidInput if the numbers differ or there are none.
double accuracy(const Labels& predicted, const Labels& truth);

}  // namespace dsk

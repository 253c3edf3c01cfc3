#pragma once

#include <dsk/spd/dataset.hpp>

namespace dsk {

/// Share of matrices whose nearest other one, by a symmetric matrix of distances, has the same class. Of several
/// equally near ones the first counts. Throws InvalidInput if labels and distances differ in number or there are fewer
/// than two.
double leave_one_out_accuracy(const Matrix& distances, const Labels& labels);

}  // namespace dsk

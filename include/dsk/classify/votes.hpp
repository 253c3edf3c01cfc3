#pragma once

#include <dsk/spd/matrix.hpp>

#include <span>
#include <vector>

namespace dsk {

/// The class that most of the nearest `neighbours` have, for each of several numbers of neighbours. Of classes with
/// equally many votes the one with the nearest member wins; of equally near ones the first counts. A number above that
/// of the distances takes all of them. Throws InvalidInput for no distances, one that is not a number, a
/// number of neighbours below 1, or sizes that differ.
std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours);

}  // namespace dsk

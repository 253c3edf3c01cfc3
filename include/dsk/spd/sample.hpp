#pragma once

#include <dsk/spd/dataset.hpp>

#include <cstdint>
#include <vector>

namespace dsk {

/// Positions of `count` of `size` things drawn at random without repetition, ascending; all of them if there are no
/// more. The same for the same seed on every machine. Throws InvalidInput for a count below 1.
std::vector<Index> random_sample(Index size, Index count, std::uint64_t seed);

/// The same of labelled things, with as equal numbers of all classes as their sizes allow.
std::vector<Index> balanced_sample(const Labels& labels, Index count, std::uint64_t seed);

}  // namespace dsk

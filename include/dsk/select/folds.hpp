#pragma once

#include <dsk/spd/dataset.hpp>

#include <cstdint>
#include <vector>

namespace dsk {

/// A part of a data set to learn from and the rest to score on, as positions in ascending order.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};

/// Stratified cross-validation: every class is dealt out evenly among the folds, at random by the seed. Members of a
/// class of one are always trained on. No more folds than the largest class has members; at least 2.
/// Throws InvalidInput if `folds` is below 2 or no class has two members.
std::vector<Split> stratified_folds(const Labels& labels, Index folds, std::uint64_t seed);

/// The same for a data set; where it has groups, each is in one fold as a whole, and classes are dealt out as evenly as
/// that allows. Throws InvalidInput for fewer than two groups.
std::vector<Split> stratified_folds(const Dataset& data, Index folds, std::uint64_t seed);

}  // namespace dsk

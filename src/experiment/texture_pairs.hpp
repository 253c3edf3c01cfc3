#pragma once

#include "experiment/data_sets.hpp"

namespace dsk::experiment {

struct ClassPair {
  std::string first, second;
  double accuracy = 0;  ///< of the plain Stein kernel with k-NN, if measured
  std::string name() const { return first + " and " + second; }
  bool operator==(const ClassPair& other) const { return first == other.first && second == other.second; }
};

/// The 15 pairs in the paper's supplement.
std::vector<ClassPair> paper_pairs();

/// The `count` pairs of classes with the lowest accuracy of the plain Stein kernel with k-NN over `splits` random
/// halves, lowest first.
std::vector<ClassPair> hardest_pairs(const Dataset& data, Index count, Index splits, std::uint64_t seed, int threads);

}  // namespace dsk::experiment

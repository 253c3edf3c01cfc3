#pragma once

#include <dsk/classify.hpp>

#include <span>
#include <utility>

namespace dsk::detail {

/// f(x) = sum_i coefficients_i k(x_i, x) + offset.
struct BinarySvm {
  Eigen::VectorXd coefficients;
  double offset = 0;
};

/// `weights` are the factors of C for the signs +1 and -1.
BinarySvm train_binary(Matrix kernel, std::span<const int> signs, double c, std::pair<double, double> weights,
                       SoftMargin margin);

/// Positions of the points of a pair of classes, and +1 for those of the first, -1 for those of the second.
struct PairMembers {
  std::vector<Index> members;
  std::vector<int> signs;
};
PairMembers members_of_pair(const std::vector<int>& classes, int first, int second);

/// (0, 1), (0, 2), ..., (1, 2), ...
std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t classes);

}  // namespace dsk::detail

#pragma once

#include <dsk/classify.hpp>

namespace dsk::detail {

/// Fits the sigmoid of maximum likelihood to decision values of points with signs +1 or -1, with Platt's softened
/// targets (Lin, Lin & Weng 2007), among those that do not decrease: the slope is never above 0, and 0 gives the
/// frequency of the signs where decision values say nothing, or the opposite.
Sigmoid fit_sigmoid(const Eigen::VectorXd& decisions, std::span<const int> signs);

/// Fits the sigmoids of all pairs of classes to out-of-sample decision values from stratified five-fold
/// cross-validation.
std::vector<Sigmoid> calibrate(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options,
                               std::uint64_t seed);

/// Class probabilities, summing to 1, that best agree with the pairwise probabilities `first_of_pair`, P(a | a or b):
/// the second method of Wu, Lin & Weng (2004).
Eigen::RowVectorXd couple(const Eigen::RowVectorXd& first_of_pair, std::size_t classes);

}  // namespace dsk::detail

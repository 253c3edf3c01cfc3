#pragma once

#include <dsk/classify.hpp>

namespace dsk::detail {

/// The sigmoid that is most likely for decision values of points with signs +1 or -1, towards Platt's softened targets
/// (Lin, Lin & Weng 2007).
Sigmoid fit_sigmoid(const Eigen::VectorXd& decisions, std::span<const int> signs);

/// Sigmoids for all pairs of classes, each from the decision values of machines that did not see the point: stratified
/// cross-validation with five folds.
std::vector<Sigmoid> calibrate(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options,
                               std::uint64_t seed);

/// The class probabilities that agree best with those of all pairs, `first_of_pair` being P(a | a or b): the second
/// method of Wu, Lin & Weng 2004. Their sum is 1.
Eigen::RowVectorXd couple(const Eigen::RowVectorXd& first_of_pair, std::size_t classes);

}  // namespace dsk::detail

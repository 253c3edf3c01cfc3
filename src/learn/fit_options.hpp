#pragma once

#include <dsk/learn.hpp>

#include <vector>

#include "transform/transform.hpp"

namespace dsk::detail {

/// Throws InvalidInput for a bad option of learning from matrices of this size.
void check_options(const FitOptions& options, Index dim);

/// Means of the logarithms of a training set's eigenvalues.
struct MeanLogs {
  Eigen::VectorXd of_each;  ///< largest first
  double of_all = 0;
};
/// Of logarithms (n, d), by the weights of the matrices, if there are any.
MeanLogs mean_logs(const Matrix& log_eigenvalues, const std::vector<double>& weights);

/// No adjustment, with the scale and the centre of the one to learn.
EigenvalueAdjustment plain_adjustment(const FitOptions& options, const MeanLogs& logs);
/// What the search starts from and is drawn to.
EigenvalueAdjustment first_adjustment(const FitOptions& options, const MeanLogs& logs);

double first_zeta(const FitOptions& options);
PairSpace space_of(const FitOptions& options);

/// The kernel with this adjustment, and the zeta that learning starts from.
LearnedKernel first_kernel(const EigenvalueAdjustment& adjustment, double theta, const FitOptions& options);

}  // namespace dsk::detail

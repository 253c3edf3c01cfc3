#pragma once

#include <dsk/learn.hpp>

#include <functional>
#include <span>

namespace dsk {

/// theta, C and the criterion's value of the plain kernel that is best by the criterion.
struct PlainKernel {
  double theta = 1;
  double c = 0;
  double value = 0;
};

/// Searches all valid theta: the half integers up to (d-1)/2, then the open interval above; for the margin criteria
/// together with C. What the options give is kept.
PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options = {});

namespace detail {

/// Kernel matrices by rows: the values of kernel `k` for `count` rows from `first` on. Called by several threads.
using BaseKernelRows = std::function<Matrix(Index kernel, Index first, Index count)>;

/// The same for kernels that need not be in memory, each of (size of the labels)^2 values.
KernelWeights align_kernels(Index kernels, const BaseKernelRows& rows, const Labels& labels,
                            std::span<const double> sample_weights, int threads);

/// The x >= 0 that minimises x'Qx/2 - p'x for a positive semidefinite Q of unit diagonal, by Lawson and Hanson's active
/// set: at most 50 or so unknowns are meant.
Eigen::VectorXd solve_nonnegative(const Matrix& q, const Eigen::VectorXd& p);

/// Whether matrices are recentred or projected before their eigenvalues are adjusted.
bool has_steps_before(const FitOptions& options);
/// These steps, learned from the training set.
Transform fit_steps_before(const Dataset& train, const FitOptions& options);
/// For learning the rest from the transformed matrices.
FitOptions without_steps_before(FitOptions options);
Dataset transformed(const Dataset& data, const Transform& transform, const FitOptions& options);

}  // namespace detail

}  // namespace dsk

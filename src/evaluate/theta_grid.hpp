#pragma once

#include <dsk/metric.hpp>

#include <vector>

namespace dsk::detail {

/// `relative` thetas over the median of the squared distances of different matrices, in the same order; each moved to
/// the nearest for which the kernel is valid for matrices of size `dim`, unless `any` will do.
std::vector<double> thetas_over_median(const Matrix& distances, const std::vector<double>& relative, Metric metric,
                                       Index dim, bool any);

}  // namespace dsk::detail

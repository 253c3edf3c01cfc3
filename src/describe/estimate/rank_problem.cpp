#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "describe/estimate/estimators.hpp"

namespace dsk {

RankDeficient::RankDeficient(const std::string& problem)
    : InvalidInput(fmt::format("{}: use the estimator {}", problem, remedy)), problem_(problem) {}

namespace detail {
namespace {

/// The first row that is a combination of those before it, up to rounding, or none.
Index first_dependent(const Matrix& correlations) {
  const Index dim = correlations.rows();
  Matrix lower = Matrix::Zero(dim, dim);
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c)
      lower(r, c) = (correlations(r, c) - lower.row(r).head(c).dot(lower.row(c).head(c))) / lower(c, c);
    const double left = 1 - lower.row(r).head(r).squaredNorm();
    if (!(left > 64 * static_cast<double>(dim) * std::numeric_limits<double>::epsilon())) return r;
    lower(r, r) = std::sqrt(left);
  }
  return dim;
}

}  // namespace

std::string feature_name(Index feature, FeatureNames names) {
  return names.empty() ? fmt::format("feature {}", feature)
                       : fmt::format("feature {}", names[static_cast<std::size_t>(feature)]);
}

std::string rank_problem(const Moments& moments, FeatureNames names) {
  const Index dim = moments.dim();
  if (moments.samples <= dim) return fmt::format("{} samples for {} features", moments.samples, dim);
  for (Index k = 0; k < dim; ++k)
    if (!(moments.scatter(k, k) > 0)) return feature_name(k, names) + " is constant";
  const Index dependent = first_dependent(correlation(moments));
  if (dependent < dim) return feature_name(dependent, names) + " depends linearly on those before it";
  return fmt::format("{} features nearly depend on each other", dim);
}

}  // namespace detail
}  // namespace dsk

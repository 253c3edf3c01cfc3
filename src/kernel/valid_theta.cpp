// For which theta exp(-theta d^2) is positive definite for every sample. The kind of rule is in the metric's row.

#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernel/kernel.hpp"

namespace dsk {
namespace {

/// "0.5, 1, 1.5, 2", or "0.5, 1, ..., 21" where that is too long.
std::string half_integers_up_to(double last) {
  constexpr double longest_list = 3;
  if (last > longest_list) return fmt::format("0.5, 1, ..., {}", last);
  std::string list = "0.5";
  for (double theta = 1; theta <= last; theta += 0.5) list += fmt::format(", {}", theta);
  return list;
}

}  // namespace

void check_theta(Metric metric, double theta, Index dim, bool allow_indefinite) {
  if (!(theta > 0 && std::isfinite(theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", theta));
  if (!is_symmetric(metric))
    throw InvalidInput(fmt::format("{} is not symmetric and gives no kernel; use another metric", name(metric)));
  if (allow_indefinite || is_valid_theta(metric, theta, dim)) return;
  if (theta_rule(metric) == ThetaRule::none)
    throw InvalidInput(fmt::format(
        "{} gives no positive definite kernel; use it with k-NN, or allow indefinite kernels", name(metric)));
  const double bound = static_cast<double>(dim - 1) / 2;
  throw InvalidInput(fmt::format(
      "theta {} is not valid for the {} kernel of {} x {} matrices; use {} or any number above {}, or allow "
      "indefinite kernels",
      theta, name(metric), dim, dim, half_integers_up_to(bound), bound));
}

bool is_valid_theta(Metric metric, double theta, Index dim) {
  if (!(theta > 0 && std::isfinite(theta)) || theta_rule(metric) == ThetaRule::none) return false;
  if (theta_rule(metric) == ThetaRule::any) return true;
  return theta > static_cast<double>(dim - 1) / 2 || 2 * theta == std::floor(2 * theta);
}

double detail::nearest_valid_theta(Metric metric, double theta, Index dim) {
  return is_valid_theta(metric, theta, dim) ? theta : std::max(0.5, std::round(2 * theta) / 2);
}

double detail::next_valid_theta(Metric metric, double theta, Index dim) {
  return is_valid_theta(metric, theta, dim) ? theta : std::ceil(2 * theta) / 2;
}

}  // namespace dsk

#include "spd/shifted_inverses.hpp"

#include <array>
#include <boost/math/special_functions/legendre.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace dsk::detail {
namespace {

/// There is a rule for each power of four up to largest_rule_condition.
constexpr int rule_count = 17;

/// A point v of (0, 1) with its weight.
struct Point {
  double at, weight;
};

/// Of the integral over (0, 1), by Gauss and Legendre.
std::vector<Point> gauss_points(int count) {
  std::vector<Point> points;
  for (const double x : boost::math::legendre_p_zeros<double>(count)) {
    const double slope = boost::math::legendre_p_prime(count, x), weight = 1 / ((1 - x * x) * slope * slope);
    points.push_back({(1 - x) / 2, weight});
    if (x > 0) points.push_back({(1 + x) / 2, weight});
  }
  return points;
}

/// By the midpoint rule, which converges geometrically for periodic functions.
std::vector<Point> midpoints(int count) {
  std::vector<Point> points;
  for (int k = 0; k < count; ++k) points.push_back({(k + 0.5) / count, 1.0 / count});
  return points;
}

/// Jacobi's elliptic functions of the complementary modulus 1 / sqrt(condition), by arithmetic-geometric means, which
/// lose no digits where that is small.
class Elliptic {
 public:
  struct Values {
    double sn, cn, dn;
  };

  explicit Elliptic(double condition) {
    double mean = 1, root = 1 / std::sqrt(condition), scale = 1;
    while (mean - root > 4 * std::numeric_limits<double>::epsilon() * mean) {
      const double half_gap = (mean - root) / 2, next = (mean + root) / 2;
      root = std::sqrt(mean * root);
      mean = next;
      scale *= 2;
      ratios_.push_back(half_gap / mean);
    }
    quarter_period_ = std::numbers::pi / (2 * mean);
    angle_factor_ = scale * mean;
  }

  double quarter_period() const { return quarter_period_; }

  Values at(double argument) const {
    double angle = angle_factor_ * argument, before = angle;
    for (std::size_t level = ratios_.size(); level-- > 0;) {
      before = angle;
      angle = (angle + std::asin(ratios_[level] * std::sin(angle))) / 2;
    }
    return {std::sin(angle), std::cos(angle), std::cos(angle) / std::cos(before - angle)};
  }

 private:
  std::vector<double> ratios_;
  double quarter_period_ = 0, angle_factor_ = 0;
};

/// t = m sc^2(v K') takes v from (0, 1) to (0, infinity) so that the poles of 1 / (x + t) in v have the same distance
/// from the interval for all x (Hale, Higham & Trefethen 2008). `weight` is that of dt / t.
struct Shift {
  double t, weight;
};

std::vector<Shift> shifts_at(const std::vector<Point>& points, double condition) {
  const Elliptic elliptic(condition);
  std::vector<Shift> shifts;
  for (const Point& point : points) {
    // The upper half mirrors the lower one, t to 1 / t.
    const bool mirrored = point.at > 0.5;
    const double v = mirrored ? 1 - point.at : point.at;
    const auto [sn, cn, dn] = elliptic.at(v * elliptic.quarter_period());
    const double t = (sn / cn) * (sn / cn) / std::sqrt(condition);
    shifts.push_back({mirrored ? 1 / t : t, 2 * dn / (sn * cn) * elliptic.quarter_period() * point.weight});
  }
  return shifts;
}

/// log x is the integral of 1 / (1 + t) - 1 / (x + t) over t.
ShiftedInverseRule logarithm_rule(double condition) {
  // Poles at the distance pi / 2 from an interval of length K' = log(16 condition) / 2: Gauss's rule loses the
  // factor rho^-2 a point, where rho is the sum of the half axes of the ellipse through them.
  const double half_axis = 2 * std::numbers::pi / std::log(16 * condition);
  const double digits = std::asinh(half_axis);
  const auto count = static_cast<int>(std::ceil(18 / digits));
  ShiftedInverseRule rule;
  for (const Shift& shift : shifts_at(gauss_points(count), condition)) {
    const double weight = shift.weight * shift.t;
    rule.shifts.push_back(shift.t);
    rule.weights.push_back(-weight);
    rule.constant += weight / (1 + shift.t);
  }
  return rule;
}

/// x^-1/2 is the integral of t^-1/2 / (x + t) over t, divided by pi; and x^1/2 = x x^-1/2.
ShiftedInverseRule root_rule(double condition, bool inverse) {
  const auto count =
      static_cast<int>(std::ceil(38 * std::log(16 * condition) / (2 * std::numbers::pi * std::numbers::pi)));
  ShiftedInverseRule rule;
  for (const Shift& shift : shifts_at(midpoints(count), condition)) {
    const double weight = shift.weight * std::sqrt(shift.t) / std::numbers::pi;
    rule.shifts.push_back(shift.t);
    rule.weights.push_back(inverse ? weight : -weight * shift.t);
    if (!inverse) rule.constant += weight;
  }
  return rule;
}

using Rules = std::array<std::array<ShiftedInverseRule, rule_count>, 3>;

Rules all_rules() {
  Rules rules;
  for (std::size_t k = 0; k < rule_count; ++k) {
    const double condition = std::ldexp(1.0, static_cast<int>(2 * std::max<std::size_t>(k, 1)));
    rules[static_cast<std::size_t>(SpectralFunction::logarithm)][k] = logarithm_rule(condition);
    rules[static_cast<std::size_t>(SpectralFunction::root)][k] = root_rule(condition, false);
    rules[static_cast<std::size_t>(SpectralFunction::inverse_root)][k] = root_rule(condition, true);
  }
  return rules;
}

}  // namespace

const ShiftedInverseRule& shifted_inverse_rule(SpectralFunction function, double condition) {
  static const Rules rules = all_rules();
  const int power = std::ilogb(condition) / 2 + 1;
  return rules[static_cast<std::size_t>(function)][static_cast<std::size_t>(std::min(power, rule_count - 1))];
}

}  // namespace dsk::detail

#include <dsk/matrices.hpp>

#include <fmt/format.h>
#include <Eigen/QR>

#include <cmath>
#include <random>

#include "machine/interrupt.hpp"

namespace dsk {
namespace {

/// Normal and chi variates that are the same on every machine: the C++ standard specifies its random engines exactly,
/// but not its distributions.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

  /// Standard normal, by Marsaglia's polar method.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, square;
    do {
      u = 2 * uniform() - 1;
      v = 2 * uniform() - 1;
      square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    spare_ = v * factor;
    has_spare_ = true;
    return u * factor;
  }

  /// Square root of a chi-square variable, by Marsaglia & Tsang's gamma method.
  double chi(double degrees) {
    if (degrees < 2) return std::abs(normal());
    const double d = degrees / 2 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return std::sqrt(2 * d * v);
    }
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

MatrixStack empty_stack(Index count, Index dim) {
  return {count, dim, std::vector<double>(static_cast<std::size_t>(count * dim * dim))};
}

Eigen::MatrixXd random_rotation(Index dim, RandomNumbers& random) {
  Eigen::MatrixXd gaussian(dim, dim);
  for (Index k = 0; k < gaussian.size(); ++k) gaussian.data()[k] = random.normal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(gaussian);
  Eigen::MatrixXd rotation = qr.householderQ();
  // The distribution is uniform only if the diagonal of R is positive.
  for (Index k = 0; k < dim; ++k)
    if (qr.matrixQR()(k, k) < 0) rotation.col(k) *= -1;
  return rotation;
}

void require(bool good, std::string_view field, auto value, std::string_view limit) {
  if (!good) throw InvalidInput(fmt::format("{} {} must be {}", field, value, limit));
}

}  // namespace

SpdBatch random_spd(const RandomSpd& options) {
  require(options.count >= 1, "count", options.count, "at least 1");
  require(options.dim >= 1, "dim", options.dim, "at least 1");
  require(options.condition >= 1 && std::isfinite(options.condition), "condition", options.condition,
          "finite and at least 1");
  require(options.scale > 0 && std::isfinite(options.scale), "scale", options.scale, "finite and above 0");

  const Index dim = options.dim;
  Eigen::VectorXd eigenvalues(dim);
  for (Index k = 0; k < dim; ++k)
    eigenvalues(k) =
        std::pow(options.condition, -static_cast<double>(k) / static_cast<double>(std::max<Index>(dim - 1, 1)));

  RandomNumbers random(options.seed);
  MatrixStack stack = empty_stack(options.count, dim);
  for (Index i = 0; i < options.count; ++i) {
    detail::check_interrupt();
    const Eigen::MatrixXd rotation = random_rotation(dim, random);
    Eigen::Map<Matrix> x(stack.values.data() + i * dim * dim, dim, dim);
    x = rotation * eigenvalues.asDiagonal() * rotation.transpose() * options.scale;
    x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
  }
  return SpdBatch(std::move(stack), 1);
}

Dataset wishart_classes(const WishartClasses& options) {
  require(options.classes >= 1, "classes", options.classes, "at least 1");
  require(options.per_class >= 1, "per_class", options.per_class, "at least 1");
  require(options.dim >= 1, "dim", options.dim, "at least 1");
  require(options.degrees >= options.dim, "degrees", options.degrees, fmt::format("at least dim, {}", options.dim));
  const double last_variance = 1 + static_cast<double>(options.classes - 1) * options.tau;
  require(last_variance > 0 && std::isfinite(last_variance), "tau", options.tau,
          "finite, with 1 + (classes - 1) tau above 0");

  const Index dim = options.dim;
  RandomNumbers random(options.seed);
  MatrixStack stack = empty_stack(options.classes * options.per_class, dim);
  std::vector<long long> labels;
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(dim, dim);
  for (Index i = 0; i < stack.count; ++i) {
    detail::check_interrupt();
    const Index c = i / options.per_class;
    labels.push_back(c);
    // Bartlett decomposition: the Cholesky factor of a standard Wishart matrix has independent normal and chi entries.
    for (Index r = 0; r < dim; ++r) {
      for (Index k = 0; k < r; ++k) factor(r, k) = random.normal();
      factor(r, r) = random.chi(static_cast<double>(options.degrees - r));
    }
    const double variance = 1 + static_cast<double>(c) * options.tau;
    Eigen::Map<Matrix> x(stack.values.data() + i * dim * dim, dim, dim);
    x = factor * factor.transpose() * (variance / static_cast<double>(options.degrees));
    x.triangularView<Eigen::StrictlyUpper>() = x.transpose();
  }
  return Dataset(SpdBatch(std::move(stack), 1), Labels(labels));
}

}  // namespace dsk

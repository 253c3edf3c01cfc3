#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// J = mean over i of log(sum over j != i of i's class of K_ij / sum over j != i of K_ij), over those i that are not
/// alone in their class. Works with log-sum-exp: K itself underflows on ill-conditioned data.
class Neighbour : public Objective {
 public:
  explicit Neighbour(const Classes& classes) : classes_(classes) {
    for (Index i = 0; i < classes.samples(); ++i) counted_ += counts(i) ? 1 : 0;
    if (counted_ == 0) throw UndefinedForData("the neighbour criterion needs a class with at least two matrices");
  }

  Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const override {
    const std::vector<LogRowSums> sums = pairs.log_row_sums(thetas);
    Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
    for (Index t = 0; t < result.rows(); ++t) result.row(t).setConstant(value(sums[static_cast<std::size_t>(t)]));
    return result;
  }

  /// With p_i the probability of a neighbour of the same class, c_ij = (w_i + w_j) / (2 counted), where
  /// w_i = K_ij (1 - p_i) / same_i for a pair of one class and -K_ij / all_i for others.
  KernelGradient gradient(const PairSums& pairs, double theta, double) const override {
    const LogRowSums sums = pairs.log_row_sums({&theta, 1})[0];
    constexpr double nothing = -1e5;  // its exponential is 0
    const Index n = classes_.samples();
    LogWeights weights{theta, 1 / (2 * counted_), Eigen::VectorXd(n), Eigen::VectorXd(n)};
    for (Index i = 0; i < n; ++i) {
      const double all = log_add(sums.same[i], sums.other[i]);
      weights.same[i] = counts(i) ? sums.other[i] - sums.same[i] - all : nothing;
      weights.other[i] = counts(i) ? -all : nothing;
    }
    return {value(sums), pairs.weighted_inverses(weights), 0};
  }

 private:
  double value(const LogRowSums& sums) const {
    double total = 0;
    for (Index i = 0; i < classes_.samples(); ++i)
      if (counts(i)) total += sums.same[i] - log_add(sums.same[i], sums.other[i]);
    return total / counted_;
  }
  bool counts(Index i) const { return classes_.size(classes_[i]) > 1; }

  const Classes& classes_;
  double counted_ = 0;
};

}  // namespace

std::unique_ptr<Objective> neighbour(const Classes& classes, const PairOptions&) {
  return std::make_unique<Neighbour>(classes);
}

}  // namespace dsk::detail

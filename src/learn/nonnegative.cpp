#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/learn.hpp"

namespace dsk::detail {
namespace {

/// The unknowns that are not at 0, and their values.
class ActiveSet {
 public:
  ActiveSet(const Matrix& q, const Eigen::VectorXd& p) : q_(q), p_(p), x_(Eigen::VectorXd::Zero(p.size())) {}

  const Eigen::VectorXd& x() const { return x_; }
  bool contains(Index k) const { return std::find(free_.begin(), free_.end(), k) != free_.end(); }

  /// Moves to the best values of the free unknowns and k; on the way, those that would become negative leave. False if
  /// k itself would not become positive, which happens by rounding only.
  bool add(Index k) {
    free_.push_back(k);
    for (bool first = true;; first = false) {
      const Eigen::VectorXd target = solved();
      if (first && !(target[target.size() - 1] > 0)) {
        free_.pop_back();
        return false;
      }
      if ((target.array() > 0).all()) {
        for (std::size_t m = 0; m < free_.size(); ++m) x_[free_[m]] = target[static_cast<Index>(m)];
        return true;
      }
      step_towards(target);
    }
  }

 private:
  Eigen::VectorXd solved() const {
    const Eigen::MatrixXd q = q_(free_, free_);
    const Eigen::VectorXd p = p_(free_);
    const Eigen::LDLT<Eigen::MatrixXd> factor(q);
    const Eigen::VectorXd rough = factor.solve(p);
    return rough + factor.solve(p - q * rough);
  }

  /// As far as all stay at 0 or above; those that reach 0 leave.
  void step_towards(const Eigen::VectorXd& target) {
    double length = 2;  // above that of any that blocks, which is 1 where the target is exactly 0
    Index blocking = 0;
    for (std::size_t m = 0; m < free_.size(); ++m) {
      const double from = x_[free_[m]], to = target[static_cast<Index>(m)];
      if (to > 0 || from / (from - to) >= length) continue;
      length = from / (from - to);
      blocking = free_[m];
    }
    for (std::size_t m = 0; m < free_.size(); ++m)
      x_[free_[m]] += length * (target[static_cast<Index>(m)] - x_[free_[m]]);
    x_[blocking] = 0;
    std::erase_if(free_, [&](Index k) { return !(x_[k] > 0); });
    for (Index k = 0; k < x_.size(); ++k)
      if (!contains(k)) x_[k] = 0;
  }

  const Matrix& q_;
  const Eigen::VectorXd& p_;
  Eigen::VectorXd x_;
  std::vector<Index> free_;
};

}  // namespace

Eigen::VectorXd solve_nonnegative(const Matrix& q, const Eigen::VectorXd& p) {
  const double tolerance = 1e-12 * p.cwiseAbs().maxCoeff();
  ActiveSet set(q, p);
  std::vector<Index> refused;
  const Index most_rounds = 10 * p.size();
  for (Index round = 0; round < most_rounds; ++round) {
    const Eigen::VectorXd ascent = p - q * set.x();
    Index best = -1;
    for (Index k = 0; k < p.size(); ++k)
      if (!set.contains(k) && std::find(refused.begin(), refused.end(), k) == refused.end() && ascent[k] > tolerance &&
          (best < 0 || ascent[k] > ascent[best]))
        best = k;
    if (best < 0) break;
    if (set.add(best))
      refused.clear();
    else
      refused.push_back(best);
  }
  return set.x();
}

}  // namespace dsk::detail

#include "classify/dual_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "machine/interrupt.hpp"
#include "machine/shuffle.hpp"

namespace dsk::detail {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

class Descent {
 public:
  explicit Descent(const DescentProblem& problem)
      : problem_(problem),
        eta_(Eigen::VectorXd::Zero(static_cast<Index>(problem.members.size()))),
        curvature_(eta_.size()),
        weights_(problem.rows.padded()),
        active_(problem.members.size()),
        random_(problem.seed) {
    std::fill_n(weights_.data(), weights_.size(), 0.0);
    std::iota(active_.begin(), active_.end(), std::size_t{0});
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const Eigen::Map<const Eigen::VectorXf> row(row_of(i), problem.rows.dim());
      curvature_[static_cast<Index>(i)] = row.cast<double>().squaredNorm() + 1 + ridge(i);
    }
  }

  DescentResult run(const DescentOptions& options) {
    const std::size_t all = active_.size();
    std::size_t kept = all;
    Range before{-unbounded, unbounded};
    DescentResult result;
    while (result.passes < options.max_passes) {
      ++result.passes;
      Range found{unbounded, -unbounded};
      pass(kept, before, found);
      if (found.high - found.low <= options.tolerance) {
        if (kept == all) {
          result.converged = true;
          break;
        }
        kept = all;
        before = {-unbounded, unbounded};
        continue;
      }
      before = {found.low < 0 ? found.low : -unbounded, found.high > 0 ? found.high : unbounded};
    }
    result.weights = Eigen::Map<const Eigen::VectorXd>(weights_.data(), problem_.rows.dim());
    result.offset = offset_;
    result.eta = std::move(eta_);
    return result;
  }

 private:
  /// The range of the projected gradients in one pass.
  struct Range {
    double low, high;
  };

  const float* row_of(std::size_t i) const { return problem_.rows[problem_.members[i]]; }
  double cost(std::size_t i) const {
    const double of_class = problem_.signs[i] > 0 ? problem_.costs.positive : problem_.costs.negative;
    return problem_.weights.empty() ? of_class
                                    : of_class * problem_.weights[static_cast<std::size_t>(problem_.members[i])];
  }
  double ridge(std::size_t i) const { return problem_.squared ? 1 / cost(i) : 0; }

  /// Visits the first `kept` active points in random order. Points that seem to stay at a bound are moved to the end.
  void pass(std::size_t& kept, const Range& before, Range& found) {
    for (std::size_t left = kept; left > 1; --left) std::swap(active_[left - 1], active_[below(random_, left)]);
    for (std::size_t s = 0; s < kept;) {
      check_interrupt();
      const std::size_t i = active_[s];
      double& eta = eta_[static_cast<Index>(i)];
      const double sign = problem_.signs[i], upper = problem_.squared ? unbounded : cost(i);
      const double margin = sign * (dot_row(row_of(i), weights_.data(), weights_.size()) + offset_);
      const double gradient = margin - 1 + ridge(i) * eta;
      if ((eta == 0 && gradient > before.high) || (eta == upper && gradient < before.low)) {
        std::swap(active_[s], active_[--kept]);
        continue;
      }
      ++s;
      const double projected = eta == 0 ? std::min(gradient, 0.0) : eta == upper ? std::max(gradient, 0.0) : gradient;
      found.low = std::min(found.low, projected);
      found.high = std::max(found.high, projected);
      if (std::abs(projected) < 1e-12) continue;
      const double next = std::clamp(eta - gradient / curvature_[static_cast<Index>(i)], 0.0, upper);
      const double step = sign * (next - eta);
      eta = next;
      add_row(step, row_of(i), weights_.data(), weights_.size());
      offset_ += step;
    }
  }

  const DescentProblem& problem_;
  Eigen::VectorXd eta_;
  Eigen::VectorXd curvature_;
  AlignedArray<double> weights_;
  double offset_ = 0;
  std::vector<std::size_t> active_;
  std::mt19937_64 random_;
};

}  // namespace

void SingleRows::set(Index first, const Matrix& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    float* const row = values_.data() + (first + i) * padded_;
    std::transform(&rows(i, 0), &rows(i, 0) + dim_, row, [](double value) { return static_cast<float>(value); });
    std::fill(row + dim_, row + padded_, 0.0F);
  }
}

DescentResult descend(const DescentProblem& problem, const DescentOptions& options) {
  return Descent(problem).run(options);
}

}  // namespace dsk::detail

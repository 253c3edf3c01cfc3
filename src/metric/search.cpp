#include "metric/search.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "metric/metric.hpp"

namespace dsk::detail {
namespace {

using Row = Eigen::RowVectorXd;

/// A symmetric matrix as coordinates of the same norm.
Row coordinates_of(const Matrix& symmetric) {
  Row row(symmetric.rows() * (symmetric.rows() + 1) / 2);
  flatten({symmetric.data(), symmetric.rows(), symmetric.cols()}, row);
  return row;
}

Matrix scaled_step(const Residual& residual, const Matrix& value) {
  Matrix step = residual.factor * value;
  step.diagonal().array() += (residual.trace_factor - residual.factor) * value.diagonal().mean();
  return step;
}

/// Points S with their residuals, the latest last.
class History {
 public:
  void add(Row at, Row residual) {
    if (points_.size() > most_differences) points_.pop_front();
    points_.push_back({std::move(at), std::move(residual)});
  }
  void clear() { points_.clear(); }

  /// The step from the last point.
  Matrix step(const Residual& residual) const {
    const Index dim = residual.value.rows();
    const auto differences = static_cast<Index>(points_.size()) - 1;
    if (differences < 1) return plain_step(residual);
    Eigen::MatrixXd moves(points_.back().at.size(), differences), changes(points_.back().at.size(), differences);
    for (Index k = 0; k < differences; ++k) {
      const auto& before = points_[static_cast<std::size_t>(k)];
      const auto& after = points_[static_cast<std::size_t>(k + 1)];
      moves.col(k) = (after.at - before.at).transpose();
      changes.col(k) = (after.residual - before.residual).transpose();
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(changes);
    solver.setThreshold(1e-13);
    const Eigen::VectorXd back = solver.solve(points_.back().residual.transpose());
    const Row unexplained = points_.back().residual - (changes * back).transpose();
    return scaled_step(residual, unflatten(unexplained, dim)) - unflatten((moves * back).transpose(), dim);
  }

 private:
  static constexpr std::size_t most_differences = 10;
  struct Point {
    Row at;
    Row residual;
  };
  std::deque<Point> points_;
};

double root_mean_square(const Matrix& step) {
  return step.norm() / std::sqrt(static_cast<double>(step.rows()));
}

}  // namespace

Matrix plain_step(const Residual& residual) {
  return scaled_step(residual, residual.value);
}

SearchResult search(Index dim, const std::function<Residual(const Exponential&)>& residual,
                    const SearchLimits& limits) {
  constexpr double longest_step = 2, smallest_shrink = 0x1p-10;
  SearchResult result;
  Matrix log = Matrix::Zero(dim, dim), best_log = log;
  Residual best;
  double best_size = std::numeric_limits<double>::infinity(), shrink = 1;
  History history;
  for (;;) {
    const Exponential candidate = exponential(log);
    const Residual found = residual(candidate);
    const double size = found.value.norm();
    if (result.iterations == 0 && !std::isfinite(size))
      throw NumericalFailure("the matrices are too far apart for a mean in double precision");
    const Matrix plain = plain_step(found);
    result.step = root_mean_square(plain);
    ++result.iterations;
    result.converged = result.step <= std::max(limits.tolerance, found.noise) || shrink < smallest_shrink;
    result.given_up = result.iterations == limits.trial && result.step > limits.trial_step;
    if (result.converged || result.given_up || result.iterations >= limits.iterations) {
      result.factor = candidate.root * exponential(plain).root;
      return result;
    }
    Matrix step;
    if (!(size <= 2 * best_size)) {
      history.clear();
      history.add(coordinates_of(best_log), coordinates_of(best.value));
      shrink /= 2;
      log = best_log;
      step = shrink * plain_step(best);
    } else {
      history.add(coordinates_of(log), coordinates_of(found.value));
      step = history.step(found);
      if (!step.allFinite()) step = plain;
      if (size < best_size) {
        best_size = size;
        best_log = log;
        best = found;
        shrink = 1;
      }
    }
    log += step * std::min(1.0, longest_step / root_mean_square(step));
  }
}

}  // namespace dsk::detail

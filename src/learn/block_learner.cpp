#include "learn/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "machine/interrupt.hpp"

namespace dsk::detail {
namespace {

constexpr Index first_sample = 8;      ///< blocks
constexpr Index for_theta = 32;        ///< blocks that theta is chosen on
constexpr Index least_sample = 4;      ///< of the largest sample
constexpr Index most_repeated = 64;    ///< blocks of a training set that has fewer, so that matrices are drawn again
constexpr Index least_evaluated = 16;  ///< blocks
/// Of twice the blocks, in standard errors of the objective: then the sample does not limit what is learned.
constexpr double enough_gain = 0.05;

/// Of a single value nothing is known.
double error_of_mean(const Eigen::VectorXd& values) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(values.size());
  return std::sqrt((values.array() - values.mean()).square().sum() / (count - 1) / count);
}

/// What is wrong with extrapolating by one over the number of matrices, judged by the power of it that blocks, their
/// halves and their quarters show. A block is `share` of all matrices.
double extrapolation_error(const Eigen::Vector3d& means, double share) {
  constexpr double smallest_power = 0.25, largest_power = 4;
  const double step = means[1] - means[0];
  if (step == 0) return 0;
  const double ratio = (means[2] - means[1]) / step;
  const double power = std::clamp(ratio > 0 ? std::log2(ratio) : smallest_power, smallest_power, largest_power);
  return step * ((1 - std::pow(share, power)) / (std::exp2(power) - 1) - (1 - share));
}

}  // namespace

/// Some matrices of a block, ready for a criterion.
class BlockLearner::Part {
 public:
  Part(const BlockProblem& problem, const SearchMaker& search, std::span<const Index> indices)
      : data_(transformed(problem, indices)),
        search_(search(data_.matrices())),
        composition_(problem.criterion, data_, *search_, problem.pairs) {}

  TransformSearch& search() { return *search_; }
  Composition& composition() { return composition_; }

  static Dataset transformed(const BlockProblem& problem, std::span<const Index> indices) {
    Dataset part = problem.train.select(indices);
    return problem.before.is_identity()
               ? part
               : part.with_matrices(problem.before.apply(part.matrices(), problem.pairs.threads));
  }

 private:
  Dataset data_;
  std::unique_ptr<TransformSearch> search_;
  Composition composition_;
};

BlockLearner::BlockLearner(const BlockProblem& problem)
    : problem_(problem), blocks_(problem.train.labels(), problem.size, problem.seed) {}

Index BlockLearner::most_blocks() const {
  const Index once = problem_.train.size() / problem_.size;
  return std::max(least_sample, std::min(once * once, std::max(once, most_repeated)));
}

SpdBatch BlockLearner::some_matrices() {
  blocks_.draw(1);
  return Part::transformed(problem_, blocks_[0]).matrices();
}

template <class Visitor>
bool BlockLearner::visit_parts(const SearchMaker& search, Index block, int halvings, const Visitor& visit) const {
  const Index parts = Index{1} << halvings;
  for (Index p = 0; p < parts; ++p) {
    check_interrupt();
    const Index first = p * problem_.size / parts, last = (p + 1) * problem_.size / parts;
    const auto indices =
        blocks_[block].subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    try {
      Part part(problem_, search, indices);
      if (!visit(part)) return false;
    } catch (const PairFailure& failure) {
      throw PairFailure(indices[static_cast<std::size_t>(failure.row())],
                        indices[static_cast<std::size_t>(failure.column())]);
    } catch (const NumericalFailure& failure) {
      throw NumericalFailure(fmt::format("in a random block: {}", failure.what()));
    }
  }
  return true;
}

template <class Visitor>
bool BlockLearner::visit_weighted(const SearchMaker& search, Index block, const Visitor& visit) const {
  const double beyond = extrapolation_factor(problem_.size, problem_.train.size());
  return visit_parts(search, block, 0, [&](Part& part) { return visit(part, 1 + beyond); }) &&
         (beyond == 0 || visit_parts(search, block, 1, [&](Part& part) { return visit(part, -beyond / 2); }));
}

Matrix BlockLearner::values(const SearchMaker& search, std::span<const double> thetas, std::span<const double> cs) {
  const Index count = std::min(for_theta, most_blocks());
  blocks_.draw(count);
  Matrix sum = Matrix::Zero(std::ssize(thetas), std::ssize(cs));
  for (Index b = 0; b < count; ++b)
    visit_weighted(search, b, [&](Part& part, double factor) {
      part.search().apply(part.search().start(), part.composition().pairs());
      sum += factor * part.composition().values(thetas, cs);
      return true;
    });
  return sum / static_cast<double>(count);
}

double BlockLearner::objective(const SearchMaker& search, const DescentStart& start, double penalty, Index count,
                               const Eigen::VectorXd& point, Eigen::VectorXd& gradient,
                               Eigen::VectorXd& by_block) const {
  by_block = Eigen::VectorXd::Zero(count);
  Eigen::VectorXd gradients = Eigen::VectorXd::Zero(point.size());
  for (Index b = 0; b < count; ++b) {
    const bool finite = visit_weighted(search, b, [&](Part& part, double factor) {
      const double value = Descent(part.composition(), part.search(), start, penalty)(point, gradient);
      by_block[b] += factor * value;
      gradients += factor * gradient;
      return std::isfinite(value);
    });
    if (!finite) return std::numeric_limits<double>::infinity();
  }
  gradient = gradients / static_cast<double>(count);
  return by_block.mean();
}

std::pair<Eigen::VectorXd, Fit> BlockLearner::descend(const SearchMaker& search, const DescentStart& start,
                                                      double penalty, const DescentLimits& limits) {
  blocks_.draw(1);
  Part any(problem_, search, blocks_[0]);
  const Descent descent(any.composition(), any.search(), start, penalty);
  Eigen::VectorXd point = descent.start();
  Fit fit{.stop = Fit::Stop::iteration_limit, .history = {start.value}, .blocks = Fit::Blocks{.size = problem_.size}};
  const Index most = most_blocks(), first = std::min(first_sample, most);
  for (Index count = first;; count = std::min(2 * count, most)) {
    blocks_.draw(count);
    fit.blocks->learned_on = count;
    double value_at_start = std::numeric_limits<double>::quiet_NaN();
    Eigen::VectorXd by_block;
    const auto function = [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
      const double value = objective(search, start, penalty, count, at, gradient, by_block);
      if (std::isnan(value_at_start)) {
        value_at_start = value;
        if (count == first && std::isfinite(value)) fit.history.front() = descent.objective(value);
      }
      return value;
    };
    const auto keep = [&](const Eigen::VectorXd&, double value, double gradient_norm) {
      fit.history.push_back(descent.objective(value));
      return !limits.on_iteration || limits.on_iteration({static_cast<int>(fit.history.size()) - 1, fit.history.back(),
                                                          std::abs(descent.objective(gradient_norm))});
    };
    const Minimum best = minimise(function, point,
                                  {.max_iterations = limits.max_iterations - fit.iterations,
                                   .tolerance = limits.tolerance,
                                   .on_iteration = keep});
    fit.stop = best.stop;
    fit.iterations += best.iterations;
    fit.evaluations += best.evaluations;
    point = best.point;
    if (fit.iterations > 0 && std::isfinite(best.value)) fit.history.back() = descent.objective(best.value);
    const bool has_settled = count > first && value_at_start - best.value <=
                                                  std::max(limits.tolerance, enough_gain * error_of_mean(by_block));
    if (best.stop == Fit::Stop::cancelled || fit.iterations >= limits.max_iterations || count == most || has_settled)
      break;
  }
  return {point, std::move(fit)};
}

Eigen::Vector3d BlockLearner::means_of_parts(const SearchMaker& search, Index block, const Eigen::VectorXd& parameters,
                                             double theta) const {
  Eigen::Vector3d means = Eigen::Vector3d::Zero();
  const double c = 0;
  for (int halvings = 0; halvings < 3; ++halvings)
    visit_parts(search, block, halvings, [&](Part& part) {
      part.search().apply(parameters, part.composition().pairs());
      means[halvings] +=
          part.composition().values(std::span(&theta, 1), std::span(&c, 1))(0, 0) / std::ldexp(1, halvings);
      return true;
    });
  return means;
}

void BlockLearner::evaluate(const SearchMaker& search, const Eigen::VectorXd& parameters, double theta, Fit& fit) {
  if (!fit.blocks) fit.blocks = Fit::Blocks{.size = problem_.size, .learned_on = std::min(for_theta, most_blocks())};
  const Index count = std::max(least_evaluated, fit.blocks->learned_on);
  blocks_.start_again();
  blocks_.draw(count);
  Matrix means(3, count);
  Index evaluated = 0;
  std::exception_ptr failure;
  for (Index b = 0; b < count; ++b) {
    try {
      means.col(evaluated) = means_of_parts(search, b, parameters, theta);
      ++evaluated;
    } catch (const NumericalFailure&) {
      failure = std::current_exception();
    }
  }
  if (evaluated == 0) std::rethrow_exception(failure);
  means.conservativeResize(3, evaluated);
  const double beyond = extrapolation_factor(problem_.size, problem_.train.size());
  const Eigen::VectorXd values = (1 + beyond) * means.row(0) - beyond * means.row(1);
  const double share = static_cast<double>(problem_.size) / static_cast<double>(problem_.train.size());
  fit.criterion = values.mean();
  fit.blocks->evaluated_on = evaluated;
  fit.blocks->failed = count - evaluated;
  fit.blocks->standard_error = std::hypot(error_of_mean(values), extrapolation_error(means.rowwise().mean(), share));
}

}  // namespace dsk::detail

// How far different ways to optimise a criterion come, and in what processor time: each request is answered by one
// line.

#include <dsk/files.hpp>
#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "joint_search.hpp"
#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "learn/objective.hpp"
#include "measure.hpp"

namespace {

using dsk::Index;
using dsk::Matrix;
using dsk::bench::JointSearch;
using dsk::bench::relative_penalty;
using dsk::bench::subspace_penalty;
using dsk::bench::valid_thetas;
using dsk::detail::Descent;
using dsk::detail::DescentStart;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr int restarts = 4;
constexpr double perturbation = 0.5;

/// The best objective so far after each evaluation, and when.
struct Trace {
  std::vector<std::pair<double, double>> steps = {};
  double theta = 0;  ///< at the end
  double begin = processor_seconds();

  void add(double objective) {
    const double best = steps.empty() ? objective : std::max(objective, steps.back().second);
    steps.emplace_back(processor_seconds() - begin, best);
  }
  double at(double seconds) const {
    double found = -std::numeric_limits<double>::infinity();
    for (const auto& [when, objective] : steps)
      if (when <= seconds) found = objective;
    return found;
  }
};

using Function = dsk::detail::DifferentiableFunction;

Function traced(const Descent& descent, Trace& trace) {
  return [&](const Eigen::VectorXd& point, Eigen::VectorXd& gradient) {
    const double value = descent(point, gradient);
    if (std::isfinite(value)) trace.add(descent.objective(value));
    return value;
  };
}

dsk::detail::Minimum minimised(const Function& function, const Eigen::VectorXd& start) {
  return dsk::detail::minimise(function, start, {.max_iterations = 100, .tolerance = 1e-5});
}

Trace from_perturbed_starts(const Descent& descent) {
  Trace trace;
  const Function function = traced(descent, trace);
  trace.theta = descent.origin().theta;
  minimised(function, descent.start());
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, perturbation);
  for (int k = 0; k < restarts; ++k)
    minimised(function, descent.start().unaryExpr([&](double x) { return x + normal(random); }));
  return trace;
}

/// Second derivatives by differences of gradients, symmetric.
Eigen::MatrixXd second_derivatives(const Function& function, const Eigen::VectorXd& point,
                                   const Eigen::VectorXd& gradient) {
  constexpr double step = 1e-4;
  Eigen::MatrixXd second(point.size(), point.size());
  Eigen::VectorXd shifted;
  for (Index k = 0; k < point.size(); ++k) {
    function(point + step * Eigen::VectorXd::Unit(point.size(), k), shifted);
    second.col(k) = (shifted - gradient) / step;
  }
  return (second + second.transpose()) / 2;
}

/// L-BFGS in coordinates in which the second derivatives at the start are the unit matrix but for signs.
Trace preconditioned(const Descent& descent) {
  Trace trace;
  const Function function = traced(descent, trace);
  const Eigen::VectorXd start = descent.start();
  Eigen::VectorXd at_start;
  trace.theta = descent.origin().theta;
  if (!std::isfinite(function(start, at_start))) return trace;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(second_derivatives(function, start, at_start));
  const Eigen::VectorXd sizes = solver.eigenvalues().cwiseAbs();
  const Eigen::VectorXd scales = sizes.cwiseMax(1e-3 * sizes.maxCoeff()).cwiseInverse().cwiseSqrt();
  const Eigen::MatrixXd map = solver.eigenvectors() * scales.asDiagonal();
  minimised(
      [&](const Eigen::VectorXd& point, Eigen::VectorXd& gradient) {
        const double value = function(start + map * point, gradient);
        gradient = (map.transpose() * gradient).eval();
        return value;
      },
      Eigen::VectorXd::Zero(start.size()));
  return trace;
}

/// The step no longer than `radius` that leads to the smallest value of the quadratic model.
Eigen::VectorXd model_step(const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& second,
                           const Eigen::VectorXd& gradient, double radius) {
  const Eigen::VectorXd turned = second.eigenvectors().transpose() * gradient;
  const auto step = [&](double shift) -> Eigen::VectorXd {
    return -(turned.array() / (second.eigenvalues().array() + shift)).matrix();
  };
  const double least = std::max(0.0, -second.eigenvalues()[0]) + 1e-9 * second.eigenvalues().cwiseAbs().maxCoeff();
  double low = least, high = least + turned.norm() / radius;
  if (step(low).norm() > radius)
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      (step(middle).norm() > radius ? low : high) = middle;
    }
  else
    high = low;
  return second.eigenvectors() * step(high);
}

/// Newton's method in a trust region, with the second derivatives of every new point.
Trace in_trust_region(const Descent& descent) {
  constexpr int most_steps = 20;
  constexpr double tolerance = 1e-5;
  Trace trace;
  const Function function = traced(descent, trace);
  trace.theta = descent.origin().theta;
  Eigen::VectorXd point = descent.start(), gradient, next;
  double value = function(point, gradient), radius = 1;
  if (!std::isfinite(value)) return trace;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> second(second_derivatives(function, point, gradient));
  for (int k = 0; k < most_steps && radius > tolerance; ++k) {
    const Eigen::VectorXd step = model_step(second, gradient, radius);
    const double expected =
        -(gradient.dot(step) + (second.eigenvectors().transpose() * step).cwiseAbs2().dot(second.eigenvalues()) / 2);
    const double found = function(point + step, next), gain = value - found;
    const bool good = std::isfinite(found) && gain > 0.1 * expected && gain > 0;
    if (!(std::isfinite(found) && gain > 0.25 * expected)) radius = step.norm() / 4;
    if (good && gain > 0.75 * expected && step.norm() > 0.9 * radius) radius *= 2;
    if (!good) continue;
    point += step;
    value = found;
    gradient = next;
    if (gain <= tolerance * std::max(1.0, std::abs(value))) break;
    second.compute(second_derivatives(function, point, gradient));
  }
  return trace;
}

Trace plain_descent(const Descent& descent) {
  Trace trace;
  trace.theta = descent.theta(minimised(traced(descent, trace), descent.start()).point);
  return trace;
}

/// theta and eigenvalues by turns, with valid thetas only.
Trace by_turns(dsk::detail::Composition& composition, dsk::detail::EigenvalueSearch& search, DescentStart start,
               double penalty, Index dim) {
  Trace trace;
  Eigen::VectorXd point = search.start();
  const std::vector<double> thetas = valid_thetas(dim), cs{0};
  for (int turn = 0; turn < 4; ++turn) {
    const Descent descent(composition, search, start, penalty);
    point = minimised(traced(descent, trace), point).point;
    search.apply(point, composition.pairs());
    const Matrix values = composition.values(thetas, cs);
    Index best = 0;
    values.col(0).maxCoeff(&best);
    trace.theta = start.theta;
    start.theta = thetas[static_cast<std::size_t>(best)];
  }
  return trace;
}

nlohmann::json row(const char* name, const Trace& trace, const Trace& today) {
  if (trace.steps.empty()) throw dsk::NumericalFailure(std::string(name) + " finds no finite value");
  const auto [seconds, best] = trace.steps.back();
  return {{"name", name},
          {"objective", best},
          {"seconds", seconds},
          {"theta", trace.theta},
          {"evaluations", trace.steps.size()},
          {"in_the_same_time", trace.at(today.steps.back().first)}};
}

/// Eigenvalues alone.
nlohmann::json adjusting(const dsk::Dataset& train, dsk::Criterion criterion) {
  const dsk::PairOptions one{.threads = 1};
  const dsk::PlainKernel plain = dsk::best_plain_kernel(train, {.criterion = criterion, .pairs = one});
  dsk::detail::EigenvalueSearch search(train.matrices(), 1);
  auto first = dsk::EigenvalueAdjustment::none(train.dim(), dsk::Adjustment::affine);
  first.centre = search.log_eigenvalues().colwise().mean().transpose();
  search.set_first(first);
  dsk::detail::Composition composition(dsk::detail::row_of(criterion), train, search, one);
  const double penalty = relative_penalty * std::abs(plain.value);
  const DescentStart start{.theta = plain.theta, .value = plain.value};
  DescentStart with_theta = start;
  with_theta.free_theta = true;
  const Descent descent(composition, search, start, penalty), joint(composition, search, with_theta, penalty);
  const Trace today = plain_descent(descent);
  return {row("theta, then eigenvalues", today, today),
          row("theta and eigenvalues together", plain_descent(joint), today),
          row("theta and eigenvalues by turns", by_turns(composition, search, start, penalty, train.dim()), today),
          row("four more starts", from_perturbed_starts(descent), today),
          row("second derivatives first", preconditioned(descent), today),
          row("trust region", in_trust_region(descent), today)};
}

/// A subspace, then eigenvalues there, and both together.
nlohmann::json projecting(const dsk::Dataset& train, dsk::Criterion criterion, Index components) {
  const dsk::PairOptions one{.threads = 1};
  const dsk::SubspaceOptions options{.criterion = criterion, .penalty = subspace_penalty, .pairs = one};
  const dsk::SubspaceLearner learner(train, options);
  const dsk::SpdBatch whitened = project(train.matrices(), dsk::Projection{learner.whitening()}, 1);
  const Matrix back = learner.whitening().inverse();
  const Matrix first = back * learner.start(components).w;

  Trace apart;
  std::vector<double> history;
  dsk::SubspaceOptions watched = options;
  watched.on_iteration = [&](const dsk::Fit::Iteration& iteration) {
    apart.add(iteration.objective);
    return true;
  };
  const dsk::Subspace subspace = dsk::SubspaceLearner(train, watched).learn(components);
  const double moved = subspace_penalty * (back * subspace.projection.w - first).squaredNorm();
  const dsk::Dataset projected = train.with_matrices(project(train.matrices(), subspace.projection, 1));
  const double unit = std::abs(subspace.fit.criterion);
  dsk::FitOptions fitting{.criterion = criterion, .penalty = relative_penalty * unit, .pairs = one};
  fitting.on_iteration = [&](const dsk::Fit::Iteration& iteration) {
    apart.add(iteration.objective - moved);
    return true;
  };
  apart.theta = fit_kernel(projected, fitting).kernel.theta();

  JointSearch search(whitened, first, relative_penalty * unit);
  dsk::detail::Composition composition(dsk::detail::row_of(criterion), train.with_matrices(whitened), search, one);
  search.apply(search.start(), composition.pairs());
  const double theta =
      dsk::fit_kernel(train.with_matrices(project(whitened, dsk::Projection{first}, 1)),
                      {.criterion = criterion, .penalty = std::numeric_limits<double>::infinity(), .pairs = one})
          .kernel.theta();
  const double value = composition.gradient(theta, 0).value;
  const Descent descent(composition, search, {.theta = theta, .value = value, .free_theta = true}, subspace_penalty);
  return {row("W, then theta and eigenvalues", apart, apart),
          row("W, theta and eigenvalues together", plain_descent(descent), apart)};
}

nlohmann::json answer(const nlohmann::json& request) {
  const dsk::Dataset train = dsk::load(request.at("file").get<std::string>());
  const dsk::Criterion criterion = dsk::parse_criterion(request.at("criterion").get<std::string>());
  nlohmann::json rows = adjusting(train, criterion);
  if (const Index components = request.value("components", Index{0}); components > 0)
    for (const auto& one : projecting(train, criterion, components)) rows.push_back(one);
  return {{"n", train.size()}, {"d", train.dim()}, {"rows", rows}};
}

}  // namespace

int main() {
  return dsk::bench::answer_requests(answer);
}

#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

/// J = R^2 |w|^2, dJ/dK = |w|^2 (diag(beta) - beta beta') - R^2 (eta t)(eta t)', dJ/dC = -tr(dJ/dK) / C^2.
MarginTerm evaluate_radius_margin(const ClassPair& pair, const MarginTerm* similar) {
  MarginTerm term;
  term.margin = solve_margin(pair.soft_kernel, pair.signs, std::numeric_limits<double>::infinity(),
                             similar != nullptr ? &similar->margin : nullptr);
  term.ball = solve_ball(pair.soft_kernel, similar != nullptr ? &similar->ball : nullptr);
  const double squared_norm = term.margin.squared_norm, squared_radius = term.ball.squared_radius;
  const Eigen::VectorXd& eta = term.margin.eta;
  const Eigen::VectorXd& beta = term.ball.beta;
  term.value = squared_radius * squared_norm;
  term.factor[0] = -squared_norm;
  term.vector[0] = beta;
  term.factor[1] = -squared_radius;
  term.vector[1] = eta.cwiseProduct(Eigen::Map<const Eigen::VectorXi>(pair.signs.data(), eta.size()).cast<double>());
  term.by_log_c = -(squared_norm * (beta.sum() - beta.squaredNorm()) - squared_radius * eta.squaredNorm()) / pair.c;
  return term;
}

}  // namespace

std::unique_ptr<Objective> radius_margin(const Classes& classes, const PairOptions& options) {
  return std::make_unique<MarginObjective>(evaluate_radius_margin, classes, options);
}

}  // namespace dsk::detail

#include "learn/objective.hpp"

namespace dsk::detail {
namespace {

/// J = tr S_T |w|^2 with tr S_T = tr K~ - 1'K~1/l, dJ/dK = |w|^2 (I - 11'/l) - tr S_T (eta t)(eta t)'.
MarginTerm evaluate_trace_margin(const ClassPair& pair, const MarginTerm* similar) {
  MarginTerm term;
  term.margin = solve_margin(pair.soft_kernel, pair.signs, std::numeric_limits<double>::infinity(),
                             similar != nullptr ? &similar->margin : nullptr);
  const Eigen::VectorXd& eta = term.margin.eta;
  const auto size = static_cast<double>(eta.size());
  const double squared_norm = term.margin.squared_norm;
  const double scatter = pair.soft_kernel.trace() - pair.soft_kernel.sum() / size;
  term.value = scatter * squared_norm;
  term.factor[0] = -squared_norm / size;
  term.vector[0] = Eigen::VectorXd::Ones(eta.size());
  term.factor[1] = -scatter;
  term.vector[1] = eta.cwiseProduct(Eigen::Map<const Eigen::VectorXi>(pair.signs.data(), eta.size()).cast<double>());
  term.by_log_c = -(squared_norm * (size - 1) - scatter * eta.squaredNorm()) / pair.c;
  return term;
}

}  // namespace

std::unique_ptr<Objective> trace_margin(const Classes& classes, const PairOptions& options) {
  return std::make_unique<MarginObjective>(evaluate_trace_margin, classes, options);
}

}  // namespace dsk::detail

#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <cmath>

#include "kernel/kernel.hpp"
#include "learn/minimise.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

const SubspaceOptions& checked(const SubspaceOptions& options) {
  if (!is_learnable(options.metric))
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned; use one of {}", name(options.metric),
                                   learnable_metric_choices()));
  if (has_soft_margin(options.criterion))
    throw InvalidInput(
        fmt::format("criterion {} cannot learn a subspace; use alignment, separability, centred or "
                    "neighbour",
                    name(options.criterion)));
  if (options.theta && !(*options.theta > 0 && std::isfinite(*options.theta)))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", *options.theta));
  if (!(options.penalty >= 0 && std::isfinite(options.penalty)))
    throw InvalidInput(fmt::format("penalty {} must be finite and 0 or more", options.penalty));
  if (options.max_iterations < 0)
    throw InvalidInput(fmt::format("max_iterations {} must be 0 or more", options.max_iterations));
  if (!(options.tolerance >= 0)) throw InvalidInput(fmt::format("tolerance {} must be 0 or more", options.tolerance));
  return options;
}

Dataset whitened_by(const Matrix& whitening, const Dataset& train, int threads) {
  return train.with_matrices(project(train.matrices(), Projection{whitening}, threads));
}

/// The eigenvectors of sum_c L_c^2, the largest eigenvalues first, with signs that do not depend on the solver.
Matrix class_directions(const Dataset& whitened, int threads) {
  const detail::Classes classes(whitened);
  const auto weight = [&](Index i) {
    return classes.weights.empty() ? 1 : classes.weights[static_cast<std::size_t>(i)];
  };
  const MatrixStack logs = detail::spectral_function(detail::SpectralFunction::logarithm, whitened.matrices(), threads);
  const Index dim = whitened.dim();
  std::vector<Matrix> means;
  Matrix centre = Matrix::Zero(dim, dim);
  for (const std::vector<Index>& members : classes.members) {
    Matrix& mean = means.emplace_back(Matrix::Zero(dim, dim));
    double whole = 0;
    for (const Index i : members) {
      mean += weight(i) * logs[i];
      whole += weight(i);
    }
    mean /= whole;
    centre += mean / static_cast<double>(classes.count());
  }
  Matrix spread = Matrix::Zero(dim, dim);
  for (const Matrix& mean : means) spread += (mean - centre) * (mean - centre);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(spread);
  Matrix directions = solver.eigenvectors().rowwise().reverse();
  for (Index k = 0; k < dim; ++k) {
    Index largest = 0;
    directions.col(k).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, k) < 0) directions.col(k) *= -1;
  }
  return directions;
}

/// Twice the inverse of the median divergence of different matrices.
double first_theta(const SpdBatch& z, const SubspaceOptions& options) {
  const LearnedKernel plain = LearnedKernel::plain(z.dim(), 1, options.metric, options.zeta);
  const double median = detail::typical_divergence(plain, z, options.pairs.threads);
  return median > 0 ? 2 / median : 1;
}

bool is_alignment(Criterion criterion) {
  return criterion == Criterion::alignment || criterion == Criterion::centred;
}

}  // namespace

SubspaceLearner::SubspaceLearner(const Dataset& train, const SubspaceOptions& options)
    : SubspaceLearner(train, options,
                      mean(train.matrices(), {.weights = train.weights(), .threads = options.pairs.threads}).matrix) {}

SubspaceLearner::SubspaceLearner(const Dataset& train, const SubspaceOptions& options, const Matrix& mean)
    : options_(checked(options)),
      whitening_(detail::whitening_of(mean)),
      whitened_(whitened_by(whitening_, train, options.pairs.threads)),
      directions_(class_directions(whitened_, options.pairs.threads)) {}

void SubspaceLearner::check_components(Index components) const {
  if (components < 1 || components > whitened_.dim())
    throw InvalidInput(fmt::format("a subspace of matrices of size {} has 1 to {} components, not {}", whitened_.dim(),
                                   whitened_.dim(), components));
}

Projection SubspaceLearner::start(Index components) const {
  check_components(components);
  if (components == whitened_.dim() && options_.metric == Metric::stein) return {whitening_};
  return {whitening_ * directions_.leftCols(components)};
}

Subspace SubspaceLearner::learn(Index components) const {
  const Projection first = start(components);
  const PairOptions& pairs = options_.pairs;
  // S does not change with an invertible W: there is nothing to learn.
  if (components == whitened_.dim() && options_.metric == Metric::stein)
    return {first, options_.theta.value_or(first_theta(whitened_.matrices(), options_)), {}};

  detail::ProjectionSearch search(whitened_.matrices(), directions_.leftCols(components), pairs.threads,
                                  {.metric = options_.metric, .zeta = options_.zeta});
  detail::Composition composition(detail::row_of(options_.criterion), whitened_, search, pairs);
  const SpdBatch projected = project(whitened_.matrices(), Projection{directions_.leftCols(components)}, pairs.threads);
  const double theta = options_.theta.value_or(first_theta(projected, options_));
  search.apply(search.start(), composition.pairs());
  const double value = composition.values(std::span(&theta, 1), std::vector<double>{0})(0, 0);
  if (!std::isfinite(value))
    throw detail::UndefinedForData(
        fmt::format("criterion {} is not finite: are all matrices of each class equal?", name(options_.criterion)));
  const double unit = is_alignment(options_.criterion) ? 1 : std::abs(value);
  const detail::Descent descent(composition, search, {.theta = theta, .value = value, .free_theta = !options_.theta},
                                options_.penalty * unit);
  if (options_.max_iterations == 0) return {first, theta, {.history = {value}, .criterion = value}};
  const auto [point, fit] = descend(descent, options_.max_iterations, options_.tolerance, options_.on_iteration);
  const Transform found = search.at(descent.parameters(point));
  return {{whitening_ * std::get<Projection>(found.steps().front()).w}, descent.theta(point), fit};
}

}  // namespace dsk

#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/kernel.hpp"
#include "learn/blocks.hpp"
#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

const SubspaceOptions& checked(const SubspaceOptions& options) {
  if (!is_learnable(options.metric))
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned; use one of {}", name(options.metric),
                                   learnable_metric_choices()));
  if (has_soft_margin(options.criterion))
    throw InvalidInput(fmt::format("criterion {} cannot learn a subspace; use one of {}", name(options.criterion),
                                   pair_criterion_choices()));
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

/// The eigenvectors of sum_c L_c^2, the largest eigenvalues first, with signs that do not depend on the solver. Takes
/// `part` matrices at a time, and does `before` to them first.
Matrix class_directions(const Dataset& train, const Transform& before, Index part, int threads) {
  const detail::Classes classes(train);
  const Index dim = train.dim();
  std::vector<Matrix> means(static_cast<std::size_t>(classes.count()), Matrix::Zero(dim, dim));
  std::vector<double> wholes(means.size(), 0);
  for (Index first = 0; first < train.size(); first += part) {
    const SpdBatch some = detail::run_of(train.matrices(), first, std::min(part, train.size() - first));
    const MatrixStack logs =
        detail::spectral_function(detail::SpectralFunction::logarithm, before.apply(some, threads), threads);
    for (Index i = 0; i < logs.count; ++i) {
      const double weight = classes.weights.empty() ? 1 : classes.weights[static_cast<std::size_t>(first + i)];
      const auto c = static_cast<std::size_t>(classes[first + i]);
      means[c] += weight * logs[i];
      wholes[c] += weight;
    }
  }
  Matrix centre = Matrix::Zero(dim, dim);
  for (std::size_t c = 0; c < means.size(); ++c) {
    means[c] /= wholes[c];
    centre += means[c] / static_cast<double>(classes.count());
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

bool learns_in_blocks(const Dataset& train, const SubspaceOptions& options) {
  detail::check_blocks(options.batch, options.criterion, train, options.pairs);
  return detail::learns_by_blocks(options.batch, train);
}

bool is_alignment(Criterion criterion) {
  return criterion == Criterion::alignment || criterion == Criterion::centred;
}

/// What the penalty is relative to, given the criterion's value at the start, which must be finite.
double penalty_unit(Criterion criterion, double value) {
  if (!std::isfinite(value))
    throw detail::UndefinedForData(
        fmt::format("criterion {} is not finite: are all matrices of each class equal?", name(criterion)));
  return is_alignment(criterion) ? 1 : std::abs(value);
}

}  // namespace

SubspaceLearner::SubspaceLearner(const Dataset& train, const SubspaceOptions& options)
    : SubspaceLearner(train, options,
                      mean(train.matrices(), {.weights = train.weights(), .threads = options.pairs.threads})) {}

SubspaceLearner::SubspaceLearner(const Dataset& train, const SubspaceOptions& options, const Mean& mean)
    : options_(checked(options)),
      mean_stop_(mean.stop),
      whitening_(detail::whitening_of(mean.matrix)),
      by_blocks_(learns_in_blocks(train, options)),
      train_(by_blocks_ ? train : whitened_by(whitening_, train, options.pairs.threads)),
      directions_(class_directions(train_, before(), by_blocks_ ? detail::part_of_blocks(options.batch) : train.size(),
                                   options.pairs.threads)) {}

Transform SubspaceLearner::before() const {
  return by_blocks_ ? Transform(Projection{whitening_}) : Transform();
}

void SubspaceLearner::check_components(Index components) const {
  if (components < 1 || components > train_.dim())
    throw InvalidInput(fmt::format("a subspace of matrices of size {} has 1 to {} components, not {}", train_.dim(),
                                   train_.dim(), components));
}

bool SubspaceLearner::is_whole(Index components) const {
  return components == train_.dim() && options_.metric == Metric::stein;
}

Projection SubspaceLearner::start(Index components) const {
  check_components(components);
  if (is_whole(components)) return {whitening_};
  return {whitening_ * directions_.leftCols(components)};
}

Subspace SubspaceLearner::learn(Index components) const {
  Subspace found = by_blocks_ && !is_whole(components) ? learn_by_blocks(components) : learn_pairs(components);
  found.fit.mean_stop = mean_stop_;
  return found;
}

Subspace SubspaceLearner::learn_pairs(Index components) const {
  const Projection first = start(components);
  const PairOptions& pairs = options_.pairs;
  if (is_whole(components)) return {first, options_.theta.value_or(first_theta(train_.matrices(), options_)), {}};
  detail::ProjectionSearch search(train_.matrices(), directions_.leftCols(components), pairs.threads,
                                  {.metric = options_.metric, .zeta = options_.zeta});
  detail::Composition composition(detail::row_of(options_.criterion), train_, search, pairs);
  const double theta = options_.theta.value_or(first_theta(search.projected(), options_));
  search.apply(search.start(), composition.pairs());
  const double value = composition.values(std::span(&theta, 1), std::vector<double>{0})(0, 0);
  const double unit = penalty_unit(options_.criterion, value);
  const detail::Descent descent(composition, search, {.theta = theta, .value = value, .free_theta = !options_.theta},
                                options_.penalty * unit);
  if (options_.max_iterations == 0) return {first, theta, {.history = {value}, .criterion = value}};
  const auto [point, fit] = descend(descent, options_.max_iterations, options_.tolerance, options_.on_iteration);
  const Transform found = search.at(descent.parameters(point));
  return {{whitening_ * std::get<Projection>(found.steps().front()).w}, descent.theta(point), fit};
}

Subspace SubspaceLearner::learn_by_blocks(Index components) const {
  detail::BlockLearner learner({.criterion = detail::row_of(options_.criterion),
                                .train = train_,
                                .before = before(),
                                .size = options_.batch,
                                .seed = options_.batch_seed,
                                .pairs = options_.pairs});
  const Matrix first = directions_.leftCols(components);
  const int threads = options_.pairs.threads;
  const detail::SearchMaker search = [&](const SpdBatch& x) -> std::unique_ptr<detail::TransformSearch> {
    return std::make_unique<detail::ProjectionSearch>(
        x, first, threads, detail::PairSpace{.metric = options_.metric, .zeta = options_.zeta});
  };
  const double theta =
      options_.theta.value_or(first_theta(project(learner.some_matrices(), Projection{first}, threads), options_));
  const std::vector<double> thetas{theta}, cs{0};
  const double value = learner.values(search, thetas, cs)(0, 0);
  const double unit = penalty_unit(options_.criterion, value);
  auto [point, fit] =
      learner.descend(search, {.theta = theta, .value = value, .free_theta = !options_.theta}, options_.penalty * unit,
                      {options_.max_iterations, options_.tolerance, options_.on_iteration});
  const double found_theta = options_.theta ? theta : std::exp(point[point.size() - 1]);
  learner.evaluate(search, point.head(first.size()), found_theta, fit);
  const Matrix w = Eigen::Map<const Matrix>(point.data(), first.rows(), first.cols());
  return {{whitening_ * w}, found_theta, std::move(fit)};
}

}  // namespace dsk

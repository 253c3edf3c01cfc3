#include <dsk/kernel.hpp>
#include <dsk/learn.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "learn/blocks.hpp"
#include "learn/fit_options.hpp"
#include "learn/learn.hpp"
#include "learn/minimise.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace {

/// A training set, all that its learning needs, and the best kernel without an adjustment.
struct PreparedFit {
  PreparedFit(const Dataset& train, const FitOptions& options)
      : search(train.matrices(), options.pairs.threads, detail::space_of(options)),
        composition(detail::row_of(options.criterion), train, search, options.pairs),
        logs(detail::mean_logs(search.log_eigenvalues(), train.weights())),
        unadjusted(detail::plain_adjustment(options, logs)) {
    search.set_first(unadjusted);
    search.apply_plain(composition.pairs());
    best = detail::search_plain_kernel([&](std::span<const double> thetas, std::span<const double> cs,
                                           double limit) { return composition.values_up_to(limit, thetas, cs); },
                                       detail::first_kernel(unadjusted, 1, options), train.matrices(), options);
  }

  detail::EigenvalueSearch search;
  detail::Composition composition;
  detail::MeanLogs logs;
  EigenvalueAdjustment unadjusted;
  PlainKernel best;
};

/// The criterion where the search starts. Throws NumericalFailure where that is out of the range of double.
double value_at(detail::Composition& composition, detail::EigenvalueSearch& search, const detail::DescentStart& start) {
  search.apply(search.start(), composition.pairs());
  return composition.gradient(start.theta, start.c).value;
}

/// Means over the whole training set, from some matrices at a time.
detail::MeanLogs mean_logs_in_parts(const Dataset& train, const Transform& before, Index part, int threads) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(before.result_dim(train.dim()));
  double whole = 0;
  for (Index first = 0; first < train.size(); first += part) {
    const Index count = std::min(part, train.size() - first);
    const SpdBatch some = before.apply(detail::run_of(train.matrices(), first, count), threads);
    const Matrix logs = eigen_decompose(some, threads).values.array().log();
    for (Index i = 0; i < count; ++i) {
      const double weight = train.weights().empty() ? 1 : train.weights()[static_cast<std::size_t>(first + i)];
      sum += weight * logs.row(i).transpose();
      whole += weight;
    }
  }
  const Eigen::VectorXd means = sum / whole;
  return {means, means.mean()};
}

/// Leaves the matrices as they are, whatever the parameters: to make them again of eigenvalues and eigenvectors takes
/// badly scaled ones out of the range of double.
class PlainSearch : public detail::EigenvalueSearch {
 public:
  using EigenvalueSearch::apply;
  using EigenvalueSearch::EigenvalueSearch;
  void apply(const Eigen::VectorXd&, PairSums& sweep) override { apply_plain(sweep); }
};

template <class Search>
detail::SearchMaker search_from(const EigenvalueAdjustment& first, const FitOptions& options) {
  return [first, threads = options.pairs.threads, space = detail::space_of(options)](const SpdBatch& x) {
    auto search = std::make_unique<Search>(x, threads, space);
    search->set_first(first);
    return std::unique_ptr<detail::TransformSearch>(std::move(search));
  };
}

/// As fit_kernel, over random blocks of the training set, and of what the steps before make of it.
LearnResult fit_by_blocks(const Dataset& train, const Transform& before, const FitOptions& options) {
  const Index dim = before.result_dim(train.dim());
  detail::check_options(options, dim);
  const int threads = options.pairs.threads;
  const detail::MeanLogs logs = mean_logs_in_parts(train, before, detail::part_of_blocks(options.batch), threads);
  detail::BlockLearner learner({.criterion = detail::row_of(options.criterion),
                                .train = train,
                                .before = before,
                                .size = options.batch,
                                .seed = options.batch_seed,
                                .pairs = options.pairs});
  const EigenvalueAdjustment unadjusted = detail::plain_adjustment(options, logs);
  const detail::SearchMaker plain_search = search_from<PlainSearch>(unadjusted, options);
  const PlainKernel plain =
      detail::search_plain_kernel([&](std::span<const double> thetas, std::span<const double> cs,
                                      double) { return learner.values(plain_search, thetas, cs); },
                                  detail::first_kernel(unadjusted, 1, options), learner.some_matrices(), options);
  const auto kernel = [&](const EigenvalueAdjustment& adjustment, double zeta) {
    return LearnedKernel(before, adjustment, plain.theta, options.metric, zeta);
  };
  if (std::isinf(options.penalty)) {
    Fit fit{.history = {plain.value}};
    learner.evaluate(plain_search, {}, plain.theta, fit);
    return {kernel(unadjusted, detail::first_zeta(options)), std::move(fit)};
  }
  const EigenvalueAdjustment first = detail::first_adjustment(options, logs);
  const detail::SearchMaker search = search_from<detail::EigenvalueSearch>(first, options);
  auto [point, fit] = learner.descend(search, {.theta = plain.theta, .value = plain.value}, options.penalty,
                                      {options.max_iterations, options.tolerance, options.on_iteration});
  detail::EigenvalueSearch any(learner.some_matrices(), threads, detail::space_of(options));
  any.set_first(first);
  const EigenvalueAdjustment found = any.adjustment(point);
  const bool is_plain = options.metric == Metric::stein && found.is_none();
  learner.evaluate(is_plain ? plain_search : search, point, plain.theta, fit);
  return {kernel(found, any.zeta(point)), std::move(fit)};
}

}  // namespace

namespace detail {

bool has_steps_before(const FitOptions& options) {
  return options.recentre || options.components != 0;
}

Transform fit_steps_before(const Dataset& train, const FitOptions& options, std::optional<Mean::Stop>* stop) {
  const Mean centre = mean(train.matrices(), {.weights = train.weights(), .threads = options.pairs.threads});
  if (stop != nullptr) *stop = centre.stop;
  if (options.components == 0) return Transform(Projection{whitening_of(centre.matrix)});
  // Learned in coordinates in which the mean is the unit matrix, a subspace is recentred already.
  const SubspaceLearner learner(train,
                                {.metric = options.metric,
                                 .zeta = first_zeta(options),
                                 .max_iterations = options.subspace_iterations,
                                 .batch = options.batch,
                                 .batch_seed = options.batch_seed,
                                 .pairs = options.pairs},
                                centre);
  return Transform(learner.learn(options.components).projection);
}

FitOptions without_steps_before(FitOptions options) {
  options.recentre = false;
  options.components = 0;
  return options;
}

Dataset transformed(const Dataset& data, const Transform& transform, const FitOptions& options) {
  return data.with_matrices(transform.apply(data.matrices(), options.pairs.threads));
}

}  // namespace detail

Scale Scale::parse(std::string_view text) {
  if (text == "none") return {};
  if (text == "unit") return {Kind::unit, 1};
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || end != text.data() + text.size() || !(factor > 0 && std::isfinite(factor)))
    throw InvalidInput(fmt::format("scale '{}' is not none, unit or a number above 0", text));
  return {Kind::number, factor};
}

std::string_view name(Fit::Stop reason) {
  switch (reason) {
    case Fit::Stop::converged:
      return "converged";
    case Fit::Stop::iteration_limit:
      return "iteration_limit";
    case Fit::Stop::line_search:
      return "line_search";
    case Fit::Stop::cancelled:
      return "cancelled";
  }
  throw InvalidInput(fmt::format("stop reason number {} is unknown", static_cast<int>(reason)));
}

PlainKernel best_plain_kernel(const Dataset& train, const FitOptions& options) {
  detail::check_options(options, train.dim());
  return PreparedFit(train, options).best;
}

LearnResult fit_kernel(const Dataset& train, const FitOptions& options) {
  detail::check_blocks(options.batch, options.criterion, train, options.pairs);
  const bool by_blocks = detail::learns_by_blocks(options.batch, train);
  if (detail::has_steps_before(options)) {
    std::optional<Mean::Stop> stop;
    const Transform before = detail::fit_steps_before(train, options, &stop);
    if (by_blocks) {
      LearnResult found = fit_by_blocks(train, before, detail::without_steps_before(options));
      found.fit.mean_stop = stop;
      return found;
    }
    LearnResult inside = fit_kernel(detail::transformed(train, before, options), detail::without_steps_before(options));
    inside.fit.mean_stop = stop;
    const LearnedKernel& kernel = inside.kernel;
    return {LearnedKernel(before, kernel.adjustment(), kernel.theta(), kernel.metric(), kernel.zeta()),
            std::move(inside.fit)};
  }
  if (by_blocks) return fit_by_blocks(train, Transform(), options);
  detail::check_options(options, train.dim());
  PreparedFit prepared(train, options);
  detail::EigenvalueSearch& search = prepared.search;
  const PlainKernel& plain = prepared.best;
  if (std::isinf(options.penalty))
    return {detail::first_kernel(prepared.unadjusted, plain.theta, options),
            {.history = {plain.value}, .criterion = plain.value, .c = plain.c}};
  search.set_first(detail::first_adjustment(options, prepared.logs));
  detail::DescentStart start{.theta = plain.theta, .c = plain.c, .value = plain.value};
  if (!options.alpha0.empty()) start.value = value_at(prepared.composition, search, start);
  const detail::Descent descent(prepared.composition, search, start, options.penalty);
  const auto [point, fit] = descend(descent, options.max_iterations, options.tolerance, options.on_iteration);
  const Eigen::VectorXd found = descent.parameters(point);
  return {LearnedKernel(Transform(), search.adjustment(found), plain.theta, options.metric, search.zeta(found)), fit};
}

}  // namespace dsk

#include <dsk/train.hpp>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

/// W, its patterns, theta, the history of the objective, why learning stopped and after how many iterations, and
/// whether the mean converged. Without a number of components it is chosen.
nb::tuple learned_subspace(const Dataset& train, std::optional<Index> components, const std::string& criterion,
                           std::optional<double> theta, double penalty, int max_iterations, double tolerance,
                           Index folds, const FoldsArgument& given_folds, std::uint64_t seed, int threads,
                           nb::object on_fold) {
  LearnSubspaceOptions options;
  options.subspace.criterion = parse_criterion(criterion);
  options.subspace.theta = theta;
  options.subspace.penalty = penalty;
  options.subspace.max_iterations = max_iterations;
  options.subspace.tolerance = tolerance;
  options.subspace.pairs.threads = threads;
  options.components = components;
  options.folds = folds;
  options.given_folds = as_splits(given_folds);
  options.seed = seed;
  Listener listener(std::move(on_fold));
  options.on_fold = [&](int done, int total) { return listener.report_progress(done, total); };
  try {
    Subspace found = compute([&] { return learn_subspace(train, options); });
    Matrix patterns = compute([&] { return spatial_patterns(found.projection, train.matrices(), train.weights()); });
    return nb::make_tuple(as_array(std::move(found.projection.w)), as_array(std::move(patterns)), found.theta,
                          found.fit.history, std::string(name(found.fit.stop)), found.fit.iterations,
                          found.fit.mean_stop != Mean::Stop::iteration_limit);
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

MatricesResult projected(const MatricesArgument& x, const MatrixArgument& w, int threads) {
  return as_array(compute([&] {
    const Projection projection{as_matrix(w)};
    projection.check();
    return project(as_batch(x, threads), projection, threads);
  }));
}

MatrixResult patterns_of(const MatrixArgument& w, const MatricesArgument& x, int threads) {
  return as_array(compute([&] {
    const Projection projection{as_matrix(w)};
    projection.check();
    return spatial_patterns(projection, as_batch(x, threads));
  }));
}

/// The recentred matrices, and whether all means converged.
nb::tuple recentred(const MatricesArgument& x, const std::optional<LabelParts>& groups, int threads) {
  const std::optional<Labels> known = as_labels(groups);
  Mean::Stop stop{};
  const SpdBatch moved =
      compute([&] { return recentre_groups(as_batch(x, threads), known ? &*known : nullptr, threads, &stop); });
  return nb::make_tuple(as_array(moved), stop != Mean::Stop::iteration_limit);
}

}  // namespace

void bind_transforms(nb::module_& module) {
  module.def("learn_subspace", &learned_subspace, "train"_a, "components"_a.none(), "criterion"_a, "theta"_a.none(),
             "penalty"_a, "max_iterations"_a, "tolerance"_a, "folds"_a, "given_folds"_a, "seed"_a, "threads"_a,
             "on_fold"_a.none());
  module.def("project", &projected, "x"_a, "w"_a, "threads"_a);
  module.def("spatial_patterns", &patterns_of, "w"_a, "x"_a, "threads"_a);
  module.def("recentre_groups", &recentred, "x"_a, "groups"_a.none(), "threads"_a);
}

}  // namespace dsk::python

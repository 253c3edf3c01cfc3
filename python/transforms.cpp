#include <dsk/train.hpp>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

/// W, theta, the history of the objective, why learning stopped and after how many iterations. Without a number of
/// components it is chosen.
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
    return nb::make_tuple(as_array(std::move(found.projection.w)), found.theta, found.fit.history,
                          std::string(name(found.fit.stop)), found.fit.iterations);
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

MatricesResult recentred(const MatricesArgument& x, const std::optional<LabelParts>& groups, int threads) {
  const std::optional<Labels> known = as_labels(groups);
  return as_array(compute([&] { return recentre_groups(as_batch(x, threads), known ? &*known : nullptr, threads); }));
}

}  // namespace

void bind_transforms(nb::module_& module) {
  module.def("learn_subspace", &learned_subspace, "train"_a, "components"_a.none(), "criterion"_a, "theta"_a.none(),
             "penalty"_a, "max_iterations"_a, "tolerance"_a, "folds"_a, "given_folds"_a, "seed"_a, "threads"_a,
             "on_fold"_a.none());
  module.def("project", &projected, "x"_a, "w"_a, "threads"_a);
  module.def("recentre_groups", &recentred, "x"_a, "groups"_a.none(), "threads"_a);
}

}  // namespace dsk::python

#include <dsk/learn.hpp>
#include <dsk/train.hpp>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

/// The size of the matrices that the only classifier of a model compares.
Index compared_dim(const Model& model) {
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  if (pipeline == nullptr) return dim(model);
  return std::visit([](const auto& classifier) { return classifier.dim(); }, pipeline->members().front().classifier);
}

/// The number of components with which class means in kernel space do best in cross-validation.
Index choose_components(const Dataset& train, const SubspaceOptions& options, Index folds,
                        const std::vector<Split>& given_folds, std::uint64_t seed, Listener& listener) {
  SelectionOptions selection;
  selection.folds = folds;
  selection.given_folds = given_folds;
  selection.seed = seed;
  selection.penalty = options.penalty;
  selection.pairs = options.pairs;
  if (options.max_iterations == 0) selection.project.kind = Projecting::Kind::start;
  selection.on_progress = [&](int done, int total) { return listener.report_progress(done, total); };
  const Method method{.learning = Method::Learning{.criterion = options.criterion, .subspace = true},
                      .classifier = Classifier::mean};
  return compared_dim(*choose_settings(train, method, selection).model);
}

/// W, theta, the history of the objective, why learning stopped and after how many iterations. Without a number of
/// components it is chosen.
nb::tuple learn_subspace(const Dataset& train, std::optional<Index> components, const std::string& criterion,
                         std::optional<double> theta, double penalty, int max_iterations, double tolerance, Index folds,
                         const FoldsArgument& given_folds, std::uint64_t seed, int threads, nb::object on_fold) {
  SubspaceOptions options;
  options.criterion = parse_criterion(criterion);
  options.theta = theta;
  options.penalty = penalty;
  options.max_iterations = max_iterations;
  options.tolerance = tolerance;
  options.pairs.threads = threads;
  Listener listener(std::move(on_fold));
  try {
    Subspace found = compute([&] {
      const SubspaceLearner learner(train, options);
      return learner.learn(
          components ? *components : choose_components(train, options, folds, as_splits(given_folds), seed, listener));
    });
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
  module.def("learn_subspace", &learn_subspace, "train"_a, "components"_a.none(), "criterion"_a, "theta"_a.none(),
             "penalty"_a, "max_iterations"_a, "tolerance"_a, "folds"_a, "given_folds"_a, "seed"_a, "threads"_a,
             "on_fold"_a.none());
  module.def("project", &projected, "x"_a, "w"_a, "threads"_a);
  module.def("recentre_groups", &recentred, "x"_a, "groups"_a.none(), "threads"_a);
}

}  // namespace dsk::python

#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

SavedKernel saved(const LearnResult& result, const FitOptions& options, const Dataset& train) {
  return {result.kernel,
          {.criterion = std::string(name(options.criterion)),
           .value = result.fit.criterion,
           .c = result.fit.c,
           .penalty = options.penalty,
           .iterations = result.fit.iterations,
           .stop = std::string(name(result.fit.stop)),
           .history = result.fit.history,
           .samples = train.size(),
           .classes = train.labels().names()}};
}

nb::list as_list(const std::vector<PenaltyScore>& scores) {
  nb::list list;
  for (const PenaltyScore& score : scores) {
    nb::dict row;
    row["penalty"] = score.penalty;
    row["accuracy"] = score.accuracy;
    row["setting"] = score.setting;
    list.append(row);
  }
  return list;
}

/// The kernel, and how each penalty scored, which is nothing if one was given.
nb::tuple learn(const Dataset& train, const std::string& criterion, const std::string& adjustment,
                std::optional<double> theta, std::optional<double> c, std::optional<double> penalty,
                const std::string& scale, bool allow_indefinite, int max_iterations, double tolerance,
                const std::string& classifier, Index folds, std::uint64_t seed, int threads, nb::object on_kernel,
                nb::object on_iteration) {
  FitOptions options;
  options.criterion = parse_criterion(criterion);
  options.adjustment = parse_adjustment(adjustment);
  options.theta = theta;
  options.c = c;
  options.allow_indefinite = allow_indefinite;
  options.scale = Scale::parse(scale);
  options.max_iterations = max_iterations;
  options.tolerance = tolerance;
  options.pairs.threads = threads;
  if (c && !has_soft_margin(options.criterion))
    throw InvalidInput("C is for the margin criteria; " + criterion + " has none");
  PenaltySearch search{.classifier = parse_classifier(classifier), .folds = folds, .seed = seed};
  Listener kernels(std::move(on_kernel)), iterations(std::move(on_iteration));
  search.on_progress = [&](int done, int total) { return kernels.tell(done, total); };
  std::vector<PenaltyScore> scores;
  try {
    const SavedKernel result = compute([&] {
      if (penalty) {
        options.penalty = *penalty;
      } else {
        const PenaltyChoice choice = choose_penalty(train, options, search);
        options.penalty = choice.best.penalty;
        scores = choice.scores;
      }
      options.on_iteration = [&](const Iteration& iteration) {
        return iterations.tell(iteration.number, iteration.objective);
      };
      return saved(fit_kernel(train, options), options, train);
    });
    iterations.raise_again();
    return nb::make_tuple(result, as_list(scores));
  } catch (const Cancelled&) {
    kernels.raise_again();
    throw;
  }
}

}  // namespace

void bind_learning(nb::module_& module) {
  module.def("learn", &learn, "train"_a, "criterion"_a, "adjustment"_a, "theta"_a.none(), "c"_a.none(),
             "penalty"_a.none(), "scale"_a, "allow_indefinite"_a, "max_iterations"_a, "tolerance"_a, "classifier"_a,
             "folds"_a, "seed"_a, "threads"_a, "on_kernel"_a.none(), "on_iteration"_a.none());
}

}  // namespace dsk::python

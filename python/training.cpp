#include <dsk/train.hpp>

#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

Trained train_with_progress(const Dataset& data, TrainOptions options, nb::object on_progress) {
  Listener listener(std::move(on_progress));
  options.selection.on_progress = [&](int done, int total) { return listener.report_progress(done, total); };
  try {
    return compute([&] { return train(data, options); });
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

/// Trains a classifier. `comparison` holds the metric, or a learned kernel to use as it is; `criterion` none: nothing
/// is learned.
Trained train_model(const Dataset& data, const Comparison& comparison, const std::optional<std::string>& criterion,
                    const std::string& adjustment, const std::string& classifier, bool automatic, bool combined,
                    const SelectionOptions& selection, bool probabilities,
                    const std::optional<std::string>& approximate, Index choose_on, int threads, nb::object on_kernel) {
  TrainOptions options;
  options.method = {.metric = comparison.metric, .automatic = automatic, .classifier = parse_classifier(classifier)};
  if (combined) options.method.combining = Method::Combining::chosen;
  if (criterion) options.method.learning = Method::Learning{parse_criterion(*criterion), parse_adjustment(adjustment)};
  options.kernel = comparison.learned;
  options.selection = selection;
  options.selection.pairs.threads = threads;
  options.validate = false;
  options.probabilities = probabilities;
  if (approximate) {
    options.nystrom = parse_nystrom(*approximate);
    options.choose_on = choose_on;
    options.check_nystrom = false;
  }
  return train_with_progress(data, std::move(options), std::move(on_kernel));
}

/// Trains a method by its name, with all settings that are not given by cross-validation.
Trained train_method(const Dataset& data, const std::string& method, const SelectionOptions& selection, int threads,
                     nb::object on_fold) {
  TrainOptions options;
  options.method = Method::parse(method);
  options.selection = selection;
  options.selection.pairs.threads = threads;
  return train_with_progress(data, std::move(options), std::move(on_fold));
}

SavedModel train_nearest_mean(const Dataset& data, const std::string& metric, double zeta, int threads) {
  const MeanOptions options{
      .metric = parse_metric(metric), .zeta = zeta, .tolerance = class_mean_tolerance, .threads = threads};
  return {compute([&] { return train_mdm(data, options); }), SavedModel::Origin{.samples = data.size()}};
}

std::optional<double> validation_accuracy(const Trained& self) {
  if (!self.validated) return {};
  return self.chosen.validation_accuracy;
}

nb::list candidates(const Trained& self) {
  nb::list list;
  for (const CandidateScore& score : self.chosen.candidates) {
    nb::dict row;
    row["name"] = score.name;
    row["accuracy"] = score.accuracy;
    row["standard_error"] = score.standard_error;
    row["folds"] = score.folds;
    row["components"] = score.components > 0 ? nb::object(nb::int_(score.components)) : nb::none();
    list.append(row);
  }
  return list;
}

}  // namespace

void bind_training(nb::module_& module) {
  nb::class_<SelectionOptions>(module, "Selection", "What cross-validation tries")
      .def(nb::init<>())
      .def_rw("folds", &SelectionOptions::folds)
      .def_rw("seed", &SelectionOptions::seed)
      .def_rw("neighbours", &SelectionOptions::neighbours)
      .def_rw("svm_cs", &SelectionOptions::svm_cs)
      .def_rw("zetas", &SelectionOptions::zetas)
      .def_rw("theta", &SelectionOptions::theta)
      .def_rw("penalty", &SelectionOptions::penalty)
      .def_rw("max_iterations", &SelectionOptions::max_iterations)
      .def_rw("tolerance", &SelectionOptions::tolerance)
      .def_prop_rw(
          "balanced", [](const SelectionOptions& self) { return self.svm.balanced; },
          [](SelectionOptions& self, bool balanced) { self.svm.balanced = balanced; })
      .def_prop_rw(
          "class_weights", [](const SelectionOptions& self) { return self.svm.class_weights; },
          [](SelectionOptions& self, std::vector<double> weights) { self.svm.class_weights = std::move(weights); })
      .def("set_folds", [](SelectionOptions& self, const FoldsArgument& folds) { self.given_folds = as_splits(folds); })
      .def("set_device",
           [](SelectionOptions& self, const std::string& text) { self.pairs.device = parse_device(text); })
      .def("set_margin", [](SelectionOptions& self, const std::string& text) { self.svm.margin = parse_margin(text); })
      .def("set_scale", [](SelectionOptions& self, const std::string& text) { self.scale = Scale::parse(text); })
      .def("set_theta_range",
           [](SelectionOptions& self, const std::string& text) { self.theta_range = parse_theta_range(text); })
      .def("set_project",
           [](SelectionOptions& self, const std::string& text) { self.project = Projecting::parse(text); })
      .def("set_recentre",
           [](SelectionOptions& self, const std::string& text) { self.recentre = parse_recentring(text); });

  module.def("train", &train_model, "data"_a, "comparison"_a, "criterion"_a.none(), "adjustment"_a, "classifier"_a,
             "automatic"_a, "combined"_a, "selection"_a, "probabilities"_a, "approximate"_a.none(), "choose_on"_a,
             "threads"_a, "on_kernel"_a.none());
  module.def("train_method", &train_method, "data"_a, "method"_a, "selection"_a, "threads"_a, "on_fold"_a.none());
  module.def("train_mdm", &train_nearest_mean, "data"_a, "metric"_a, "zeta"_a, "threads"_a);

  nb::class_<Trained>(module, "Trained", "A trained classifier with the settings that were chosen for it")
      .def_ro("model", &Trained::model)
      .def_ro("kernel", &Trained::kernel)
      .def_ro("warnings", &Trained::warnings)
      .def_prop_ro("candidates", &candidates)
      .def_prop_ro("validation_accuracy", &validation_accuracy)
      .def_prop_ro("summary", [](const Trained& self) { return summary(self); });
}

}  // namespace dsk::python

#include <dsk/files.hpp>
#include <dsk/train.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

Comparison comparison_of(const std::string& metric, double zeta, const SavedKernel* kernel) {
  Comparison comparison{.metric = parse_metric(metric), .zeta = zeta};
  if (kernel != nullptr) comparison.learned = kernel->kernel;
  return comparison;
}

/// Trains a classifier. `comparison` holds the metric, or a learned kernel to use as it is; `criterion` none: nothing
/// is learned.
Trained train_model(const Dataset& data, const Comparison& comparison, const std::optional<std::string>& criterion,
                    const std::string& adjustment, const std::string& classifier, bool automatic,
                    const SelectionOptions& selection, bool probabilities,
                    const std::optional<std::string>& approximate, Index choose_on, int threads, nb::object on_kernel) {
  TrainOptions options;
  options.method = {.metric = comparison.metric, .automatic = automatic, .classifier = parse_classifier(classifier)};
  if (criterion) options.method.learning = Learning{parse_criterion(*criterion), parse_adjustment(adjustment)};
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
  Listener listener(std::move(on_kernel));
  options.selection.on_progress = [&](int done, int total) { return listener.report_progress(done, total); };
  try {
    return compute([&] { return train(data, options); });
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

std::optional<double> validation_accuracy(const Trained& self) {
  if (!self.validated) return {};
  return self.chosen.validation_accuracy;
}

/// Positions in the names of the classes, and scores of all of them.
std::pair<CodesResult, MatrixResult> predict_with(const SavedModel& self, const MatricesArgument& x, int threads) {
  Prediction prediction = compute([&] { return predict(self.model, as_batch(x, threads), {.threads = threads}); });
  return {as_array(std::vector<int>(prediction.labels.codes())), as_array(std::move(prediction.scores))};
}

const SvmClassifier& svm(const SavedModel& self) {
  if (const auto* found = std::get_if<SvmClassifier>(&self.model)) return *found;
  throw InvalidInput("only support vector machines have this property");
}

Index neighbours(const SavedModel& self) {
  if (const auto* knn = std::get_if<NystromKnn>(&self.model)) return knn->neighbours();
  if (const auto* knn = std::get_if<KnnClassifier>(&self.model)) return knn->neighbours();
  throw InvalidInput("only nearest-neighbour classifiers have this property");
}

/// None for an exact model.
std::optional<nb::dict> approximation(const SavedModel& self) {
  const auto& origin = self.origin.approximation;
  if (!origin) return {};
  nb::dict facts;
  facts["landmarks"] = origin->landmarks;
  facts["choice"] = origin->choice;
  facts["residual_share"] = origin->residual_share;
  facts["chosen_on"] = origin->chosen_on;
  facts["seed"] = origin->seed;
  return facts;
}

}  // namespace

void bind_classifiers(nb::module_& module) {
  nb::class_<Comparison>(module, "Comparison", "How a classifier compares matrices")
      .def(
          "__init__",
          [](Comparison* self, const std::string& metric, double zeta, const SavedKernel* kernel) {
            new (self) Comparison(comparison_of(metric, zeta, kernel));
          },
          "metric"_a, "zeta"_a, "kernel"_a.none())
      .def_prop_ro("metric", [](const Comparison& self) { return std::string(name(self.metric)); })
      .def_ro("zeta", &Comparison::zeta)
      .def_prop_ro("kernel", [](const Comparison& self) -> std::optional<SavedKernel> {
        if (!self.learned) return {};
        return SavedKernel{*self.learned, KernelOrigin()};
      });

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
      .def("set_margin", [](SelectionOptions& self, const std::string& text) { self.svm.margin = parse_margin(text); })
      .def("set_scale", [](SelectionOptions& self, const std::string& text) { self.scale = Scale::parse(text); })
      .def("allow_any_theta", [](SelectionOptions& self) { self.theta_range = ThetaRange::any; });

  module.def("train", &train_model, "data"_a, "comparison"_a, "criterion"_a.none(), "adjustment"_a, "classifier"_a,
             "automatic"_a, "selection"_a, "probabilities"_a, "approximate"_a.none(), "choose_on"_a, "threads"_a,
             "on_kernel"_a.none());

  nb::class_<SavedModel>(module, "Model", "A trained classifier")
      .def_static("load", [](const std::filesystem::path& file) { return compute([&] { return load_model(file); }); })
      .def("save",
           [](const SavedModel& self, const std::filesystem::path& file) { compute([&] { save(self, file); }); })
      .def_prop_ro("kind", [](const SavedModel& self) { return std::string(kind(self.model)); })
      .def_prop_ro("dim", [](const SavedModel& self) { return dim(self.model); })
      .def_prop_ro("comparison", [](const SavedModel& self) { return comparison(self.model); })
      .def_prop_ro("names", [](const SavedModel& self) { return class_names(self.model); })
      .def_prop_ro("integral", [](const SavedModel& self) { return labels(self.model).integral(); })
      .def_prop_ro("criterion", [](const SavedModel& self) { return self.origin.criterion; })
      .def_prop_ro("approximation", &approximation)
      .def_prop_ro("neighbours", &neighbours)
      .def_prop_ro("theta", [](const SavedModel& self) { return svm(self).theta(); })
      .def_prop_ro("c", [](const SavedModel& self) { return svm(self).training().c; })
      .def_prop_ro("squared_margin",
                   [](const SavedModel& self) { return svm(self).training().margin == SoftMargin::squared; })
      .def_prop_ro("balanced", [](const SavedModel& self) { return svm(self).training().balanced; })
      .def_prop_ro("class_weights", [](const SavedModel& self) { return svm(self).training().class_weights; })
      .def_prop_ro("has_probabilities", [](const SavedModel& self) { return svm(self).has_probabilities(); })
      .def_prop_ro("smallest_eigenvalue", [](const SavedModel& self) { return svm(self).smallest_eigenvalue(); })
      .def_prop_ro(
          "support_codes",
          [](const SavedModel& self) { return as_array(std::vector<int>(svm(self).support().labels().codes())); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "support_matrices", [](const SavedModel& self) { return as_array(svm(self).support().matrices()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "offsets", [](const SavedModel& self) { return as_array(Eigen::VectorXd(svm(self).machine().offsets())); },
          nb::rv_policy::automatic)
      .def("predict", &predict_with, "x"_a, "threads"_a)
      .def(
          "decisions",
          [](const SavedModel& self, const MatricesArgument& x, int threads) {
            return as_array(
                compute([&] { return decision_values(svm(self), as_batch(x, threads), {.threads = threads}); }));
          },
          "x"_a, "threads"_a);

  nb::class_<Trained>(module, "Trained", "A trained classifier with the settings that were chosen for it")
      .def_ro("model", &Trained::model)
      .def_ro("kernel", &Trained::kernel)
      .def_prop_ro("validation_accuracy", &validation_accuracy)
      .def_prop_ro("summary", [](const Trained& self) { return summary(self); });
}

}  // namespace dsk::python

#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/files.hpp>
#include <dsk/kernel.hpp>
#include <dsk/matrices.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
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

std::string criterion_of(const ChosenMethod& chosen) {
  return chosen.method.learning ? std::string(name(chosen.method.learning->criterion)) : "";
}

/// A learned kernel with what is known of how it was learned inside the choice of a classifier's settings.
std::optional<SavedKernel> learned(const ChosenMethod& chosen, const Dataset& train) {
  if (!chosen.method.learning) return {};
  SavedKernel saved{*chosen.comparison.learned, {.criterion = criterion_of(chosen), .penalty = chosen.penalty}};
  if (chosen.fit) {
    saved.origin.value = chosen.fit->criterion;
    saved.origin.c = chosen.fit->c;
    saved.origin.iterations = chosen.fit->iterations;
    saved.origin.stop = name(chosen.fit->stop);
    saved.origin.history = chosen.fit->history;
    saved.origin.samples = train.size();
    saved.origin.classes = train.labels().names();
  }
  return saved;
}

nb::dict as_dict(const ChosenMethod& chosen, const Dataset& train) {
  nb::dict facts;
  facts["comparison"] = chosen.comparison;
  facts["criterion"] = criterion_of(chosen);
  facts["kernel"] = learned(chosen, train);
  facts["theta"] = chosen.theta;
  facts["setting"] = chosen.setting;
  facts["validation_accuracy"] = chosen.validation_accuracy;
  return facts;
}

/// What kernel and settings are chosen on: all of the training set, or so many of its matrices.
Dataset chosen_on(const Dataset& train, Index choose_on, std::uint64_t seed) {
  return choose_on == 0 ? train : train.select(balanced_sample(train.labels(), choose_on, seed));
}

/// Chooses what is free; `criterion` none: for the comparison as it is.
nb::dict choose(const Dataset& whole, Index choose_on, const Comparison& comparison,
                const std::optional<std::string>& criterion, const std::string& adjustment,
                const std::string& classifier, bool automatic, SelectionOptions options, int threads,
                nb::object on_kernel) {
  Method method{.metric = comparison.metric, .automatic = automatic, .classifier = parse_classifier(classifier)};
  if (criterion) method.learning = Learning{parse_criterion(*criterion), parse_adjustment(adjustment)};
  if (method.metric == Metric::airm && method.classifier == Classifier::svm && options.theta_range == ThetaRange::valid)
    throw InvalidInput("airm gives no positive definite kernel; use it with k-NN");
  options.pairs.threads = threads;
  const Dataset train = chosen_on(whole, choose_on, options.seed);
  Listener listener(std::move(on_kernel));
  options.on_progress = [&](int done, int total) { return listener.tell(done, total); };
  try {
    const ChosenMethod chosen = compute([&] {
      return comparison.learned ? choose_settings(train, comparison, method.classifier, options)
                                : choose_settings(train, method, options);
    });
    return as_dict(chosen, train);
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

SavedModel train_knn_model(const Dataset& train, const Comparison& comparison, Index neighbours,
                           const std::string& criterion, int threads) {
  return compute([&] {
    return SavedModel{train_knn(comparison, train, {.neighbours = neighbours, .threads = threads}),
                      {.criterion = criterion, .samples = train.size()}};
  });
}

/// The map that a text such as "nystrom:1000" asks for, and how a model in its features came to be.
std::pair<NystromMap, ModelOrigin> nystrom(const std::string& text, const Dataset& train, const Comparison& comparison,
                                           std::optional<double> theta, const std::string& criterion, Index chosen_on,
                                           std::uint64_t seed, int threads) {
  NystromOptions options = parse_nystrom(text);
  options.theta = theta;
  options.seed = seed;
  options.pairs.threads = threads;
  NystromMap map = fit_nystrom(comparison, train, options).map;
  ApproximationOrigin approximation{.landmarks = map.size(),
                                    .choice = std::string(name(options.choice)),
                                    .chosen_on = std::min(chosen_on, train.size()),
                                    .seed = seed};
  return {std::move(map), {.criterion = criterion, .samples = train.size(), .approximation = approximation}};
}

SavedModel train_nystrom_knn_model(const Dataset& train, const Comparison& comparison, const std::string& approximate,
                                   Index neighbours, const std::string& criterion, Index chosen_on, std::uint64_t seed,
                                   int threads) {
  return compute([&] {
    auto [map, origin] = nystrom(approximate, train, comparison, {}, criterion, chosen_on, seed, threads);
    NystromKnn knn(map, train, {.neighbours = neighbours, .threads = threads});
    origin.approximation->residual_share = knn.residual_share();
    return SavedModel{std::move(knn), std::move(origin)};
  });
}

SavedModel train_nystrom_svm_model(const Dataset& train, const Comparison& comparison, const std::string& approximate,
                                   double theta, SvmTraining training, const std::string& criterion, Index chosen_on) {
  const int threads = training.pairs.threads;
  return compute([&] {
    auto [map, origin] = nystrom(approximate, train, comparison, theta, criterion, chosen_on, training.seed, threads);
    NystromSvm svm = train_nystrom_svm(map, train, training);
    origin.approximation->residual_share = svm.residual_share;
    return SavedModel{std::move(svm.classifier), std::move(origin)};
  });
}

SavedModel train_svm_model(const Dataset& train, const Comparison& comparison, double theta, double c,
                           bool squared_margin, bool balanced, std::vector<double> class_weights, bool probabilities,
                           bool allow_indefinite, const std::optional<std::string>& approximate, Index chosen_on,
                           std::uint64_t seed, const std::string& criterion, int threads) {
  SvmTraining training;
  training.theta = theta;
  training.c = c;
  training.margin = squared_margin ? SoftMargin::squared : SoftMargin::linear;
  training.balanced = balanced;
  training.class_weights = std::move(class_weights);
  training.probabilities = probabilities;
  training.allow_indefinite = allow_indefinite;
  training.seed = seed;
  training.pairs.threads = threads;
  if (approximate)
    return train_nystrom_svm_model(train, comparison, *approximate, theta, std::move(training), criterion, chosen_on);
  return compute([&] {
    return SavedModel{train_svm(comparison, train, training), {.criterion = criterion, .samples = train.size()}};
  });
}

/// Positions in the names of the classes, and scores of all of them.
std::pair<CodesResult, MatrixResult> predict_with(const SavedModel& self, const MatricesArgument& x, int threads) {
  Prediction prediction = compute([&] { return predict(self.model, as_batch(x, threads), {.threads = threads}); });
  return {as_array(std::vector<int>(prediction.labels.codes())), as_array(std::move(prediction.scores))};
}

const SvmClassifier& svm(const SavedModel& self) {
  if (const auto* found = std::get_if<SvmClassifier>(&self.model)) return *found;
  throw InvalidInput("only support vector machines have this");
}

Index neighbours(const SavedModel& self) {
  if (const auto* knn = std::get_if<NystromKnn>(&self.model)) return knn->neighbours();
  return std::get<KnnClassifier>(self.model).neighbours();
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
      .def("set_scale", [](SelectionOptions& self, const std::string& text) { self.scale = Scale::parse(text); })
      .def("allow_any_theta", [](SelectionOptions& self) { self.theta_range = ThetaRange::any; });

  module.def("choose_settings", &choose, "train"_a, "choose_on"_a, "comparison"_a, "criterion"_a.none(), "adjustment"_a,
             "classifier"_a, "automatic"_a, "options"_a, "threads"_a, "on_kernel"_a.none());
  module.def("train_knn", &train_knn_model, "train"_a, "comparison"_a, "neighbours"_a, "criterion"_a, "threads"_a);
  module.def("train_nystrom_knn", &train_nystrom_knn_model, "train"_a, "comparison"_a, "approximate"_a, "neighbours"_a,
             "criterion"_a, "chosen_on"_a, "seed"_a, "threads"_a);
  module.def("train_svm", &train_svm_model, "train"_a, "comparison"_a, "theta"_a, "c"_a, "squared_margin"_a,
             "balanced"_a, "class_weights"_a, "probabilities"_a, "allow_indefinite"_a, "approximate"_a.none(),
             "chosen_on"_a, "seed"_a, "criterion"_a, "threads"_a);

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
}

}  // namespace dsk::python

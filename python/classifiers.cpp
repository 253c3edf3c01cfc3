#include <dsk/files.hpp>

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
  if (kernel != nullptr) return comparison_by(kernel->kernel);
  return {.metric = parse_metric(metric), .zeta = zeta};
}

/// Positions in the names of the classes, and scores of all of them.
std::pair<CodesResult, MatrixResult> predict_with(const SavedModel& self, const MatricesArgument& x,
                                                  const std::optional<LabelParts>& groups, int threads,
                                                  const std::string& device) {
  const std::optional<Labels> known = as_labels(groups);
  const PairOptions options{.threads = threads, .device = parse_device(device)};
  Prediction prediction =
      compute([&] { return predict(self.model, as_batch(x, threads), known ? &*known : nullptr, options); });
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

const KnnClassifier& exact_knn(const SavedModel& self) {
  if (const auto* found = std::get_if<KnnClassifier>(&self.model)) return *found;
  throw InvalidInput("only exact nearest-neighbour classifiers keep their training set");
}

const MdmClassifier& mdm(const SavedModel& self) {
  if (const auto* found = std::get_if<MdmClassifier>(&self.model)) return *found;
  throw InvalidInput("only minimum-distance-to-mean classifiers have this property");
}

/// The classifiers of a model: the kind of each, and the size of the matrices that it compares. A simple model is its
/// only one.
std::vector<std::pair<std::string, Index>> members(const SavedModel& self) {
  const auto* const pipeline = std::get_if<Pipeline>(&self.model);
  if (pipeline == nullptr) return {{std::string(kind(self.model)), dim(self.model)}};
  std::vector<std::pair<std::string, Index>> result;
  for (const Pipeline::Member& member : pipeline->members()) {
    const Model simple = std::visit([](const auto& classifier) { return Model(classifier); }, member.classifier);
    result.emplace_back(kind(simple), dim(simple));
  }
  return result;
}

/// W of each subspace.
std::vector<MatrixResult> filters_of_model(const SavedModel& self) {
  std::vector<MatrixResult> result;
  for (Projection& one : projections(self.model)) result.push_back(as_array(std::move(one.w)));
  return result;
}

/// The weights of a combined kernel, by the names of the kernels; none for any other.
std::optional<nb::dict> kernel_weights(const SavedModel& self) {
  const auto* const machine = std::get_if<SvmClassifier>(&self.model);
  if (machine == nullptr || machine->combined() == nullptr) return {};
  nb::dict weights;
  for (const CombinedKernel::Share& one : machine->combined()->shares())
    weights[nb::str(one.name.c_str())] = one.weight;
  return weights;
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
        return SavedKernel{*self.learned, SavedKernel::Origin()};
      });

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
      .def_prop_ro("kernel_weights", &kernel_weights)
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
          "offsets", [](const SavedModel& self) { return as_array(Eigen::VectorXd(svm(self).offsets())); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "coefficients", [](const SavedModel& self) { return as_array(svm(self).coefficients()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "training_matrices",
          [](const SavedModel& self) { return as_array(exact_knn(self).training_set().matrices()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "training_codes",
          [](const SavedModel& self) {
            return as_array(std::vector<int>(exact_knn(self).training_set().labels().codes()));
          },
          nb::rv_policy::automatic)
      .def_prop_ro("samples", [](const SavedModel& self) { return self.origin.samples; })
      .def_prop_ro("recentres_groups", [](const SavedModel& self) { return recentres_groups(self.model); })
      .def_prop_ro("members", &members)
      .def_prop_ro("filters", &filters_of_model, nb::rv_policy::automatic)
      .def(
          "subspaces",
          [](const SavedModel& self, const Dataset& train, int threads) {
            std::vector<std::pair<MatrixResult, MatrixResult>> result;
            for (Trained::Subspace& one : compute([&] { return subspaces_of(self.model, train, threads); }))
              result.emplace_back(as_array(std::move(one.projection.w)), as_array(std::move(one.patterns)));
            return result;
          },
          "train"_a, "threads"_a)
      .def_prop_ro("means_converged",
                   [](const SavedModel& self) { return mdm(self).stop() != Mean::Stop::iteration_limit; })
      .def_prop_ro(
          "means", [](const SavedModel& self) { return as_array(mdm(self).means().matrices()); },
          nb::rv_policy::automatic)
      .def("predict", &predict_with, "x"_a, "groups"_a.none(), "threads"_a, "device"_a = "cpu")
      .def(
          "decisions",
          [](const SavedModel& self, const MatricesArgument& x, int threads, const std::string& device) {
            const PairOptions options{.threads = threads, .device = parse_device(device)};
            return as_array(compute([&] { return decision_values(svm(self), as_batch(x, threads), options); }));
          },
          "x"_a, "threads"_a, "device"_a = "cpu");
}

}  // namespace dsk::python

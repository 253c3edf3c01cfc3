#include <dsk/model.hpp>

#include <fmt/format.h>

#include "classify/classify.hpp"

namespace dsk {
namespace {

const Labels& known_labels(const KnnClassifier& knn) {
  return knn.training_set().labels();
}
const Labels& known_labels(const SvmClassifier& svm) {
  return svm.support().labels();
}
const Labels& known_labels(const NystromKnn& knn) {
  return knn.labels();
}
const Labels& known_labels(const MdmClassifier& mdm) {
  return mdm.means().labels();
}
const Labels& known_labels(const MeanClassifier& mean) {
  return mean.training_set().labels();
}
const Labels& known_labels(const TangentClassifier& tangent) {
  return tangent.classes();
}
const Labels& known_labels(const Pipeline& pipeline) {
  return detail::labels(pipeline.members().front().classifier);
}

std::string_view kind_of(const KnnClassifier&) {
  return "knn";
}
std::string_view kind_of(const SvmClassifier&) {
  return "svm";
}
std::string_view kind_of(const NystromKnn&) {
  return "knn";
}
std::string_view kind_of(const MdmClassifier&) {
  return "mdm";
}
std::string_view kind_of(const MeanClassifier&) {
  return "mean";
}
std::string_view kind_of(const TangentClassifier& tangent) {
  return tangent.is_pairwise() ? "tangent-svm" : "logistic";
}
std::string_view kind_of(const Pipeline&) {
  return "pipeline";
}

template <class Classifier>
const Comparison& comparison_of(const Classifier& classifier) {
  if constexpr (requires { classifier.comparison(); })
    return classifier.comparison();
  else
    throw InvalidInput(fmt::format("a model of kind {} does not compare pairs of matrices", kind_of(classifier)));
}

}  // namespace

std::string_view detail::kind(const SimpleModel& model) {
  return std::visit([](const auto& classifier) { return kind_of(classifier); }, model);
}

const Labels& detail::labels(const SimpleModel& model) {
  return std::visit([](const auto& classifier) -> const Labels& { return known_labels(classifier); }, model);
}

std::string_view kind(const Model& model) {
  return std::visit([](const auto& classifier) { return kind_of(classifier); }, model);
}

Index dim(const Model& model) {
  return std::visit([](const auto& classifier) { return classifier.dim(); }, model);
}

const Comparison& comparison(const Model& model) {
  return std::visit([](const auto& classifier) -> const Comparison& { return comparison_of(classifier); }, model);
}

const Labels& labels(const Model& model) {
  return std::visit([](const auto& classifier) -> const Labels& { return known_labels(classifier); }, model);
}

const std::vector<std::string>& class_names(const Model& model) {
  return labels(model).names();
}

bool recentres_groups(const Model& model) {
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  return pipeline != nullptr && pipeline->recentring() == Recentring::groups;
}

Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return predict(classifier, x, options); }, model);
}

Prediction predict(const Model& model, const SpdBatch& x, const Labels* groups, const PairOptions& options) {
  const auto* const pipeline = std::get_if<Pipeline>(&model);
  return pipeline != nullptr ? predict(*pipeline, x, groups, options) : predict(model, x, options);
}

double accuracy(const Model& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  const Labels* const groups = data.has_groups() ? &data.groups() : nullptr;
  return accuracy(predict(model, data.matrices(), groups, options).labels, truth);
}

}  // namespace dsk

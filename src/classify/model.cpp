#include <dsk/classify.hpp>

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

}  // namespace

std::string_view kind(const Model& model) {
  return std::holds_alternative<SvmClassifier>(model) ? "svm" : "knn";
}

Index dim(const Model& model) {
  return std::visit([](const auto& classifier) { return classifier.dim(); }, model);
}

const Comparison& comparison(const Model& model) {
  return std::visit([](const auto& classifier) -> const Comparison& { return classifier.comparison(); }, model);
}

const Labels& labels(const Model& model) {
  return std::visit([](const auto& classifier) -> const Labels& { return known_labels(classifier); }, model);
}

const std::vector<std::string>& class_names(const Model& model) {
  return labels(model).names();
}

Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return predict(classifier, x, options); }, model);
}

double accuracy(const Model& model, const Dataset& data, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return accuracy(classifier, data, options); }, model);
}

}  // namespace dsk

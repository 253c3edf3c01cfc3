// The table of classifiers: their names, also in those of methods and in files.

#include "classify/classify.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

constexpr detail::ClassifierRow classifier_table[] = {
    {Classifier::knn, "knn", "", "knn", true},
    {Classifier::svm, "svm", "", "svm", true},
    {Classifier::mean, "mean", "", "mean", true},
    {Classifier::mdm, "mdm", "", "", false},
    {Classifier::logistic, "logistic", "lr", "lr", false},
    {Classifier::tangent_svm, "tangent-svm", "", "svm", false},
};

}  // namespace

std::span<const detail::ClassifierRow> detail::classifier_rows() {
  return classifier_table;
}

Classifier parse_classifier(std::string_view text) {
  return detail::find_by_name(detail::classifier_rows(), text, "classifier").value;
}

std::string_view name(Classifier classifier) {
  return detail::find_by_value(detail::classifier_rows(), classifier, "classifier").name;
}

std::string classifier_choices() {
  return detail::choices(detail::classifier_rows());
}

}  // namespace dsk

#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "machine/names.hpp"

namespace dsk {
namespace {

struct ClassifierRow {
  Classifier value;
  std::string_view name;
  std::string_view alias;
};
constexpr ClassifierRow classifier_table[] = {{Classifier::knn, "knn", ""}, {Classifier::svm, "svm", ""}};

struct MarginRow {
  SoftMargin value;
  std::string_view name;
  std::string_view alias;
};
constexpr MarginRow margin_table[] = {{SoftMargin::linear, "linear", ""}, {SoftMargin::squared, "squared", ""}};

struct ThetaRangeRow {
  ThetaRange value;
  std::string_view name;
  std::string_view alias;
};
constexpr ThetaRangeRow theta_range_table[] = {{ThetaRange::valid, "valid", ""}, {ThetaRange::any, "any", ""}};

/// "KA,CS,RM", for lists of methods.
template <class Values>
std::string all_letters(const Values& values) {
  std::string list;
  for (const auto value : values) {
    if (!list.empty()) list += ',';
    list += letters(value);
  }
  return list;
}

}  // namespace

Classifier parse_classifier(std::string_view text) {
  return detail::find_by_name(std::span<const ClassifierRow>(classifier_table), text, "classifier").value;
}
std::string_view name(Classifier classifier) {
  return detail::find_by_value(std::span<const ClassifierRow>(classifier_table), classifier, "classifier").name;
}
std::string classifier_choices() {
  return detail::choices(std::span<const ClassifierRow>(classifier_table));
}

SoftMargin parse_margin(std::string_view text) {
  return detail::find_by_name(std::span<const MarginRow>(margin_table), text, "margin").value;
}

ThetaRange parse_theta_range(std::string_view text) {
  return detail::find_by_name(std::span<const ThetaRangeRow>(theta_range_table), text, "theta range").value;
}

std::string method_choices() {
  return fmt::format("{}, DSK-{{{}}}-{{{}}} or DSK-auto, each optionally followed by :knn or :svm",
                     all_letters(all_metrics()), all_letters(all_criteria()), all_letters(all_adjustments()));
}

std::string Method::name() const {
  if (automatic) return "DSK-auto";
  if (!learning) return std::string(letters(metric));
  return fmt::format("DSK-{}-{}", letters(learning->criterion), letters(learning->adjustment));
}

std::string Method::full_name() const {
  return fmt::format("{}:{}", name(), dsk::name(classifier));
}

Method Method::parse(std::string_view text) {
  Method method;
  const auto colon = text.find(':');
  const std::string_view wanted = text.substr(0, colon);
  if (colon != std::string_view::npos) method.classifier = parse_classifier(text.substr(colon + 1));
  std::vector<Method> known{{.automatic = true}};
  for (const Metric metric : all_metrics()) known.push_back({.metric = metric});
  for (const Criterion criterion : all_criteria())
    for (const Adjustment adjustment : all_adjustments())
      known.push_back({.learning = Learning{criterion, adjustment}});
  const auto found = std::find_if(known.begin(), known.end(), [&](const Method& one) { return one.name() == wanted; });
  if (found == known.end())
    throw InvalidInput(fmt::format("unknown method '{}'; use one of {}", text, method_choices()));
  const Classifier classifier = method.classifier;
  method = *found;
  method.classifier = classifier;
  if (theta_rule(method.metric) == ThetaRule::none && classifier == Classifier::svm)
    throw InvalidInput(fmt::format("{0} has no positive definite kernel; use {0}:knn", method.name()));
  return method;
}

std::vector<Method> Method::parse_list(std::string_view text) {
  std::vector<Method> methods;
  while (true) {
    const auto comma = text.find(',');
    methods.push_back(parse(text.substr(0, comma)));
    for (std::size_t k = 0; k + 1 < methods.size(); ++k)
      if (methods[k].full_name() == methods.back().full_name())
        throw InvalidInput(fmt::format("method {} is named twice", methods.back().full_name()));
    if (comma == std::string_view::npos) return methods;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace dsk

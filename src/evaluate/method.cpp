#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace dsk {
namespace {

constexpr std::pair<Metric, std::string_view> metric_names[] = {
    {Metric::airm, "AIRM"},        {Metric::cholesky, "CHK"},       {Metric::euclidean, "EUK"},
    {Metric::logeuclidean, "LEK"}, {Metric::powereuclidean, "PEK"}, {Metric::stein, "SK"}};

constexpr std::pair<Criterion, std::string_view> criterion_names[] = {
    {Criterion::alignment, "KA"},    {Criterion::separability, "CS"}, {Criterion::radius_margin, "RM"},
    {Criterion::trace_margin, "TM"}, {Criterion::centred, "CA"},      {Criterion::neighbour, "NN"}};

constexpr std::pair<Adjustment, std::string_view> adjustment_names[] = {
    {Adjustment::power, "p"}, {Adjustment::coefficient, "c"}, {Adjustment::affine, "a"}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "?";
}

}  // namespace

Classifier parse_classifier(std::string_view text) {
  if (text == "knn") return Classifier::knn;
  if (text == "svm") return Classifier::svm;
  throw InvalidInput(fmt::format("unknown classifier '{}': use knn or svm", text));
}

std::string_view name(Classifier classifier) {
  return classifier == Classifier::knn ? "knn" : "svm";
}

SoftMargin parse_margin(std::string_view text) {
  if (text == "linear") return SoftMargin::linear;
  if (text == "squared") return SoftMargin::squared;
  throw InvalidInput(fmt::format("unknown margin '{}': use linear or squared", text));
}

ThetaRange parse_theta_range(std::string_view text) {
  if (text == "valid") return ThetaRange::valid;
  if (text == "any") return ThetaRange::any;
  throw InvalidInput(fmt::format("unknown theta range '{}': use valid or any", text));
}

std::string Method::name() const {
  if (automatic) return "DSK-auto";
  if (!learning) return std::string(name_in(metric_names, metric));
  return fmt::format("DSK-{}-{}", name_in(criterion_names, learning->criterion),
                     name_in(adjustment_names, learning->adjustment));
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
  for (const auto& [metric, name] : metric_names) known.push_back({.metric = metric});
  for (const auto& [criterion, criterion_name] : criterion_names)
    for (const auto& [adjustment, adjustment_name] : adjustment_names)
      known.push_back({.learning = Learning{criterion, adjustment}});
  const auto found = std::find_if(known.begin(), known.end(), [&](const Method& one) { return one.name() == wanted; });
  if (found == known.end())
    throw InvalidInput(
        fmt::format("unknown method '{}': use AIRM, CHK, EUK, LEK, PEK, SK, DSK-auto or DSK-{{KA,CS,RM,TM,CA,NN}}-"
                    "{{p,c,a}}, each optionally followed by :knn or :svm",
                    text));
  const Classifier classifier = method.classifier;
  method = *found;
  method.classifier = classifier;
  if (method.metric == Metric::airm && classifier == Classifier::svm)
    throw InvalidInput("AIRM has no positive definite kernel: use AIRM:knn");
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

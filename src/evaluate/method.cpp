#include <dsk/train.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

#include "classify/classify.hpp"
#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"
#include "machine/messages.hpp"

namespace dsk {
namespace {

using detail::NameRow;

constexpr NameRow<SoftMargin> margin_table[] = {{SoftMargin::linear, "linear"}, {SoftMargin::squared, "squared"}};
constexpr NameRow<ThetaRange> theta_range_table[] = {
    {ThetaRange::automatic, "auto"}, {ThetaRange::valid, "valid"}, {ThetaRange::any, "any"}};
constexpr NameRow<Projecting::Kind> projecting_table[] = {{Projecting::Kind::none, "none"},
                                                          {Projecting::Kind::automatic, "auto"},
                                                          {Projecting::Kind::ladder, "ladder"},
                                                          {Projecting::Kind::start, "start"}};

template <class Value, std::size_t size>
std::span<const NameRow<Value>> rows(const NameRow<Value> (&table)[size]) {
  return table;
}

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

std::vector<Criterion> subspace_criteria() {
  std::vector<Criterion> result;
  for (const Criterion criterion : all_criteria())
    if (!has_soft_margin(criterion)) result.push_back(criterion);
  return result;
}

std::vector<Metric> learnable_metrics() {
  std::vector<Metric> result;
  for (const Metric metric : all_metrics())
    if (is_learnable(metric)) result.push_back(metric);
  return result;
}

/// Of metrics without a positive definite kernel.
std::string letters_without_kernel() {
  std::vector<Metric> without;
  for (const Metric metric : all_metrics())
    if (theta_rule(metric) == ThetaRule::none) without.push_back(metric);
  return all_letters(without);
}

/// Of learned kernels by other metrics than Stein's.
std::string learned_letters() {
  std::string list;
  for (const Metric metric : learnable_metrics())
    if (metric != Metric::stein) list += fmt::format("{}D{}", list.empty() ? "" : ",", letters(metric));
  return list;
}

std::string mdm_name(Metric metric) {
  return metric == Metric::airm ? "MDM" : fmt::format("MDM-{}", name(metric));
}

// What the paper learns.
constexpr Criterion printed_criteria[] = {Criterion::alignment, Criterion::separability, Criterion::radius_margin,
                                          Criterion::trace_margin};
constexpr Adjustment printed_adjustments[] = {Adjustment::power, Adjustment::coefficient};

constexpr NameRow<Method::Combining> combining_table[] = {{Method::Combining::chosen, "MK"},
                                                          {Method::Combining::aligned, "MK-aligned"},
                                                          {Method::Combining::average, "MK-average"}};

/// All ways to compare, to be followed by a classifier.
std::vector<Method> kernel_methods() {
  std::vector<Method> known{{.automatic = true}};
  for (const auto& row : combining_table) known.push_back({.classifier = Classifier::svm, .combining = row.value});
  for (const Metric metric : all_metrics()) known.push_back({.metric = metric});
  for (const Metric metric : learnable_metrics()) {
    for (const Criterion criterion : all_criteria())
      for (const Adjustment adjustment : all_adjustments())
        known.push_back({.metric = metric, .learning = Method::Learning{criterion, adjustment}});
    for (const Criterion criterion : subspace_criteria())
      known.push_back({.metric = metric, .learning = Method::Learning{.criterion = criterion, .subspace = true}});
  }
  for (const Criterion criterion : printed_criteria)
    for (const Adjustment adjustment : printed_adjustments)
      known.push_back({.learning = Method::Learning{criterion, adjustment, false, true},
                       .classifier = has_soft_margin(criterion) ? Classifier::svm : Classifier::knn});
  return known;
}

/// Methods that are named without a classifier of their own, or with their own names for it.
std::vector<Method> whole_methods() {
  std::vector<Method> known{{.best = true}, {.majority = true}};
  for (const Metric metric : all_metrics())
    if (has_mean(metric)) known.push_back({.metric = metric, .classifier = Classifier::mdm});
  for (const detail::ClassifierRow& row : detail::classifier_rows())
    if (!row.takes_kernels && !row.letters.empty()) known.push_back({.metric = Metric::airm, .classifier = row.value});
  return known;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Of the letters behind the colon of a method's name.
Classifier classifier_of(std::string_view method, std::string_view letters) {
  std::string known;
  for (const detail::ClassifierRow& row : detail::classifier_rows()) {
    if (!row.takes_kernels) continue;
    if (row.letters == letters) return row.value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.letters);
  }
  throw InvalidInput(fmt::format("unknown classifier '{}' of method {}; use one of {}", letters, method, known));
}

void check_combination(const Method& method) {
  const bool svm = method.classifier == Classifier::svm;
  if (method.combining && !svm) throw InvalidInput(fmt::format("{0} is for an SVM; use {0}:svm", method.name()));
  if (theta_rule(method.metric) == ThetaRule::none && (svm || method.classifier == Classifier::mean))
    throw InvalidInput(fmt::format("{0} has no positive definite kernel; use {0}:knn", method.name()));
  if (method.classifier == Classifier::mean && (method.automatic || (method.learning && !method.learning->subspace)))
    throw InvalidInput(fmt::format("{0} has no class means; use {0}:knn or {0}:svm", method.name()));
  if (method.learning && method.learning->as_printed && has_soft_margin(method.learning->criterion) && !svm)
    throw InvalidInput(fmt::format("{0} is learned for an SVM; use {0}:svm", method.name()));
}

}  // namespace

SoftMargin parse_margin(std::string_view text) {
  return detail::find_by_name(rows(margin_table), text, "margin").value;
}

ThetaRange parse_theta_range(std::string_view text) {
  return detail::find_by_name(rows(theta_range_table), text, "theta range").value;
}
std::string_view name(ThetaRange range) {
  return detail::find_by_value(rows(theta_range_table), range, "theta range").name;
}

Projecting Projecting::parse(std::string_view text) {
  for (const auto& row : projecting_table)
    if (text == row.name) return {row.value};
  Index components = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), components);
  if (error != std::errc() || end != text.data() + text.size() || components < 1)
    throw InvalidInput(fmt::format("unknown projection '{}'; use one of {} or a number of components", text,
                                   detail::choices(rows(projecting_table))));
  return {Kind::number, components};
}
std::string Projecting::text() const {
  if (kind == Kind::number) return std::to_string(components);
  return std::string(detail::find_by_value(rows(projecting_table), kind, "projection").name);
}

std::string method_choices() {
  return fmt::format(
      "auto; {0}, DSK-{{{1}}}-{{{2}}}, DSK-{{{3}}}-s ({6} in place of DSK: other metrics) or DSK-auto, each optionally "
      "followed by :knn (the default), :svm or, for plain kernels and -s, :mean ({7} only by :knn); MK:svm, "
      "MK-aligned:svm, MK-average:svm; DSK-{{{4}}}-{{{5}}}-printed; MDM, MDM-METRIC, TS:lr, TS:svm, majority",
      all_letters(all_metrics()), all_letters(all_criteria()), all_letters(all_adjustments()),
      all_letters(subspace_criteria()), all_letters(printed_criteria), all_letters(printed_adjustments),
      learned_letters(), letters_without_kernel());
}

std::string Method::name() const {
  if (!outside.empty()) return outside;
  if (best) return "auto";
  if (majority) return "majority";
  if (automatic) return "DSK-auto";
  if (combining) return std::string(detail::find_by_value(rows(combining_table), *combining, "combination").name);
  if (classifier == Classifier::mdm) return mdm_name(metric);
  if (classifier == Classifier::logistic || classifier == Classifier::tangent_svm) return "TS";
  if (!learning) return std::string(letters(metric));
  return fmt::format("D{}-{}-{}{}", letters(metric), letters(learning->criterion),
                     learning->subspace ? "s" : letters(learning->adjustment), learning->as_printed ? "-printed" : "");
}

std::string Method::full_name() const {
  const std::string_view letters = detail::find_by_value(detail::classifier_rows(), classifier, "classifier").letters;
  if (best || majority || !outside.empty() || letters.empty()) return name();
  return fmt::format("{}:{}", name(), letters);
}

bool is_from_paper(const Method& method) {
  return !method.best && !method.majority && !method.combining && method.outside.empty() &&
         (method.classifier == Classifier::knn || method.classifier == Classifier::svm) &&
         !(method.learning && method.learning->subspace);
}

bool detail::is_printed(Criterion criterion) {
  return std::find(std::begin(printed_criteria), std::end(printed_criteria), criterion) != std::end(printed_criteria);
}

bool detail::keeps_to_valid_thetas(const Method& method) {
  return is_from_paper(method) && (!method.learning || is_printed(method.learning->criterion));
}

Method Method::parse(std::string_view text) {
  for (const Method& method : whole_methods())
    if (method.full_name() == text) return method;
  const auto colon = text.find(':');
  const std::string_view wanted = text.substr(0, colon);
  const std::vector<Method> known = kernel_methods();
  const auto found = std::find_if(known.begin(), known.end(), [&](const Method& one) { return one.name() == wanted; });
  if (found == known.end())
    throw InvalidInput(fmt::format("unknown method '{}'; use one of {}", text, method_choices()));
  Method method = *found;
  if (colon != std::string_view::npos) {
    method.classifier = classifier_of(wanted, text.substr(colon + 1));
  }
  check_combination(method);
  return method;
}

std::vector<Method> Method::parse_list(std::string_view text) {
  std::vector<Method> methods;
  while (true) {
    const auto comma = text.find(',');
    methods.push_back(parse(without_blanks(text.substr(0, comma))));
    for (std::size_t k = 0; k + 1 < methods.size(); ++k)
      if (methods[k].full_name() == methods.back().full_name())
        throw InvalidInput(fmt::format("method {} is named twice", methods.back().full_name()));
    if (comma == std::string_view::npos) return methods;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace dsk

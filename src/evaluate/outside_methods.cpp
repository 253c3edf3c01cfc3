#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "evaluate/choose.hpp"
#include "evaluate/evaluate.hpp"

namespace dsk {
namespace {

void check(const OutsidePredictions& one, const Evaluation& evaluation, int classes) {
  if (one.predicted.size() != evaluation.splits.size() || one.seconds.size() != evaluation.splits.size())
    throw InvalidInput(fmt::format("predictions of {} for {} splits do not match {} splits", one.name,
                                   one.predicted.size(), evaluation.splits.size()));
  for (std::size_t s = 0; s < one.predicted.size(); ++s) {
    const std::vector<int>& codes = one.predicted[s];
    if (codes.size() != evaluation.splits[s].test.size())
      throw InvalidInput(fmt::format("{} predictions of {} do not match the {} test matrices of split {}", codes.size(),
                                     one.name, evaluation.splits[s].test.size(), s + 1));
    if (std::any_of(codes.begin(), codes.end(), [&](int code) { return code < 0 || code >= classes; }))
      throw InvalidInput(fmt::format("a prediction of {} on split {} is not a class of the data", one.name, s + 1));
  }
}

SplitResult result_of(const OutsidePredictions& one, std::size_t split, const std::vector<Index>& test,
                      const Labels& labels) {
  SplitResult result;
  result.method = result.chosen = one.name;
  result.split = static_cast<Index>(split);
  result.predicted = one.predicted[split];
  result.accuracy = accuracy(Labels(labels.names(), result.predicted, labels.integral()), labels.select(test));
  result.seconds = one.seconds[split];
  return result;
}

/// The methods by these names, those of the evaluation and the others.
std::vector<Method> methods_of(const Evaluation& evaluation, const std::vector<std::string>& order,
                               const std::vector<OutsidePredictions>& others) {
  std::vector<Method> methods;
  for (const std::string& name : order) {
    if (std::any_of(methods.begin(), methods.end(), [&](const Method& one) { return one.full_name() == name; }))
      throw InvalidInput(fmt::format("method {} is named twice", name));
    const auto own = std::find_if(evaluation.methods.begin(), evaluation.methods.end(),
                                  [&](const MethodResult& one) { return one.method.full_name() == name; });
    const bool outside = std::any_of(others.begin(), others.end(), [&](const auto& one) { return one.name == name; });
    if (own != evaluation.methods.end() && !outside)
      methods.push_back(own->method);
    else if (outside && own == evaluation.methods.end())
      methods.push_back({.outside = name});
    else
      throw InvalidInput(fmt::format("method {} is {}", name, outside ? "named twice" : "unknown"));
  }
  return methods;
}

}  // namespace

Evaluation with_predictions(Evaluation evaluation, const Dataset& data, const std::vector<std::string>& order,
                            const std::vector<OutsidePredictions>& others) {
  const Labels& labels = data.labels();
  for (const OutsidePredictions& one : others) check(one, evaluation, static_cast<int>(labels.names().size()));
  const std::vector<Method> methods = methods_of(evaluation, order, others);
  std::vector<SplitResult> results;
  for (std::size_t s = 0; s < evaluation.splits.size(); ++s)
    for (const std::string& name : order) {
      const auto outside =
          std::find_if(others.begin(), others.end(), [&](const auto& one) { return one.name == name; });
      if (outside != others.end()) {
        results.push_back(result_of(*outside, s, evaluation.splits[s].test, labels));
        continue;
      }
      for (const SplitResult& known : evaluation.results)
        if (known.method == name && known.split == static_cast<Index>(s)) results.push_back(known);
    }
  evaluation.results = std::move(results);
  evaluation.methods.clear();
  evaluation.warnings.clear();
  if (evaluation.protocol.kind != Protocol::Kind::given) evaluation.warnings = detail::group_warnings(data);
  detail::summarise_methods(data, methods, evaluation);
  return evaluation;
}

}  // namespace dsk

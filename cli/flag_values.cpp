#include <dsk/cluster.hpp>
#include <dsk/covariance.hpp>
#include <dsk/describe.hpp>
#include <dsk/learn.hpp>
#include <dsk/train.hpp>
#include <dsk/transform.hpp>

#include <algorithm>

#include "command_table.hpp"

namespace dsk::cli {
namespace {

using Words = std::vector<std::string>;

/// The names in a list of choices: power and affine of "power (p), affine (a)".
Words names_in(std::string_view choices) {
  Words names;
  while (!choices.empty()) {
    const std::size_t end = std::min(choices.find(" ("), choices.find(", "));
    names.emplace_back(choices.substr(0, end));
    // An alias may itself be several, separated by commas.
    const bool has_alias = end != std::string_view::npos && choices[end + 1] == '(';
    const std::size_t next = choices.find(", ", has_alias ? choices.find(')', end) : end);
    choices.remove_prefix(next == std::string_view::npos ? choices.size() : next + 2);
  }
  return names;
}

bool is_method(const std::string& text) {
  try {
    Method::parse(text);
  } catch (const InvalidInput&) {
    return false;
  }
  return true;
}

Words method_names() {
  Words kernels{"DSK-auto", "TS", "MK", "MK-aligned", "MK-average"}, methods{"auto", "MDM", "majority"};
  for (const Metric metric : all_metrics()) {
    const std::string letters(dsk::letters(metric));
    kernels.push_back(letters);
    methods.push_back("MDM-" + std::string(name(metric)));
    for (const Criterion criterion : all_criteria()) {
      const std::string learned = "D" + letters + "-" + std::string(dsk::letters(criterion)) + "-";
      for (const Adjustment adjustment : all_adjustments())
        for (const char* const end : {"", "-printed"})
          kernels.push_back(learned + std::string(dsk::letters(adjustment)) + end);
      kernels.push_back(learned + "s");
    }
  }
  for (const std::string& kernel : kernels)
    for (const char* const classifier : {":knn", ":svm", ":mean", ":lr"}) methods.push_back(kernel + classifier);
  std::erase_if(methods, [](const std::string& text) { return !is_method(text); });
  return methods;
}

Words feature_names() {
  Words names;
  for (const NamedFeature& feature : named_features()) names.emplace_back(feature.name);
  return names;
}

Words adjustments_or_none() {
  Words names = names_in(adjustment_choices());
  names.emplace_back("none");
  return names;
}

using Kind = TableOption::Value;

struct FlagValues {
  std::string_view command;  ///< empty: any
  std::string_view flag;
  Words values;
  Kind kind = Kind::word;
};

/// The first row that fits holds. What no library's table lists is accepted by the parser of its flag, as a test
/// checks.
const std::vector<FlagValues>& table() {
  static const std::vector<FlagValues> rows{
      {"dsk learn", "--metric", names_in(learnable_metric_choices())},
      {"", "--metric", names_in(metric_choices())},
      {"", "--criterion", names_in(criterion_choices())},
      {"dsk learn", "--adjust", adjustments_or_none()},
      {"", "--adjust", names_in(adjustment_choices())},
      {"dsk learn", "--classifier", {"knn", "svm"}},
      {"", "--classifier", names_in(classifier_choices())},
      {"", "--methods", method_names(), Kind::list},
      {"", "--protocol", {"halves:", "kfold:", "loo", "logo", "given:"}},
      {"", "--method", names_in(cluster_method_choices())},
      {"", "--estimator", names_in(estimator_choices())},
      {"", "--features", feature_names(), Kind::list},
      {"dsk learn", "--recentre", {"none", "all"}},
      {"", "--recentre", names_in(recentring_choices())},
      {"dsk learn", "--project", {"none", "auto", "start"}},
      {"", "--project", {"none", "auto", "start", "ladder"}},
      {"", "--theta-range", {"auto", "valid", "any"}},
      {"", "--scale", {"none", "unit"}},
      {"", "--margin", {"linear", "squared"}},
      {"dsk train", "--landmarks", {"adaptive", "greedy", "uniform"}},
      {"", "--approximate", {"nystrom:auto", "nystrom:error="}},
      {"dsk train", "--kernel", {"combined"}, Kind::word_or_file},
      {"", "--repair", {"shrink", "ridge", "clip"}},
      {"", "--repair-all", {"shrink", "ridge", "clip"}},
      {"", "--part", {"train", "test"}},
      {"", "--device", {"cpu", "cuda"}},
      {"", "--layout", {"auto", "channels-first", "samples-first"}},
  };
  return rows;
}

}  // namespace

void add_values(const std::string& command, TableOption& option) {
  for (const FlagValues& row : table())
    for (const std::string& name : option.names)
      if (name == row.flag && (row.command.empty() || row.command == command)) {
        option.values = row.values;
        option.value = row.kind;
        return;
      }
  if (option.standard == "auto") {
    option.values = {"auto"};
    option.value = TableOption::Value::word;
  }
}

}  // namespace dsk::cli

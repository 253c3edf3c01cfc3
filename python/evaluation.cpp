#include <dsk/report.hpp>

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

/// By its name, or by the parts of a given split.
Protocol protocol_of(const std::string& text, const std::optional<LabelParts>& parts) {
  return parts ? Protocol::given(*as_labels(parts)) : Protocol::parse(text);
}

std::vector<std::pair<std::vector<Index>, std::vector<Index>>> splits_of(const Dataset& data, const std::string& text,
                                                                         const std::optional<LabelParts>& parts,
                                                                         std::uint64_t seed) {
  std::vector<std::pair<std::vector<Index>, std::vector<Index>>> result;
  for (Split& split : make_splits(data, protocol_of(text, parts), seed))
    result.emplace_back(std::move(split.train), std::move(split.test));
  return result;
}

Evaluation run(const Dataset& data, const std::string& methods, const std::string& protocol,
               const std::optional<LabelParts>& parts, std::uint64_t seed, const SelectionOptions& selection,
               const std::optional<std::filesystem::path>& results_file, int threads, nb::object on_result) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = protocol_of(protocol, parts);
  options.seed = seed;
  options.selection = selection;
  options.threads = threads;
  options.results_file = results_file.value_or("");
  Listener listener(std::move(on_result));
  options.on_progress = [&](const EvaluationOptions::Progress& now) {
    return listener.report_progress(now.done, now.all);
  };
  try {
    return compute([&] { return evaluate(data, options); });
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

nb::dict as_dict(const MethodResult& result, const Evaluation& evaluation) {
  nb::dict row;
  row["method"] = result.method.full_name();
  row["mean"] = result.accuracy.mean;
  row["std"] = result.accuracies.size() > 1 ? nb::cast(result.accuracy.deviation) : nb::none();
  row["interval"] = result.interval ? nb::cast(std::pair(result.interval->low, result.interval->high)) : nb::none();
  row["balanced_mean"] = result.balanced_accuracy.mean;
  row["balanced_std"] =
      result.balanced_accuracies.size() > 1 ? nb::cast(result.balanced_accuracy.deviation) : nb::none();
  row["answers_one_class"] = result.answers_one_class;
  const bool compared = result.against.has_value();
  const PairedComparison against = result.against.value_or(PairedComparison());
  const auto or_none = [&](double value) { return compared ? nb::cast(value) : nb::none(); };
  row["baseline"] = compared ? nb::cast(evaluation.methods[result.baseline].method.full_name()) : nb::none();
  row["difference"] = or_none(against.difference);
  row["low"] = or_none(against.low);
  row["high"] = or_none(against.high);
  row["test"] = compared ? nb::cast(std::string(name(against.test))) : nb::none();
  row["p"] = or_none(against.p);
  row["p_holm"] = or_none(against.holm_p);
  row["p_student"] = or_none(against.student_p);
  row["p_wilcoxon"] = or_none(against.wilcoxon_p);
  row["seconds"] = result.seconds;
  return row;
}

nb::dict as_dict(const SplitResult& result) {
  nb::dict row;
  row["method"] = result.method;
  row["split"] = result.split;
  row["accuracy"] = result.accuracy;
  row["theta"] = result.theta;
  row["setting"] = result.neighbours_or_c;
  row["penalty"] = result.penalty;
  row["validation_accuracy"] = result.validation_accuracy;
  row["chosen"] = result.chosen;
  row["seconds"] = result.seconds;
  return row;
}

template <class Rows, class... More>
nb::list as_list(const Rows& rows, const More&... more) {
  nb::list list;
  for (const auto& row : rows) list.append(as_dict(row, more...));
  return list;
}

}  // namespace

void bind_evaluation(nb::module_& module) {
  nb::class_<Evaluation>(module, "Evaluation", "The results of evaluate")
      .def_prop_ro("methods", [](const Evaluation& self) { return as_list(self.methods, self); })
      .def_prop_ro("results", [](const Evaluation& self) { return as_list(self.results); })
      .def_prop_ro("answer", [](const Evaluation& self) { return answer(self); })
      .def_ro("warnings", &Evaluation::warnings)
      .def_ro("not_scored", &Evaluation::not_scored)
      .def_prop_ro("protocol", [](const Evaluation& self) { return protocol_in_words(self); })
      .def_prop_ro("tests", [](const Evaluation& self) { return tests_in_words(self); })
      .def_prop_ro("settings",
                   [](const Evaluation& self) {
                     nb::dict settings;
                     for (const auto& [name, value] : settings_of(self)) settings[name.c_str()] = value;
                     return settings;
                   })
      .def_prop_ro("splits", [](const Evaluation& self) { return self.splits.size(); })
      .def("confusion", [](const Evaluation& self,
                           std::size_t method) { return as_array(Matrix(self.methods.at(method).confusion)); })
      .def("split",
           [](const Evaluation& self, std::size_t number) {
             const Split& split = self.splits.at(number);
             return std::pair(split.train, split.test);
           })
      .def("page",
           [](const Evaluation& self, const std::string& command, const std::string& date) {
             return compute([&] { return evaluation_page(self, {.command = command, .date = date}); });
           })
      .def("report",
           [](const Evaluation& self, const std::filesystem::path& file, const std::string& command,
              const std::string& date) { compute([&] { report(self, file, {.command = command, .date = date}); }); });
  module.def("evaluate", &run, "data"_a, "methods"_a, "protocol"_a, "parts"_a.none(), "seed"_a, "selection"_a,
             "results_file"_a.none(), "threads"_a, "on_result"_a.none());
  module.def("make_splits", &splits_of, "data"_a, "protocol"_a, "parts"_a.none(), "seed"_a);
  module.def(
      "with_predictions",
      [](const Evaluation& evaluation, const Dataset& data, const std::vector<std::string>& order,
         const std::vector<std::string>& names, const std::vector<std::vector<std::vector<int>>>& predicted,
         const std::vector<std::vector<double>>& seconds) {
        std::vector<OutsidePredictions> others;
        for (std::size_t k = 0; k < names.size(); ++k) others.push_back({names[k], predicted.at(k), seconds.at(k)});
        return compute([&] { return with_predictions(evaluation, data, order, others); });
      },
      "evaluation"_a, "data"_a, "order"_a, "names"_a, "predicted"_a, "seconds"_a);
}

}  // namespace dsk::python

#include <dsk/report.hpp>

#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings.hpp"
#include "computation.hpp"
#include "conversions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dsk::python {
namespace {

struct Evaluated {
  Dataset data;
  EvaluationOptions options;
  Evaluation evaluation;
};

Evaluated run(const Dataset& data, const std::string& methods, const std::string& protocol, std::uint64_t seed,
              const SelectionOptions& selection, int threads, nb::object on_result) {
  EvaluationOptions options;
  options.methods = Method::parse_list(methods);
  options.protocol = Protocol::parse(protocol);
  options.seed = seed;
  options.selection = selection;
  options.threads = threads;
  Listener listener(std::move(on_result));
  const std::size_t total = make_splits(data, options.protocol, seed).size() * options.methods.size();
  std::size_t done = 0;
  options.on_result = [&](const SplitResult&) { return listener.tell(++done, total); };
  try {
    Evaluation evaluation = compute([&] { return evaluate(data, options); });
    options.on_result = nullptr;
    return {data, std::move(options), std::move(evaluation)};
  } catch (const Cancelled&) {
    listener.raise_again();
    throw;
  }
}

nb::dict as_dict(const MethodResult& result, const Evaluation& evaluation) {
  nb::dict row;
  row["method"] = result.method.full_name();
  row["mean"] = result.accuracy.mean;
  row["std"] = result.accuracy.deviation;
  row["balanced_mean"] = result.balanced_accuracy.mean;
  row["balanced_std"] = result.balanced_accuracy.deviation;
  const bool compared = result.against.has_value();
  const PairedComparison against = result.against.value_or(PairedComparison());
  const auto or_none = [&](double value) { return compared ? nb::cast(value) : nb::none(); };
  row["baseline"] = compared ? nb::cast(evaluation.methods[result.baseline].method.full_name()) : nb::none();
  row["difference"] = or_none(against.difference);
  row["low"] = or_none(against.low);
  row["high"] = or_none(against.high);
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
  row["setting"] = result.setting;
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
  nb::class_<Evaluated>(module, "Evaluation", "What evaluate found")
      .def_prop_ro("methods", [](const Evaluated& self) { return as_list(self.evaluation.methods, self.evaluation); })
      .def_prop_ro("results", [](const Evaluated& self) { return as_list(self.evaluation.results); })
      .def_prop_ro("answer", [](const Evaluated& self) { return answer(self.evaluation); })
      .def("confusion",
           [](const Evaluated& self, std::size_t method) {
             return as_array(Matrix(self.evaluation.methods.at(method).confusion));
           })
      .def("split",
           [](const Evaluated& self, std::size_t number) {
             const Split& split = self.evaluation.splits.at(number);
             return std::pair(split.train, split.test);
           })
      .def(
          "page",
          [](const Evaluated& self, const std::vector<std::pair<std::string, std::string>>& settings) {
            std::vector<Setting> list;
            for (const auto& [name, value] : settings) list.push_back({name, value});
            return compute([&] { return evaluation_page(self.data, self.evaluation, self.options, list); });
          },
          "settings"_a);
  module.def("evaluate", &run, "data"_a, "methods"_a, "protocol"_a, "seed"_a, "selection"_a, "threads"_a,
             "on_result"_a.none());
}

}  // namespace dsk::python

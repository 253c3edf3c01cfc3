#pragma once

#include <dsk/evaluate.hpp>

#include <string>
#include <vector>

namespace dsk {

struct LineSeries {
  std::string name;
  std::vector<double> x, y;
};

/// Several series in one frame. A value that is not a number interrupts its line. On a logarithmic axis only positive
/// values are shown.
struct LineChart {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<LineSeries> series = {};
  bool logarithmic_x = false, logarithmic_y = false;
};

/// One line of the settings that a report lists.
struct Setting {
  std::string name, value;
};

/// The result of an evaluation in one sentence.
std::string answer(const Evaluation& evaluation);

/// A self-contained HTML page with the results of evaluate(data, options): accuracies, differences from the baseline, the
/// confusion matrix, a learned kernel, and the settings, which the caller lists. It uses no scripts and nothing from the
/// network.
std::string evaluation_page(const Dataset& data, const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<Setting>& settings);

}  // namespace dsk

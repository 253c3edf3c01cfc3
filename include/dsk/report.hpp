#pragma once

#include <dsk/evaluate.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dsk {

struct LineSeries {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> error = {};  ///< half the length of the error bars, in units of y; may be empty
};

/// Several series in one frame. A value that is not a number interrupts its line. On a logarithmic axis only positive
/// values are shown.
struct LineChart {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<LineSeries> series = {};
  bool logarithmic_x = false, logarithmic_y = false;
};

/// Where an evaluation came from, for its page. Empty entries are left out.
struct ReportSource {
  std::string data = {};     ///< the file, or what else the matrices are
  std::string command = {};  ///< that computes the evaluation again
  std::string date = {};
};

/// A self-contained HTML page that shows an evaluation: accuracies, differences from the baseline, the confusion
/// matrix, what was chosen, the first learned subspace and kernel, where it came from, and the settings. It uses no
/// scripts and nothing from the network.
std::string evaluation_page(const Evaluation& evaluation, const ReportSource& source = {});

/// Writes that page. The file is written completely or not at all; throws InvalidInput, with its name, if it cannot be
/// written.
void report(const Evaluation& evaluation, const std::filesystem::path& file, const ReportSource& source = {});

}  // namespace dsk

#pragma once

#include <dsk/evaluate.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsk {

// What the figures of a Page show. Names may hold any bytes; numbers may be infinite or not a number: such values are
// left out of the drawing or said to be missing. What is more than a screen can show is thinned out, and the caption
// says so.

struct IntervalRow {
  std::string name;
  double mean, low, high;
};

/// One row per method: the mean as a dot, the interval as a line, the value in print.
struct IntervalChart {
  std::string caption = {};
  std::string axis = {};  ///< what is measured, with its unit
  std::vector<IntervalRow> rows = {};
  std::optional<std::size_t> baseline = {};  ///< the row whose mean is drawn through all others
};

struct DifferenceRow {
  std::string name;
  std::vector<double> differences;  ///< one per split
};

/// One row per method: a dot for each split's difference to the baseline, their mean, and a line at zero.
struct DifferenceChart {
  std::string caption = {};
  std::string axis = {};
  std::vector<DifferenceRow> rows = {};
};

/// Shaded by the share of its row; numbers are printed for up to 15 classes.
struct ConfusionMatrix {
  std::string caption = {};
  std::vector<std::string> names = {};
  std::vector<long> counts = {};  ///< row-major: row = true class, column = predicted class
};

/// One bar per value, from zero. Bars are numbered from 1 unless they have names.
struct BarChart {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<double> values = {};
  std::optional<double> reference = {};  ///< where to draw a line across
  std::vector<std::string> names = {};
};

struct LineSeries {
  std::string name;
  std::vector<double> x, y;
};

/// Several series in one frame; a point that is not a number parts its line. On a logarithmic axis only positive values
/// are shown.
struct LineChart {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<LineSeries> series = {};
  bool logarithmic_x = false, logarithmic_y = false;
};

/// A square picture of size x size values (row-major), dark where they are large.
struct HeatMap {
  std::string caption = {};
  std::vector<double> values = {};
  long size = 0;
  std::vector<long> marks = {};  ///< positions of lines between classes
};

/// Two pictures in the same colours, side by side where there is room.
struct HeatMapPair {
  std::string caption = {};
  HeatMap left = {}, right = {};
};

struct Scatter {
  std::string caption = {};
  std::vector<double> x = {}, y = {};
  std::vector<long> classes = {};  ///< of each point, as positions in the names of the pair
};

/// Two clouds of points, side by side where there is room; a unit is as long upwards as to the right.
struct ScatterPair {
  std::string caption = {};
  std::vector<std::string> names = {};  ///< of the classes
  Scatter left = {}, right = {};
};

/// A page for people to look at: one self-contained HTML file with figures drawn as SVG, for light and dark screens of
/// any width, without scripts and without anything from the network. The same calls give the same bytes.
class Page {
 public:
  explicit Page(const std::string& title);

  /// What the page says, in one sentence; stands under the title wherever it is added.
  void add_answer(const std::string& text);
  void add_heading(const std::string& text);
  void add_text(const std::string& text);
  /// The first row is the header, the first column holds names. Columns of numbers are aligned on the right. `best` is
  /// the row to mark, counted from the header, which is 0; 0 marks none.
  void add_table(const std::vector<std::vector<std::string>>& rows, std::size_t best = 0);
  /// What somebody needs to see the same again.
  void add_settings(const std::vector<Setting>& settings);

  void add_interval_chart(const IntervalChart& chart);
  void add_difference_chart(const DifferenceChart& chart);
  void add_confusion_matrix(const ConfusionMatrix& matrix);
  void add_bar_chart(const BarChart& chart);
  void add_line_chart(const LineChart& chart);
  void add_heat_map(const HeatMap& map);
  void add_heat_map(const std::string& caption, const std::vector<double>& values, long size,
                    const std::vector<long>& marks = {});
  void add_heat_map_pair(const HeatMapPair& pair);
  void add_scatter_pair(const ScatterPair& pair);

  std::string html() const;

 private:
  std::string title_;
  std::string answer_;
  std::string body_;
};

/// The outcome in one sentence.
std::string answer(const Evaluation& evaluation);

/// A page that shows an evaluation, as HTML: accuracies, differences, the confusion matrix, the first learned kernel
/// and the settings.
std::string evaluation_page(const Evaluation& evaluation);

/// Writes that page. The file appears whole or not at all; throws InvalidInput, with its name, if it cannot be written.
void write_report(const Evaluation& evaluation, const std::filesystem::path& file);

}  // namespace dsk

#pragma once

#include <dsk/evaluate.hpp>
#include <dsk/report.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsk {

// The figures of a Page. Names may contain any bytes. Values that are infinite or not a number are left out of the
// drawing or marked as missing. Data too large for a screen are thinned out, and the caption says so.

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

/// The chart as an SVG file of its own, without the caption.
std::string line_chart_svg(const LineChart& chart);

struct IntervalRow {
  std::string name;
  double mean, low, high;
};

/// One row per method: a dot at the mean, a line for the interval, and both as text.
struct IntervalChart {
  std::string caption = {};
  std::string axis = {};  ///< quantity and unit
  std::vector<IntervalRow> rows = {};
  std::optional<std::size_t> baseline = {};  ///< the row whose mean is drawn as a line through all rows
};

struct DifferenceRow {
  std::string name;
  std::vector<double> differences;  ///< one per split
};

/// One row per method: a dot for the difference from the baseline on each split, their mean, and a line at zero.
struct DifferenceChart {
  std::string caption = {};
  std::string axis = {};
  std::vector<DifferenceRow> rows = {};
};

/// What a method predicted for one matrix over all splits.
struct PredictedMatrix {
  Index number = 0;                ///< in the data set, counted from 0
  std::map<int, long> times = {};  ///< how often each class was predicted
};

/// Each cell is shaded by its fraction of the row. Counts are printed for up to 15 classes.
struct ConfusionMatrix {
  std::string caption = {};
  std::vector<std::string> names = {};
  std::vector<long> counts = {};  ///< row-major; rows are true classes, columns predicted classes
  /// The matrices of each class, to be listed below the figure; may be empty.
  std::vector<std::vector<PredictedMatrix>> members = {};
};

/// One bar per value, starting at zero. Bars without names are numbered from 1.
struct BarChart {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<double> values = {};
  std::optional<double> reference = {};  ///< value at which to draw a horizontal line
  std::vector<std::string> names = {};
};

/// Several bar charts with the same axes, side by side if there is room.
struct BarPanels {
  std::string caption = {};
  std::string x_axis = {}, y_axis = {};
  std::vector<std::string> titles = {};          ///< one for each chart
  std::vector<std::vector<double>> values = {};  ///< for each chart, equally many
  std::vector<std::string> names = {};           ///< of the bars; without: numbers from 1
};

/// A square image of size x size values (row-major); large values are dark.
struct HeatMap {
  std::string caption = {};
  std::vector<double> values = {};
  long size = 0;
  std::vector<long> marks = {};  ///< positions of lines between classes
};

/// Two images, each with its own colour scale, side by side if there is room.
struct HeatMapPair {
  std::string caption = {};
  HeatMap left = {}, right = {};
};

struct Scatter {
  std::string caption = {};
  std::vector<double> x = {}, y = {};
  std::vector<long> classes = {};  ///< of each point, as positions in the names of the pair
};

/// Two scatter plots, side by side if there is room, with the same unit on both axes of a plot.
struct ScatterPair {
  std::string caption = {};
  std::vector<std::string> names = {};  ///< class names
  Scatter left = {}, right = {};
};

/// A self-contained HTML page with figures drawn as SVG, for light and dark screens of any width. It uses no scripts
/// and nothing from the network. The same calls give the same bytes.
class Page {
 public:
  explicit Page(const std::string& title);

  /// The result in one sentence; shown under the title wherever it is added.
  void add_answer(const std::string& text);
  void add_heading(const std::string& text);
  void add_text(const std::string& text);
  /// The first row is the header, the first column contains names. Columns of numbers are right-aligned. `best` is the
  /// row to highlight, counting the header as row 0; 0 highlights none.
  void add_table(const std::vector<std::vector<std::string>>& rows, std::size_t best = 0);
  /// The settings needed to reproduce the page.
  void add_settings(const std::vector<Evaluation::Setting>& settings);

  void add_interval_chart(const IntervalChart& chart);
  void add_difference_chart(const DifferenceChart& chart);
  /// With members, at most once in a page: classes and cells are links to the lists of their matrices.
  void add_confusion_matrix(const ConfusionMatrix& matrix);
  void add_bar_chart(const BarChart& chart);
  void add_bar_panels(const BarPanels& panels);
  void add_line_chart(const LineChart& chart);
  void add_heat_map(const HeatMap& map);
  void add_heat_map_pair(const HeatMapPair& pair);
  void add_scatter_pair(const ScatterPair& pair);

  std::string html() const;

 private:
  std::string title_;
  std::string answer_;
  std::string body_;
};

/// What the method's name stands for, such as "k nearest neighbours by the Stein distance" for SK:knn.
std::string in_words(const Method& method);

/// The settings of every method over the splits, what `auto` and combined kernels chose on each split, how the kinds of
/// candidates compared over all splits, and the accuracy in cross-validation against the size of the subspace for every
/// method that tried several sizes.
void add_choices(Page& page, const Evaluation& evaluation);

/// An evaluated kernel: its alpha, how its objective grew, and test matrices before and after adjusting, as kernel
/// matrices and in two dimensions.
void add_kernel_figures(Page& page, const Evaluation::Kernel& kernel, const std::vector<std::string>& class_names);

/// An evaluated subspace: the weights and patterns of its components over the features, which may have names, and test
/// matrices before and after the projection in two dimensions.
void add_subspace_figures(Page& page, const Evaluation::Subspace& subspace, const std::vector<std::string>& class_names,
                          const std::vector<std::string>& channels);

}  // namespace dsk

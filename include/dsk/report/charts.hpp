#pragma once

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

struct Setting {
  std::string name, value;
};

}  // namespace dsk

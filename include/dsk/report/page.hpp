#pragma once

#include <dsk/report/charts.hpp>

#include <string>
#include <vector>

namespace dsk {

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

}  // namespace dsk

// Outcomes of experiments as text and as pages.

#include <dsk/experiment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "report/report.hpp"

namespace dsk::experiment {
namespace {

/// In characters, not bytes: the tables contain the plus-minus sign.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string row_text(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string text = "|";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(widths[c] - width_of(cells[c]), ' ');
    text += c == 0 ? fmt::format(" {}{} |", cells[c], padding) : fmt::format(" {}{} |", padding, cells[c]);
  }
  return text + "\n";
}

std::string table_text(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> widths(table[0].size(), 3);
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  std::string text = row_text(table[0], widths) + "|";
  for (std::size_t c = 0; c < widths.size(); ++c)
    text += c == 0 ? std::string(widths[c] + 2, '-') + "|" : std::string(widths[c] + 1, '-') + ":|";
  text += "\n";
  for (std::size_t r = 1; r < table.size(); ++r) text += row_text(table[r], widths);
  return text;
}

}  // namespace

void say_quick(Outcome& outcome, const RunOptions& options, std::string_view uses) {
  if (!options.quick) return;
  outcome.sections.front().text.insert(
      outcome.sections.front().text.begin(),
      fmt::format("This quick run uses {}, and five splits where the whole experiment has more.", uses));
}

std::vector<Evaluation::Setting> settings(const RunOptions& options, std::string_view name,
                                          const std::vector<Evaluation>& evaluations) {
  std::string command = fmt::format("dsk experiment {}", name);
  if (!find_experiment(name).data.empty()) command += " --data DIR";
  if (options.quick) command += " --quick";
  if (options.splits > 0) command += fmt::format(" --splits {}", options.splits);
  if (options.minutes > 0) command += fmt::format(" --minutes {}", options.minutes);
  if (!options.alpha0.empty()) command += fmt::format(" --alpha0 {}", fmt::join(options.alpha0, ","));
  command += fmt::format(" --seed {}", options.seed);
  std::vector<Evaluation::Setting> list{{"command", std::move(command)}};
  if (evaluations.empty()) return list;
  std::size_t fewest = evaluations.front().splits.size(), most = fewest;
  double seconds = 0;
  for (const Evaluation& one : evaluations) {
    fewest = std::min(fewest, one.splits.size());
    most = std::max(most, one.splits.size());
    for (const SplitResult& result : one.results) seconds += result.seconds;
  }
  list.push_back(
      {"splits", fewest == most ? std::to_string(most) : fmt::format("{} to {}, depending on the task", fewest, most)});
  list.push_back({"computing time", fmt::format("{:.1f} minutes on one core", seconds / 60)});
  return list;
}

std::string as_text(const Outcome& outcome, const std::function<std::string(const LineChart&)>& figure) {
  std::string text = fmt::format("## {}\n\n{}\n", outcome.title, outcome.answer);
  for (const OutcomeSection& section : outcome.sections) {
    if (!section.heading.empty()) text += fmt::format("\n### {}\n", section.heading);
    if (!section.table.empty()) text += fmt::format("\n{}", table_text(section.table));
    if (figure)
      for (const LineChart& chart : section.lines)
        text += fmt::format("\n![{0}]({1})\n\n*{0}*\n", chart.caption, figure(chart));
    for (const std::string& paragraph : section.text) text += fmt::format("\n{}\n", paragraph);
  }
  text += "\n";
  for (const Evaluation::Setting& setting : outcome.settings)
    text += fmt::format("- {}: {}\n", setting.name, setting.value);
  return text;
}

std::string as_page(const Outcome& outcome) {
  Page page(outcome.title);
  page.add_answer(outcome.answer);
  for (const OutcomeSection& section : outcome.sections) {
    if (!section.heading.empty()) page.add_heading(section.heading);
    for (const LineChart& chart : section.lines) page.add_line_chart(chart);
    if (!section.table.empty()) page.add_table(section.table);
    for (const std::string& paragraph : section.text) page.add_text(paragraph);
  }
  page.add_heading("Reproduce this report");
  page.add_settings(outcome.settings);
  return page.html();
}

}  // namespace dsk::experiment

// The list of experiments, and their outcomes as text and as pages.

#include <dsk/experiment.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment.hpp"
#include "report/report.hpp"

namespace dsk {
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

/// An experiment and the function that runs it.
struct ExperimentRow {
  Experiment experiment;
  experiment::Outcome (*run)(const experiment::RunOptions& options);
};

const std::vector<ExperimentRow>& rows() {
  static const std::vector<ExperimentRow> list = {
      {{"eigenvalue-bias", "Section III.A", "", "bias of the eigenvalues of sample covariances", false},
       experiment::eigenvalue_bias},
      {{"brodatz-pairs", "Tables III and IV", "brodatz", "the 15 hardest pairs of textures, all methods"},
       experiment::brodatz_pairs},
      {{"brodatz-samples", "Fig. 1 (a)", "brodatz", "accuracy against the number of pixels"},
       experiment::brodatz_samples},
      {{"faces-samples", "Fig. 1 (b)", "orl", "accuracy against the number of pixels, hard pairs of faces"},
       experiment::faces_samples},
      {{"brodatz-all", "Table V", "brodatz", "112 textures, all methods but the SVM"}, experiment::brodatz_all_knn},
      {{"brodatz-all-svm", "Table V", "brodatz", "112 textures, the SVM"}, experiment::brodatz_all_svm},
      {{"faces", "Table VI", "orl", "faces, all methods"}, experiment::faces_table},
      {{"faces-neighbours", "Fig. 2", "orl", "accuracy against the numbers of people and neighbours; learned alpha"},
       experiment::faces_neighbours},
      {{"objects", "Table VII", "eth80", "8 classes of objects, all methods; split by image and by object"},
       experiment::objects_table},
      {{"brain", "Table VIII", "fnc", "patients and controls, leave-one-out, all methods", false},
       experiment::brain_table},
      {{"timing", "Fig. 3", "", "time for a similarity matrix of 100 matrices against their size", false},
       experiment::timing},
      {{"wishart-tau", "Fig. 4 (a, b)", "", "accuracy and p against the difference between two classes"},
       experiment::wishart_tau},
      {{"wishart-dof", "Fig. 4 (c, d)", "", "accuracy and p against the degrees of freedom"}, experiment::wishart_dof},
      {{"estimators", "Table IX", "brodatz, orl, eth80, fnc", "corrected and learned eigenvalues"},
       experiment::estimators},
      {{"convergence", "supplement", "brodatz", "objective against iterations", false}, experiment::convergence},
      {{"eeg", "not in the paper", "ssvep", "epochs of 12 subjects, all methods; leave one subject out"},
       experiment::eeg_table},
  };
  return list;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = [] {
    std::vector<Experiment> all;
    for (const ExperimentRow& row : rows()) all.push_back(row.experiment);
    return all;
  }();
  return list;
}

const Experiment& find_experiment(std::string_view name) {
  const auto& all = experiments();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& one) { return one.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const Experiment& one : all) names += (names.empty() ? "" : ", ") + std::string(one.name);
  throw InvalidInput(fmt::format("unknown experiment '{}'; available: {}", name, names));
}

namespace experiment {

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

Outcome run(std::string_view name, const RunOptions& options) {
  const Experiment& wanted = find_experiment(name);
  return rows()[static_cast<std::size_t>(&wanted - experiments().data())].run(options);
}

}  // namespace experiment
}  // namespace dsk

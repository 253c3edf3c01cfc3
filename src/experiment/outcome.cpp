// The list of experiments, and their outcomes as text and as pages.

#include <dsk/experiment.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

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
      {{"brodatz-all", "Table V", "brodatz", "112 textures, all methods"}, experiment::brodatz_all},
      {{"faces", "Table VI and Fig. 2", "orl", "faces, all methods; effect of classes and neighbours; learned alpha"},
       experiment::faces_table},
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

// The page of all results, written from the files of the runs.

namespace {

using detail::Json;
namespace fs = std::filesystem;

constexpr std::string_view summary_begins = "<!-- summary: written by hand; dsk experiment render keeps it -->";
constexpr std::string_view summary_ends = "<!-- end of the summary; everything below is written by dsk -->";

struct ResultsFile {
  fs::path path;
  Json content;
};

/// The results files of experiments in the folder, by name. Other files are no concern of ours.
std::map<std::string, ResultsFile> results_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InvalidInput(fmt::format("{}: is not a folder", folder.string()));
  std::map<std::string, ResultsFile> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path());
    Json content = Json::parse(stream, nullptr, false);
    if (!content.is_object() || !content.contains("experiment") || !content["experiment"].is_string()) continue;
    const auto name = content["experiment"].get<std::string>();
    if (const auto same = found.find(name); same != found.end())
      throw InvalidInput(fmt::format("{} and {} both hold results of the experiment {}", same->second.path.string(),
                                     entry.path().string(), name));
    found[name] = {entry.path(), std::move(content)};
  }
  return found;
}

LineChart chart_from(const Json& json) {
  LineChart chart{.caption = json.at("caption").get<std::string>(),
                  .x_axis = json.at("x").get<std::string>(),
                  .y_axis = json.at("y").get<std::string>(),
                  .logarithmic_x = json.value("logarithmic_x", false),
                  .logarithmic_y = json.value("logarithmic_y", false)};
  // A number that is none was written as null.
  const auto numbers = [](const Json& list) {
    std::vector<double> values;
    for (const Json& value : list)
      values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    return values;
  };
  for (const Json& line : json.at("lines"))
    chart.series.push_back({line.at("name").get<std::string>(), numbers(line.at("x")), numbers(line.at("y"))});
  return chart;
}

/// "0.4.0 on AMD EPYC, 2 threads", of every version and machine that contributed.
std::string makers_of(const Json& content) {
  std::string text;
  if (content.contains("made_by"))
    for (const Json& one : content["made_by"])
      text += fmt::format("{}{} on {}, {} thread{}", text.empty() ? "" : "; ", one.at("version").get<std::string>(),
                          one.at("cpu").get<std::string>(), one.at("threads").get<int>(),
                          one.at("threads").get<int>() == 1 ? "" : "s");
  return text.empty() ? "not recorded" : text;
}

experiment::Outcome outcome_from(const ResultsFile& file) try {
  const Json& json = file.content.at("outcome");
  experiment::Outcome outcome{.title = json.at("title").get<std::string>(),
                              .answer = json.at("answer").get<std::string>()};
  for (const Json& one : json.at("sections")) {
    experiment::OutcomeSection section{.heading = one.at("heading").get<std::string>(),
                                       .text = one.at("text").get<std::vector<std::string>>(),
                                       .table = one.at("table").get<std::vector<std::vector<std::string>>>()};
    for (const Json& chart : one.at("curves")) section.lines.push_back(chart_from(chart));
    outcome.sections.push_back(std::move(section));
  }
  for (const auto& [name, value] : json.at("settings").items())
    outcome.settings.push_back({name, value.get<std::string>()});
  outcome.settings.push_back({"made by version", makers_of(file.content)});
  return outcome;
} catch (const Json::exception&) {
  throw InvalidInput(fmt::format("{}: is damaged", file.path.string()));
}

/// What stands between the marks of an existing page; nothing if there is no page.
std::string kept_summary(const fs::path& page) {
  if (!fs::exists(page)) return "\n";
  std::ifstream stream(page);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string whole = text.str();
  const std::size_t begin = whole.find(summary_begins), end = whole.find(summary_ends);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw InvalidInput(
        fmt::format("{}: exists, but has no summary between the lines '{}' and '{}'; choose another name",
                    page.string(), summary_begins, summary_ends));
  return whole.substr(begin + summary_begins.size(), end - begin - summary_begins.size());
}

}  // namespace

RenderedResults render_experiments(const fs::path& folder, const fs::path& page) {
  const std::map<std::string, ResultsFile> found = results_in(folder);
  const std::string summary = kept_summary(page);
  RenderedResults result{.page = page};
  std::string body, missing;
  const fs::path figures = page.parent_path() / "figures";
  for (const Experiment& one : experiments()) {
    const auto file = found.find(std::string(one.name));
    if (file == found.end() || !file->second.content.contains("outcome")) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", one.name);
      continue;
    }
    int number = 0;
    const auto figure = [&](const LineChart& chart) {
      fs::create_directories(figures);
      const std::string name = fmt::format("{}-{}.svg", one.name, ++number);
      save_text(line_chart_svg(chart), figures / name);
      ++result.figures;
      return "figures/" + name;
    };
    body += "\n" + experiment::as_text(outcome_from(file->second), figure);
    ++result.experiments;
  }
  if (result.experiments == 0)
    throw InvalidInput(fmt::format("{}: holds no results of a finished experiment", folder.string()));
  if (!missing.empty()) body += fmt::format("\n## Not run\n\nThere are no finished results of: {}.\n", missing);
  save_text(fmt::format("# The experiments of the paper, reproduced\n\n{}{}{}\n{}", summary_begins, summary,
                        summary_ends, body),
            page);
  return result;
}

}  // namespace dsk

// The page of all results, written from the files of the runs.

#include <dsk/experiment.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "experiment/experiment.hpp"
#include "files/files.hpp"
#include "report/report.hpp"

namespace dsk {
namespace {

using detail::Json;
namespace fs = std::filesystem;

constexpr std::string_view summary_begins = "<!-- summary: written by hand; dsk experiment render keeps it -->";
constexpr std::string_view summary_ends = "<!-- end of the summary; everything below is written by dsk -->";

struct FinishedStudies {
  fs::path path;
  Json content;
};

/// The results files of experiments in the folder, by name. Other files are no concern of ours.
std::map<std::string, FinishedStudies> results_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InvalidInput(fmt::format("{}: is not a folder", folder.string()));
  std::map<std::string, FinishedStudies> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!experiment::is_results_name(entry.path())) continue;
    const std::string text = files::read_results(entry.path());
    if (files::is_nested_too_deeply(text)) continue;
    Json content = Json::parse(text, nullptr, false);
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

/// ", 2026-01-31 to 2026-02-01"; nothing for files of versions that did not record it.
std::string days_of(const Json& maker) {
  if (!maker.contains("from")) return "";
  const auto first = maker.at("from").get<std::string>(), last = maker.at("to").get<std::string>();
  return ", " + first + (first == last ? "" : " to " + last);
}

/// "0.4.0 (commit 1f2e3d4c5b) on AMD EPYC, 2 threads, 2026-01-31", of every version and machine that contributed.
std::string makers_of(const Json& content) {
  std::string text;
  if (content.contains("made_by"))
    for (const Json& one : content["made_by"])
      text += fmt::format(
          "{}{} on {}, {} thread{}{}", text.empty() ? "" : "; ",
          experiment::version_text(one.at("version").get<std::string>(), one.value("commit", std::string())),
          one.at("cpu").get<std::string>(), one.at("threads").get<int>(), one.at("threads").get<int>() == 1 ? "" : "s",
          days_of(one));
  return text.empty() ? "not recorded" : text;
}

experiment::Outcome outcome_from(const FinishedStudies& file) try {
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

/// What an existing page keeps: the summary between the marks, and below it the section of each experiment.
struct KeptPage {
  std::string summary = "\n";
  std::map<std::string, std::string> sections = {};  ///< by the name of the experiment, from "## " on
};

/// The experiment that made a section, as its last lines say; empty if they do not.
std::string experiment_of(const std::string& section) {
  constexpr std::string_view before = "\n- command: dsk experiment ";
  const std::size_t line = section.find(before);
  if (line == std::string::npos) return "";
  const std::size_t begin = line + before.size();
  return section.substr(begin, section.find_first_of(" \n", begin) - begin);
}

KeptPage kept_from(const fs::path& page) {
  if (!fs::exists(page)) return {};
  std::ifstream stream(page);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string whole = text.str();
  const std::size_t begin = whole.find(summary_begins), end = whole.find(summary_ends);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw InvalidInput(
        fmt::format("{}: exists, but has no summary between the lines '{}' and '{}'; choose another name",
                    page.string(), summary_begins, summary_ends));
  KeptPage kept{.summary = whole.substr(begin + summary_begins.size(), end - begin - summary_begins.size())};
  constexpr std::string_view heading = "\n## ";
  for (std::size_t at = whole.find(heading, end); at != std::string::npos;) {
    const std::size_t next = whole.find(heading, at + 1);
    const std::string section = whole.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    if (const std::string name = experiment_of(section); !name.empty())
      kept.sections[name] = section.substr(0, section.find_last_not_of('\n') + 1) + "\n";
    at = next;
  }
  return kept;
}

}  // namespace

RenderedResults render_experiments(const fs::path& folder, const fs::path& page) {
  const std::map<std::string, FinishedStudies> found = results_in(folder);
  const KeptPage kept = kept_from(page);
  RenderedResults result{.page = page};
  std::string body, missing;
  const fs::path figures = page.parent_path() / "figures";
  for (const Experiment& one : experiments()) {
    const auto file = found.find(std::string(one.name));
    if (file == found.end() || !file->second.content.contains("outcome")) {
      if (const auto section = kept.sections.find(std::string(one.name)); section != kept.sections.end()) {
        body.append("\n").append(section->second);
        ++result.kept;
      } else {
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", one.name);
      }
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
    body.append("\n").append(experiment::as_text(outcome_from(file->second), figure));
    ++result.experiments;
  }
  if (result.experiments == 0)
    throw InvalidInput(fmt::format("{}: holds no results of a finished experiment", folder.string()));
  if (!missing.empty()) body += fmt::format("\n## Not run\n\nThere are no finished results of: {}.\n", missing);
  save_text(fmt::format("# The experiments of the paper, reproduced\n\n{}{}{}\n{}", summary_begins, kept.summary,
                        summary_ends, body),
            page);
  return result;
}

}  // namespace dsk

#include <dsk/experiment.hpp>
#include <dsk/files.hpp>
#include <dsk/version.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>
#include <sstream>

#include "experiment/experiment.hpp"
#include "files/files.hpp"
#include "files/scratch.hpp"
#include "support/message.hpp"

namespace dsk::test {
namespace {

class Render : public Scratch {
 protected:
  std::string read(const std::string& name) const {
    std::ifstream stream(folder() / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  /// A finished results file of the experiment.
  void write_results(const std::string& experiment, const std::string& title) const {
    std::string text = R"({"experiment": "NAME",
      "made_by": [{"version": "0.1", "cpu": "A CPU", "threads": 2}, {"version": "0.2", "cpu": "A CPU", "threads": 1}],
      "outcome": {"title": "TITLE", "answer": "An answer.",
        "sections": [{"heading": "A table", "table": [["method", "ours"], ["SK", "1.00"]], "text": ["A sentence."],
          "curves": [{"caption": "A chart.", "x": "tau", "y": "p", "logarithmic_x": true,
            "lines": [{"name": "<one>", "x": [1, 10, 100], "y": [1, null, 3]},
                      {"name": "two", "x": [1, 10], "y": [2, 2]}]}]}],
        "settings": {"command": "dsk experiment NAME"}}})";
    for (const auto& [word, value] : {std::pair{std::string("NAME"), experiment}, {"TITLE", title}})
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
        text.replace(at, word.size(), value);
    save_text(text, folder() / (experiment + ".json"));
  }
};

TEST_F(Render, WritesAPageInTheOrderOfThePaper) {
  write_results("eeg", "Waves");
  write_results("brain", "Networks");
  save_text("{}", folder() / "other.json");
  save_text(R"({"experiment": "faces", "studies": {}})", folder() / "unfinished.json");
  const RenderedResults made = render_experiments(folder(), folder() / "results.md");
  EXPECT_EQ(made.experiments, 2);
  EXPECT_EQ(made.figures, 2);
  const std::string page = read("results.md");
  EXPECT_TRUE(page.starts_with("# The experiments of the paper, reproduced\n\n<!-- summary"));
  EXPECT_LT(
      page.find("## Networks\n\nAn answer.\n\n### A table\n\n| method | ours |\n|--------|-----:|\n| SK     | 1.00 |\n"
                "\n![A chart.](figures/brain-1.svg)\n\n*A chart.*\n\nA sentence.\n\n- command: dsk experiment brain\n"
                "- made by version: 0.1 on A CPU, 2 threads; 0.2 on A CPU, 1 thread\n"),
      page.find("## Waves"))
      << page;
  EXPECT_NE(page.find("## Waves"), std::string::npos);
  EXPECT_NE(page.find("There are no finished results of: eigenvalue-bias, "), std::string::npos);
  const std::string figure = read("figures/brain-1.svg");
  EXPECT_TRUE(figure.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << figure.substr(0, 80);
  for (const std::string part : {"<style>", "&lt;one&gt;</text>", "two</text>", "tau", "</svg>"})
    EXPECT_NE(figure.find(part), std::string::npos) << part;
  EXPECT_EQ(figure.find("var(--c)\" "), std::string::npos);
}

/// Who made a results file is on the page; files of earlier versions say less.
TEST_F(Render, NamesCommitsAndDays) {
  write_results("brain", "Networks");
  nlohmann::json file = nlohmann::json::parse(read("brain.json"));
  file["made_by"] = {{{"version", "0.3"},
                      {"commit", "1f2e3d4c5b"},
                      {"cpu", "A CPU"},
                      {"threads", 2},
                      {"from", "2026-01-31"},
                      {"to", "2026-02-01"}},
                     {{"version", "0.3"},
                      {"commit", ""},
                      {"cpu", "A CPU"},
                      {"threads", 1},
                      {"from", "2026-02-03"},
                      {"to", "2026-02-03"}}};
  save_text(file.dump(), folder() / "brain.json");
  render_experiments(folder(), folder() / "results.md");
  EXPECT_NE(read("results.md")
                .find("- made by version: 0.3 (commit 1f2e3d4c5b) on A CPU, 2 threads, 2026-01-31 to "
                      "2026-02-01; 0.3 on A CPU, 1 thread, 2026-02-03\n"),
            std::string::npos);
}

TEST_F(Render, KeepsTheSummaryAndNothingElse) {
  write_results("brain", "Networks");
  const std::filesystem::path page = folder() / "results.md";
  render_experiments(folder(), page);
  std::string text = read("results.md");
  const std::string end = "<!-- end of the summary";
  text.insert(text.find(end), "\nWritten by hand.\n\n");
  save_text(text + "\nLost.\n", page);
  write_results("brain", "Brains");
  render_experiments(folder(), page);
  EXPECT_NE(read("results.md").find("keeps it -->\n\nWritten by hand.\n\n<!-- end"), std::string::npos);
  EXPECT_NE(read("results.md").find("## Brains"), std::string::npos);
  EXPECT_EQ(read("results.md").find("Lost."), std::string::npos);
  EXPECT_EQ(read("results.md").find("Networks"), std::string::npos);
}

TEST_F(Render, KeepsSectionsOfExperimentsWithoutResults) {
  write_results("eeg", "Waves");
  write_results("brain", "Networks");
  const std::filesystem::path page = folder() / "results.md";
  render_experiments(folder(), page);
  const std::string both = read("results.md");
  std::filesystem::remove(folder() / "brain.json");
  const RenderedResults made = render_experiments(folder(), page);
  EXPECT_EQ(made.experiments, 1);
  EXPECT_EQ(made.kept, 1);
  EXPECT_EQ(read("results.md"), both) << "in the order of the paper, with the same lines";
  write_results("brain", "Brains");
  EXPECT_EQ(render_experiments(folder(), page).kept, 0);
  EXPECT_EQ(read("results.md").find("Networks"), std::string::npos);
  std::filesystem::remove(folder() / "eeg.json");
  save_text(read("results.md") + "\n## Notes\n\nNo experiment made this.\n", page);
  EXPECT_EQ(render_experiments(folder(), page).kept, 1);
  EXPECT_EQ(read("results.md").find("## Notes"), std::string::npos);
  EXPECT_NE(read("results.md").find("## Waves"), std::string::npos);
}

TEST_F(Render, ReadsCompressedFiles) {
  write_results("brain", "Networks");
  render_experiments(folder(), folder() / "plain.md");
  files::save_results(read("brain.json"), folder() / "brain.json.gz");
  EXPECT_NE(message_of([&] { render_experiments(folder(), folder() / "both.md"); }).find("both hold results"),
            std::string::npos);
  std::filesystem::remove(folder() / "brain.json");
  render_experiments(folder(), folder() / "compressed.md");
  EXPECT_EQ(read("compressed.md"), read("plain.md"));
}

TEST_F(Render, RefusesWhatItCannotUse) {
  EXPECT_NE(message_of([&] { render_experiments(folder() / "nowhere", "page.md"); }).find("is not a folder"),
            std::string::npos);
  EXPECT_NE(message_of([&] { render_experiments(folder(), folder() / "page.md"); }).find("holds no results"),
            std::string::npos);
  write_results("brain", "Networks");
  save_text("Mine.\n", folder() / "page.md");
  EXPECT_NE(message_of([&] { render_experiments(folder(), folder() / "page.md"); }).find("has no summary between"),
            std::string::npos);
  EXPECT_EQ(read("page.md"), "Mine.\n");
  std::filesystem::copy(folder() / "brain.json", folder() / "again.json");
  EXPECT_NE(message_of([&] { render_experiments(folder(), folder() / "new.md"); }).find("both hold results"),
            std::string::npos);
  std::filesystem::remove(folder() / "again.json");
  save_text(R"({"experiment": "brain", "outcome": {"title": 3}})", folder() / "brain.json");
  EXPECT_NE(message_of([&] { render_experiments(folder(), folder() / "new.md"); }).find("brain.json: is damaged"),
            std::string::npos);
}

TEST_F(Render, ShowsWhatARunWrote) {
  const ExperimentOutcome outcome = run_experiment(
      find_experiment("eigenvalue-bias"), {.quick = true, .threads = 1, .results_file = folder() / "bias.json"});
  const nlohmann::json file = nlohmann::json::parse(read("bias.json"));
  ASSERT_EQ(file["made_by"].size(), 1u);
  EXPECT_EQ(file["made_by"][0]["version"], DSK_VERSION);
  EXPECT_EQ(file["made_by"][0]["threads"], 1);
  EXPECT_EQ(file["made_by"][0]["cpu"], experiment::cpu_name());
  EXPECT_EQ(file["made_by"][0]["commit"], std::string(experiment::commit()));
  EXPECT_TRUE(std::regex_match(file["made_by"][0]["from"].get<std::string>(), std::regex("20\\d\\d-\\d\\d-\\d\\d")));
  EXPECT_LE(file["made_by"][0]["from"], file["made_by"][0]["to"]);
  EXPECT_TRUE(std::regex_match(std::string(experiment::commit()), std::regex("([0-9a-f]{7,40}(-dirty)?)?")));
  EXPECT_EQ(render_experiments(folder(), folder() / "results.md").figures, 1);
  const std::string page = read("results.md");
  EXPECT_NE(page.find(outcome.answer), std::string::npos);
  const std::string table = outcome.text.substr(outcome.text.find("| samples"), 400);
  EXPECT_NE(page.find(table), std::string::npos);
}

}  // namespace
}  // namespace dsk::test

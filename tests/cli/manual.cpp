#include <regex>

#include "cli/program.hpp"

namespace dsk::test {
namespace {

/// The names of the commands that `dsk --help` lists.
std::vector<std::string> listed_commands(const std::string& help) {
  std::vector<std::string> names;
  const std::string list = help.substr(help.find("Subcommands:"));
  const std::regex line(R"(\n  ([a-z]+) )");
  for (std::sregex_iterator at(list.begin(), list.end(), line), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

std::vector<std::string> long_flags(const std::string& help) {
  std::vector<std::string> names;
  const std::regex line(R"(\n  (?:-\w,)?(--[\w-]+))");
  for (std::sregex_iterator at(help.begin(), help.end(), line), end; at != end; ++at) names.push_back((*at)[1]);
  return names;
}

/// Hyphens as troff writes them.
std::string in_troff(const std::string& text) {
  return std::regex_replace(text, std::regex("-"), "\\-");
}

TEST_F(Program, ManualNamesEveryCommandAndFlag) {
  const auto commands = listed_commands(run("--help").out);
  ASSERT_GT(commands.size(), 8u);
  const std::string man = run("manual").out, page = run("manual markdown").out;
  for (const std::string& command : commands) {
    EXPECT_SAYS(man, ".SS \"dsk " + command + "\"");
    EXPECT_SAYS(page, "## dsk " + command + "\n");
    for (const std::string& flag : long_flags(run(command + " --help").out)) {
      EXPECT_SAYS(man, in_troff(flag));
      EXPECT_SAYS(page, "`" + flag + "`");
    }
  }
  EXPECT_SAYS(page, "## dsk describe texture\n");
  EXPECT_EQ(run("--help").out.find("manual"), std::string::npos);
}

class Completion : public Program {
 protected:
  /// What bash offers after these words, the last of them incomplete.
  std::string completed_by_bash(const std::string& words, int position) const {
    const std::string script = "cd '" + folder().string() + "' && bash -c 'source completion; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(position) +
                               "; _dsk; echo \"${COMPREPLY[*]}\"' >offered";
    return std::system(script.c_str()) == 0 ? get("offered") : "failed";
  }
};

TEST_F(Completion, BashCompletesCommandsFlagsAndFiles) {
  put("completion", run("manual bash").out);
  EXPECT_EQ(completed_by_bash("dsk tr", 1), "train\n");
  EXPECT_EQ(completed_by_bash("dsk describe te", 2), "texture\n");
  EXPECT_EQ(completed_by_bash("dsk train --crit", 2), "--criterion\n");
  EXPECT_EQ(completed_by_bash("dsk describe texture --equ", 3), "--equalise\n");
  EXPECT_EQ(completed_by_bash("dsk train --labels comple", 3), "completion\n");
  EXPECT_EQ(completed_by_bash("dsk train comple", 2), "completion\n");
}

TEST_F(Completion, OtherShellsAcceptTheirCompletions) {
  for (const std::string shell : {"zsh", "fish"}) {
    put(shell, run("manual " + shell).out);
    EXPECT_SAYS(get(shell), "evaluate");
    EXPECT_SAYS(get(shell), "equalise");
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) continue;
    EXPECT_EQ(std::system((shell + " -n '" + (folder() / shell).string() + "'").c_str()), 0) << shell;
  }
}

TEST_F(Program, ManualKnowsItsFormats) {
  const Outcome outcome = run("manual html");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_SAYS(outcome.err, "no format 'html'; there are man, markdown, bash, zsh, fish");
}

}  // namespace
}  // namespace dsk::test

#include <regex>
#include <sstream>
#include <utility>

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

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

TEST_F(Program, ManPageHasNoFaultThatGroffKnows) {
  if (!is_installed("groff")) GTEST_SKIP() << "needs groff";
  put("dsk.1", run("manual").out);
  const std::string command = "cd '" + folder().string() + "' && groff -ww -man -Tutf8 dsk.1 >page 2>faults";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(get("faults"), "");
  EXPECT_NE(get("page").find("User Commands"), std::string::npos);
}

class Completion : public Program {
 protected:
  /// What the script prints, with the completion of its shell in the file `completion`.
  std::string printed(const std::string& shell, const std::string& script) const {
    put("script", script);
    const std::string command = "cd '" + folder().string() + "' && " + shell + " script >offered 2>&1";
    return std::system(command.c_str()) == 0 ? get("offered") : "failed: " + get("offered");
  }
  /// What bash offers at the end of the line. As bash does, words end at colons and equals signs, too.
  std::string completed_by_bash(const std::string& line) const {
    return printed("bash", "source completion\nCOMP_LINE='" + line + "' COMP_POINT=" + std::to_string(line.size()) +
                               "\n" +
                               R"sh(read -ra COMP_WORDS <<<"$(sed 's/[:=]/ & /g' <<<"$COMP_LINE")"
[[ $COMP_LINE != *[[:space:]:=] ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_dsk
echo "${COMPREPLY[*]}"
)sh");
  }
  /// The names that a command's help lists for a flag: "power (p), affine (a)".
  std::vector<std::string> choices(const std::string& command, const std::string& flag,
                                   const std::string& before) const {
    const std::string help = run(command + " --help").out;
    std::string list = help.substr(help.find(before, help.find("\n  " + flag)) + before.size());
    list = list.substr(0, list.find_first_of(";\n."));
    std::vector<std::string> names;
    const std::regex name(R"((?:^|, )([\w-]+))");
    list = std::regex_replace(list, std::regex(R"( \([^)]*\))"), "");
    for (std::sregex_iterator at(list.begin(), list.end(), name), end; at != end; ++at) names.push_back((*at)[1]);
    return names;
  }
};

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text + "\n";
}

TEST_F(Completion, BashCompletesCommandsFlagsAndFiles) {
  put("completion", run("manual bash").out);
  EXPECT_EQ(completed_by_bash("dsk tr"), "train\n");
  EXPECT_EQ(completed_by_bash("dsk describe te"), "texture\n");
  EXPECT_EQ(completed_by_bash("dsk train --crit"), "--criterion\n");
  EXPECT_EQ(completed_by_bash("dsk describe texture --equ"), "--equalise\n");
  EXPECT_EQ(completed_by_bash("dsk train --labels comple"), "completion\n");
  EXPECT_EQ(completed_by_bash("dsk train --labels=comple"), "completion\n");
  EXPECT_EQ(completed_by_bash("dsk train comple"), "completion\n");
  EXPECT_EQ(completed_by_bash("dsk train --folds "), "\n");
}

TEST_F(Completion, BashCompletesTheValuesOfFlags) {
  put("completion", run("manual bash").out);
  const std::vector<std::string> metrics = choices("distance", "--metric", "compared: ");
  ASSERT_GE(metrics.size(), 13u);
  EXPECT_EQ(completed_by_bash("dsk distance --metric "), spaced(metrics));
  EXPECT_EQ(completed_by_bash("dsk learn --metric "), spaced(choices("learn", "--metric", "compared: ")));
  EXPECT_EQ(completed_by_bash("dsk learn --criterion "), spaced(choices("learn", "--criterion", "optimise: ")));
  EXPECT_EQ(completed_by_bash("dsk train --adjust "), spaced(choices("train", "--adjust", "criterion: ")));
  EXPECT_EQ(completed_by_bash("dsk train --classifier m"), "mean mdm\n");
  EXPECT_EQ(completed_by_bash("dsk train --metric=thom"), "thompson\n");
  EXPECT_EQ(completed_by_bash("dsk train --theta "), "auto\n");
  EXPECT_EQ(completed_by_bash("dsk train --kernel com"), "combined completion\n");
  EXPECT_EQ(completed_by_bash("dsk cluster --method s"), "spectral\n");
  EXPECT_EQ(completed_by_bash("dsk evaluate --protocol ha"), "halves:\n");
  EXPECT_EQ(completed_by_bash("dsk evaluate --protocol given:comp"), "completion\n");
  EXPECT_EQ(completed_by_bash("dsk describe series --estimator led"), "ledoit-wolf\n");
  EXPECT_EQ(completed_by_bash("dsk describe texture --features "), completed_by_bash("dsk describe gabor --features "));
}

TEST_F(Completion, BashCompletesListsOfMethods) {
  put("completion", run("manual bash").out);
  EXPECT_EQ(completed_by_bash("dsk evaluate --methods maj"), "majority\n");
  EXPECT_EQ(completed_by_bash("dsk evaluate --methods MDM,maj"), "MDM,majority\n");
  // Only what follows the last colon is put in place.
  EXPECT_EQ(completed_by_bash("dsk evaluate --methods SK:"), "knn svm mean\n");
  EXPECT_EQ(completed_by_bash("dsk evaluate --methods MDM,SK:knn,DSK-CA-a:s"), "svm\n");
}

TEST_F(Completion, ValuesOfFlagsAreAccepted) {
  put("completion", run("manual bash").out);
  const std::vector<std::pair<std::string, std::string>> flags{
      {"train", "--theta-range"}, {"train", "--project"},         {"train", "--scale"},
      {"train", "--classifier"},  {"train", "--margin"},          {"train --approximate nystrom:auto", "--landmarks"},
      {"train", "--repair"},      {"train", "--recentre"},        {"learn", "--recentre"},
      {"learn", "--project"},     {"learn", "--adjust"},          {"learn", "--classifier"},
      {"cluster", "--method"},    {"describe series", "--layout"}};
  for (const auto& [command, flag] : flags) {
    const auto error = [&, &command = command, &flag = flag](const std::string& value) {
      return run(command + " x.npz -o out.csv " + flag + " " + value).err;
    };
    EXPECT_SAYS(error("nonsense"), "'nonsense'") << command << ' ' << flag;
    std::istringstream offered(completed_by_bash("dsk " + command + " " + flag + " "));
    std::size_t values = 0;
    for (std::string value; offered >> value; ++values)
      EXPECT_EQ(error(value).find("'" + value + "'"), std::string::npos) << command << ' ' << flag << ' ' << value;
    EXPECT_GE(values, 2u) << command << ' ' << flag;
  }
}

TEST_F(Completion, FishCompletes) {
  put("completion", run("manual fish").out);
  EXPECT_SAYS(get("completion"), "evaluate");
  if (!is_installed("fish")) GTEST_SKIP() << "needs fish";
  EXPECT_EQ(printed("fish -n", "source completion\n"), "");
  const auto completed = [&](const std::string& line) {
    return printed("fish --no-config", "source completion\ncomplete -C '" + line + "' | cut -f 1\n");
  };
  EXPECT_EQ(completed("dsk tr"), "train\n");
  EXPECT_EQ(completed("dsk train --metric thom"), "thompson\n");
  EXPECT_EQ(completed("dsk evaluate --methods MDM,maj"), "MDM,majority\n");
  EXPECT_EQ(completed("dsk train --labels comple"), "completion\n");
}

TEST_F(Completion, ZshCompletes) {
  put("completion", run("manual zsh").out);
  EXPECT_SAYS(get("completion"), "evaluate");
  if (!is_installed("zsh")) GTEST_SKIP() << "needs zsh";
  const std::string syntax = "zsh -n '" + (folder() / "completion").string() + "'";
  EXPECT_EQ(std::system(syntax.c_str()), 0);
  // The functions of the completion system print what they are given.
  const auto completed = [&](const std::string& line) {
    return printed("zsh -f", R"sh(show() { (( $# == 0 )) || print -l -- $@ }
compadd() { [[ $1 != -S ]] || shift 2; shift; show ${(M)@:#$PREFIX*} }
compset() { PREFIX=${PREFIX##*,} }
_files() { print files }
_describe() { local -a all=( ${(P)2} ); show ${(M)${all%%:*}:#$PREFIX*} }
)sh"
                             "words=(" +
                                 line + ") CURRENT=${#words} PREFIX=${words[-1]}\nsource ./completion\n");
  };
  EXPECT_EQ(completed("dsk tr"), "train\n");
  EXPECT_EQ(completed("dsk describe texture --equ"), "--equalise\n");
  EXPECT_EQ(completed("dsk train --metric thom"), "thompson\n");
  EXPECT_EQ(completed("dsk evaluate --methods MDM,maj"), "majority\n");
  EXPECT_EQ(completed("dsk train --labels comple"), "files\n");
  EXPECT_EQ(completed("dsk train --folds 1"), "");
}

TEST_F(Program, ManualKnowsItsFormats) {
  const Outcome outcome = run("manual html");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_SAYS(outcome.err, "unknown format 'html'; use one of man, markdown, bash, zsh, fish");
}

}  // namespace
}  // namespace dsk::test

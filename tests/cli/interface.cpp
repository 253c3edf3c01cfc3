// The commands, flags and names that a release promises to keep: one that goes must be missed here.

#include <gtest/gtest.h>

#include <iterator>
#include <regex>
#include <sstream>

#include "cli/program.hpp"

namespace dsk::test {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Whether a help text lists a flag at the beginning of a line, or an argument.
bool lists(const std::string& help, const std::string& name) {
  return std::regex_search(help, std::regex("\n  (-\\w,)?" + name + "[ \n]"));
}

TEST_F(Program, KeepsItsCommandsAndFlags) {
  const std::string classifier_settings =
      " --neighbours --C --theta --zeta --penalty --alpha0 --scale --theta-range --project --recentre --required-gain "
      "--learn-on --folds --seed";
  const std::string labelled = " X --labels --repair --repair-all --part";
  const std::vector<std::pair<std::string, std::string>> promised{
      {"demo", "-o,--output --seed"},
      {"info", ""},
      {"describe texture",
       "INPUT -o,--output --resize --equalise --tiles --windows --features --range --sample --seed "
       "--estimator --skip-bad --preview"},
      {"describe gabor", "INPUT -o,--output --resize --tiles --windows --features --estimator --skip-bad --preview"},
      {"describe series",
       "INPUT -o,--output --labels --layout --bands --rate --order --estimator --skip-bad --preview"},
      {"distance",
       "X Y -o,--output --metric --squared --zeta --kernel --labels --repair --repair-all --part --float32 "
       "--device"},
      {"kernel",
       "X Y -o,--output --metric --theta --zeta --kernel --allow-indefinite --labels --repair --repair-all "
       "--part --float32 --device"},
      {"learn",
       "-o,--output --metric --zeta --criterion --adjust --theta --C --project --recentre --theta-range "
       "--penalty --alpha0 --scale --classifier --required-gain --learn-on --batch --choose-on --folds --seed "
       "--max-iterations --tolerance --allow-indefinite --device --ignore-groups" +
           labelled},
      {"train",
       "-o,--output --classifier --metric --kernel --criterion --adjust --margin --balanced --probabilities "
       "--approximate --landmarks --choose-on --device --ignore-groups" +
           labelled + classifier_settings},
      {"predict", "model X -o,--output --labels --scores --device"},
      {"evaluate", "--methods --protocol --report --device --ignore-groups" + labelled + classifier_settings},
      {"cluster",
       "X -o,--output --clusters --most-clusters --method --metric --zeta --theta --neighbours --landmarks "
       "--restarts --max-iterations --learn --labels --seed --report"},
      {"experiment", "NAME --data --quick --splits --minutes --seed --report --text"}};
  for (const auto& [command, names] : promised) {
    const std::string help = run(command + " --help").out;
    for (std::string name : words(names + " --threads --json --quiet --help")) {
      if (name == "-o,--output") name = "--output";
      EXPECT_TRUE(lists(help, name)) << command << " " << name;
    }
  }
}

}  // namespace
}  // namespace dsk::test

#pragma once

#include <algorithm>
#include <cli/program.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

namespace dsk::test {

/// As Program, which runs one process; t.npz and u.npz hold classes that overlap.
class Ranks : public Program {
 protected:
  Ranks() {
    save(wishart_classes({.classes = 3, .per_class = 24, .dim = 4, .degrees = 12, .tau = 0.8}), *this / "t.npz");
    save(wishart_classes({.classes = 3, .per_class = 11, .dim = 4, .degrees = 12, .tau = 0.8, .seed = 5}),
         *this / "u.npz");
  }

  static constexpr auto mpirun = "mpirun --oversubscribe --allow-run-as-root ";

  /// Three of the program under mpirun. Its standard error, without what mpirun adds to it, is in `err`.
  Outcome run_ranks(const std::string& arguments) const { return run_under("-n 3 '" DSK_PROGRAM "' " + arguments); }

  Outcome run_under(const std::string& what_mpirun_starts) const {
    const std::string command =
        "cd '" + folder().string() + "' && " + mpirun + what_mpirun_starts + " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, get("out"), said(get("err"))};
  }

  static std::string said(const std::string& err) {
    std::istringstream lines(err);
    std::string ours;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("dsk: ")) ours += line + "\n";
    return ours;
  }

  /// What the program prints; checks that it went well.
  std::string output_of(const std::string& arguments) const {
    const Outcome outcome = run_ranks(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << '\n' << get("err");
    return outcome.out;
  }

  void alone(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.err;
  }

  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(get(name)); }

  /// Without what differs from run to run.
  nlohmann::json facts(const std::string& name) const {
    nlohmann::json all = json(name);
    for (const char* changing : {"seconds", "output"}) all.erase(changing);
    for (const char* list : {"splits", "methods"})
      if (all.contains(list))
        for (auto& one : all[list]) one.erase("seconds");
    return all;
  }

  /// Equal but for numbers that differ by rounding.
  static void expect_alike(const nlohmann::json& found, const nlohmann::json& wanted, const std::string& where = "") {
    if (wanted.is_number_float() && found.is_number()) {
      const double value = wanted.get<double>();
      EXPECT_NEAR(found.get<double>(), value, 1e-12 * std::max(1.0, std::abs(value))) << where;
    } else if (wanted.is_structured() && found.type() == wanted.type() && found.size() == wanted.size()) {
      for (const auto& [key, value] : wanted.items()) {
        const auto other = found.is_array() ? found.begin() + std::stol(key) : found.find(key);
        ASSERT_NE(other, found.end()) << where << '/' << key;
        expect_alike(*other, value, std::string(where).append("/").append(key));
      }
    } else {
      EXPECT_EQ(found, wanted) << where;
    }
  }
};

}  // namespace dsk::test

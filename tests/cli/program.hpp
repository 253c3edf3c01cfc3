#pragma once

#include <dsk/matrices.hpp>

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "files/made_files.hpp"
#include "files/scratch.hpp"

namespace dsk::test {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs the built program in a folder of its own, where x.npz holds three labelled 2 x 2 matrices.
class Program : public Scratch {
 protected:
  Program() {
    const std::vector<double> values{2, 1, 1, 2, 3, 1, 1, 5, 4, 0, 0, 1};
    save(Dataset(SpdBatch(values, 3, 2), Labels(std::vector<long long>{1, 2, 1})), *this / "x.npz");
  }

  Outcome run(const std::string& arguments, const std::string& output = "out") const {
    const std::string command =
        "cd '" + folder().string() + "' && '" DSK_PROGRAM "' " + arguments + " >" + output + " 2>err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, get("out"), get("err")};
  }

  /// What the program says about bad usage or input; checks status 2 and that it is one line.
  std::string refusal(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(outcome.err.starts_with("dsk: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  }
};

}  // namespace dsk::test

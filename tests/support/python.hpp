#pragma once

#include <cstdlib>
#include <string>

namespace dsk::test {

/// Status of `interpreter -c program argument`, silently.
inline int run_python(const std::string& interpreter, const std::string& program, const std::string& argument = "") {
  return std::system(("'" + interpreter + "' -c '" + program + "' '" + argument + "' >/dev/null 2>&1").c_str());
}

}  // namespace dsk::test

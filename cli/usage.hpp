#pragma once

#include <dsk/errors.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dsk::cli {

/// Wrong arguments. The program adds where to find help.
class UsageError : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Calls a function of the library that reads the flag's value; puts the flag's name before what it complains of.
template <class Read>
auto read_flag(const std::string& flag, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& error) {
    throw UsageError(flag + ": " + error.what());
  }
}

/// When flags have an effect.
struct FlagRule {
  std::vector<std::string> flags;
  bool has_effect = true;
  std::string otherwise;  ///< follows "FLAG has no effect ..."
};

/// Throws UsageError for a flag that was given although it has no effect.
void refuse_idle_flags(const CLI::App& command, const std::vector<FlagRule>& rules);

}  // namespace dsk::cli

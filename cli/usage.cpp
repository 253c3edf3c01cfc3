#include "usage.hpp"

#include <fmt/core.h>

namespace dsk::cli {

void refuse_idle_flags(const CLI::App& command, const std::vector<FlagRule>& rules) {
  for (const FlagRule& rule : rules)
    for (const std::string& flag : rule.flags)
      if (!rule.has_effect && command.count(flag) > 0)
        throw UsageError(fmt::format("{} has no effect {}", flag, rule.otherwise));
}

}  // namespace dsk::cli

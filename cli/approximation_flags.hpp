#pragma once

#include <dsk/kernel.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace dsk::cli {

/// How dsk train approximates a kernel of more matrices than all pairs of which could be computed.
struct ApproximationFlags {
  std::optional<std::string> approximate;
  std::string landmarks = "adaptive";
  Index choose_on = 2000;

  void add_to(CLI::App& command);
  bool asked() const { return approximate.has_value(); }
  /// Throws InvalidInput for a value that cannot be used.
  NystromOptions options() const;
};

}  // namespace dsk::cli

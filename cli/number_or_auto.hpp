#pragma once

#include <optional>
#include <string>

namespace dsk::cli {

/// The number of a flag, or nothing for "auto". Throws InvalidInput for anything else.
std::optional<double> number_or_auto(const std::string& flag, const std::string& text);

}  // namespace dsk::cli

#pragma once

#include <CLI/CLI.hpp>

namespace dsk::cli {

/// Makes every option of a command that takes a number refuse other text. Left alone, CLI11 reads nothing as 0, wraps
/// negative seeds around and cuts what is too large.
void check_numbers(CLI::App& command);

}  // namespace dsk::cli

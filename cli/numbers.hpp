#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace dsk::cli {

/// The value of a flag that takes a number or "auto", for which the result is empty. Throws InvalidInput, naming the
/// flag, for anything else.
std::optional<double> number_or_auto(const std::string& flag, const std::string& text);

/// Makes every option of a command refuse empty texts and, if it takes a number, texts that are not one and numbers
/// that do not fit.
void check_values(CLI::App& command);

}  // namespace dsk::cli

#pragma once

#include <dsk/evaluate.hpp>

#include <filesystem>
#include <string>

namespace dsk {

/// The result of an evaluation in one sentence.
std::string answer(const Evaluation& evaluation);

/// A self-contained HTML page that shows an evaluation: accuracies, differences from the baseline, the confusion
/// matrix, what was chosen, the first learned subspace and kernel, and the settings. It uses no scripts and nothing
/// from the network.
std::string evaluation_page(const Evaluation& evaluation);

/// Writes that page. The file is written completely or not at all; throws InvalidInput, with its name, if it cannot be
/// written.
void report(const Evaluation& evaluation, const std::filesystem::path& file);

}  // namespace dsk

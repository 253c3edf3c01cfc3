#pragma once

#include <filesystem>
#include <vector>

namespace dsk::cli {

/// Before any work: throws InvalidInput if an output is also an input or another output, or cannot be written, which is
/// tried with a temporary file beside it. Empty names are passed over.
void check_files(const std::vector<std::filesystem::path>& inputs, const std::vector<std::filesystem::path>& outputs);

}  // namespace dsk::cli

#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <string_view>

#include "files/raw_array.hpp"

namespace dsk::files {

/// Checks that `array` is (n, d, d) of floating-point numbers. `what` names it in messages.
MatrixStack as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what);

/// Whole numbers (also as floating point) or texts, one per matrix.
Labels as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what);

/// What a choice chooses; throws InvalidInput for none or what the file does not have.
std::pair<Index, Index> chosen_rows(const RowChoice& rows, Index count, const std::filesystem::path& file);

}  // namespace dsk::files

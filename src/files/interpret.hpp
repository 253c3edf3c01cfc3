#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <string_view>

#include "files/raw_array.hpp"

namespace dsk::files {

/// Converts an array of floating-point numbers of shape (n, d, d). `what` is its name in messages.
MatrixStack as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what);

/// Converts integers (possibly stored as floating-point numbers) or text, one per matrix.
Labels as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what);

/// The range that `rows` returns for `count` matrices. Throws InvalidInput if it is empty or out of range.
std::pair<Index, Index> chosen_rows(const RowChoice& rows, Index count, const std::filesystem::path& file);

}  // namespace dsk::files

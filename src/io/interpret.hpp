#pragma once

#include <dsk/spd/dataset.hpp>

#include <filesystem>
#include <io/raw_array.hpp>
#include <string_view>

namespace dsk::io {

/// Checks that `array` is (n, d, d) of floating-point numbers. `what` names it in messages.
MatrixStack as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what);

/// Whole numbers (also as floating point) or texts, one per matrix.
Labels as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what);

}  // namespace dsk::io

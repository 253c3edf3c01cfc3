#pragma once

#include <filesystem>

namespace dsk::files {

enum class FileFormat { npy, npz, mat, csv };

/// By the extension, in either case; throws InvalidInput, listing the known ones.
FileFormat format_of(const std::filesystem::path& path);

}  // namespace dsk::files

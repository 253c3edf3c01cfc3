#pragma once

#include <dsk/kernel.hpp>

#include "files/archive.hpp"

namespace dsk::files {

/// A learned kernel as members of meta.json and arrays, which look into the kernel.
nlohmann::ordered_json kernel_fields(const LearnedKernel& kernel);
std::vector<NamedArray> kernel_arrays(const LearnedKernel& kernel);

/// Throws InvalidInput, with the file's name, if they make no kernel.
LearnedKernel read_kernel(const ArchiveReader& archive, const Fields& fields, const std::filesystem::path& file);

}  // namespace dsk::files

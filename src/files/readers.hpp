#pragma once

#include <filesystem>

#include "files/raw_array.hpp"

namespace dsk::files {

/// Reads the matrices that `rows` names, all if it is empty.
RawDataset read_npy_file(const std::filesystem::path& path, const RowChoice& rows = {});
RawDataset read_npz_file(const std::filesystem::path& path);
RawDataset read_mat_file(const std::filesystem::path& path, bool test_part);
RawDataset read_csv_file(const std::filesystem::path& path);

/// One label per matrix or trial, from .npy or .csv.
RawArray read_labels(const std::filesystem::path& path);

/// One label per line.
RawArray read_csv_labels(const std::filesystem::path& path);

}  // namespace dsk::files

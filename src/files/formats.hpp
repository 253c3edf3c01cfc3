#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "files/raw_array.hpp"

namespace dsk::files {

/// Reads the matrices in the range that `rows` returns, or all of them if it is empty.
RawDataset read_npy_file(const std::filesystem::path& path, const RowChoice& rows = {});
RawDataset read_npz_file(const std::filesystem::path& path);
RawDataset read_mat_file(const std::filesystem::path& path, bool test_part);
RawDataset read_csv_file(const std::filesystem::path& path);

/// One label per matrix or trial, from .npy or .csv.
RawArray read_labels(const std::filesystem::path& path);

/// One label per line.
RawArray read_csv_labels(const std::filesystem::path& path);

/// View of a row-major array.
struct NumbersView {
  std::vector<Index> shape;
  std::span<const double> values;
};

/// What to write: the matrices of a data set, or a single matrix.
struct FileContent {
  NumbersView numbers;
  const Labels* labels = nullptr;
  const Labels* groups = nullptr;
  std::string_view description = {};
};

void write_npy_file(const FileContent& content, const std::filesystem::path& path);
void write_npz_file(const FileContent& content, const std::filesystem::path& path);
void write_mat_file(const FileContent& content, const std::filesystem::path& path);
void write_csv_file(const FileContent& content, const std::filesystem::path& path);

/// The values of integer labels, one per matrix.
std::vector<long long> integers(const Labels& labels);

}  // namespace dsk::files

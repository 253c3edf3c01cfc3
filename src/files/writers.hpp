#pragma once

#include <dsk/matrices.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "files/raw_array.hpp"

namespace dsk::files {

/// Row-major numbers that lie elsewhere.
struct NumbersView {
  std::vector<Index> shape;
  std::span<const double> values;
};

/// What goes into a file: the matrices of a data set, or one result.
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

/// The labels of all matrices, as the integers they came as.
std::vector<long long> integers(const Labels& labels);
std::vector<std::string> texts(const Labels& labels);

}  // namespace dsk::files

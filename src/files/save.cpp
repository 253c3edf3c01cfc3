#include <dsk/files.hpp>

#include "files/atomic_file.hpp"
#include "files/extension.hpp"
#include "files/writers.hpp"

namespace dsk {
namespace {

void write(const files::FileContent& content, const std::filesystem::path& path) {
  switch (files::format_of(path)) {
    case files::FileFormat::npy:
      return files::write_npy_file(content, path);
    case files::FileFormat::npz:
      return files::write_npz_file(content, path);
    case files::FileFormat::mat:
      return files::write_mat_file(content, path);
    case files::FileFormat::csv:
      return files::write_csv_file(content, path);
  }
}

}  // namespace

void save(const Dataset& dataset, const std::filesystem::path& path, std::string_view description) {
  write({.numbers = {{dataset.size(), dataset.dim(), dataset.dim()}, dataset.matrices().values()},
         .labels = dataset.has_labels() ? &dataset.labels() : nullptr,
         .groups = dataset.has_groups() ? &dataset.groups() : nullptr,
         .description = description},
        path);
}

void save(const Matrix& matrix, const std::filesystem::path& path) {
  write({.numbers = {{matrix.rows(), matrix.cols()}, {matrix.data(), static_cast<std::size_t>(matrix.size())}}}, path);
}

void save_text(std::string_view text, const std::filesystem::path& path) {
  files::AtomicFile file(path);
  file.write(text);
  file.commit();
}

void check_output_name(const std::filesystem::path& path) {
  files::format_of(path);
}

}  // namespace dsk

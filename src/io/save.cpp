#include <dsk/io/files.hpp>

#include <io/atomic_file.hpp>
#include <io/extension.hpp>
#include <io/writers.hpp>

namespace dsk {
namespace {

void write(const io::FileContent& content, const std::filesystem::path& path) {
  switch (io::format_of(path)) {
    case io::FileFormat::npy:
      return io::write_npy_file(content, path);
    case io::FileFormat::npz:
      return io::write_npz_file(content, path);
    case io::FileFormat::mat:
      return io::write_mat_file(content, path);
    case io::FileFormat::csv:
      return io::write_csv_file(content, path);
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
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}

void check_output_name(const std::filesystem::path& path) {
  io::format_of(path);
}

}  // namespace dsk

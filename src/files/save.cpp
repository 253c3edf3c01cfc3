#include <dsk/files.hpp>

#include <charconv>

#include "files/atomic_file.hpp"
#include "files/formats.hpp"
#include "files/text.hpp"

namespace dsk::files {

std::vector<long long> integers(const Labels& labels) {
  std::vector<long long> by_class;
  for (const std::string& name : labels.names()) {
    long long value = 0;
    std::from_chars(name.data(), name.data() + name.size(), value);
    by_class.push_back(value);
  }
  std::vector<long long> result;
  for (const int code : labels.codes()) result.push_back(by_class[static_cast<std::size_t>(code)]);
  return result;
}

}  // namespace dsk::files

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

void save(const SpdBatch& matrices, const std::filesystem::path& path) {
  save(Dataset(matrices), path);
}

void save(const Labels& labels, const std::filesystem::path& path) {
  switch (files::format_of(path)) {
    case files::FileFormat::npy:
      return files::write_npy_labels(labels, path);
    case files::FileFormat::csv: {
      std::string lines;
      for (Index i = 0; i < labels.size(); ++i)
        lines += (labels.integral() ? labels.name(i) : files::quoted_label(labels.name(i))) + "\n";
      return save_text(lines, path);
    }
    default:
      throw files::file_error(path, "labels can only be written as .npy or .csv files");
  }
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

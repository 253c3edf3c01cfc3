// Loads and saves data sets, in the format that the name of the file says.

#include <dsk/files.hpp>
#include <dsk/metric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <new>
#include <numeric>
#include <utility>

#include "files/file_errors.hpp"
#include "files/files.hpp"
#include "files/formats.hpp"
#include "files/raw_data.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

std::vector<long long> as_integers(const std::vector<double>& values, const std::filesystem::path& file,
                                   std::string_view what) {
  std::vector<long long> result;
  result.reserve(values.size());
  for (const double value : values) {
    if (!(std::abs(value) <= largest_exact_integer) || value != std::floor(value)) {
      throw files::file_error(
          file, fmt::format("{} must be integers or text, but entry {} is {}", what, result.size(), value));
    }
    result.push_back(static_cast<long long>(value));
  }
  return result;
}

files::RawDataset read_matrices(const std::filesystem::path& path, const LoadOptions& options) {
  switch (files::format_of(path)) {
    case files::FileFormat::npy:
      return files::read_npy_file(path, options.rows);
    case files::FileFormat::npz:
      return files::read_npz_file(path);
    case files::FileFormat::mat:
      return files::read_mat_file(path, options.part == LoadOptions::Part::test);
    default:
      return files::read_csv_file(path);
  }
}

std::optional<Labels> interpret(const std::optional<files::RawArray>& array, const std::filesystem::path& path,
                                std::string_view what, Index count) {
  if (!array) return {};
  Labels labels = files::as_labels(*array, path, what);
  if (labels.size() != count) {
    throw files::file_error(
        path, fmt::format("{} {} for {} matrices; there must be one per matrix", labels.size(), what, count));
  }
  return labels;
}

/// Names of the rows of the matrices; none for embedded complex ones, which have two rows for each name.
std::vector<std::string> channels_of(const files::RawDataset& raw) {
  if (!raw.channels || raw.is_complex) return {};
  return std::get<std::vector<std::string>>(raw.channels->values);
}

/// Symmetrises matrices up to the rounding of float32. Larger asymmetry is left for the check to report.
void symmetrise_single(MatrixStack& stack) {
  for (Index i = 0; i < stack.count; ++i) {
    detail::symmetrise({stack.values.data() + i * stack.dim * stack.dim, stack.dim, stack.dim},
                       symmetry_tolerance_float32);
  }
}

void keep(MatrixStack& stack, Index first, Index last) {
  const Index entries = stack.dim * stack.dim;
  stack.values.erase(stack.values.begin() + last * entries, stack.values.end());
  stack.values.erase(stack.values.begin(), stack.values.begin() + first * entries);
  stack.count = last - first;
}

void keep(std::optional<Labels>& labels, Index first, Index last) {
  if (!labels) return;
  std::vector<Index> chosen(static_cast<std::size_t>(last - first));
  std::iota(chosen.begin(), chosen.end(), first);
  labels = labels->select(chosen);
}

SpdBatch check(MatrixStack&& stack, const LoadOptions& options, const std::filesystem::path& path, Index first) try {
  if (options.repair.kind == Repair::Kind::none) return SpdBatch(std::move(stack), options.threads);
  Repair::Summary summary;
  SpdBatch repaired = repair(std::move(stack), options.repair, options.threads, &summary);
  if (options.on_repair) options.on_repair(summary);
  return repaired;
} catch (const InvalidInput& error) {
  const std::string text = error.what();
  throw files::file_error(path,
                          first == 0 ? text : fmt::format("{} (counting from matrix {} of the file)", text, first));
}

}  // namespace

MatrixStack files::as_matrices(RawArray&& array, const std::filesystem::path& file, std::string_view what) {
  const std::string shape = describe_shape(array.shape);
  if (array.shape.size() != 3) {
    throw file_error(file, fmt::format("{} has shape {}, not (n, d, d)", what, shape));
  }
  if (array.shape[1] != array.shape[2]) {
    throw file_error(file, fmt::format("{} has shape {}: the matrices are not square", what, shape));
  }
  if (const auto* const integers = std::get_if<std::vector<long long>>(&array.values))
    array.values = std::vector<double>(integers->begin(), integers->end());
  auto* values = std::get_if<std::vector<double>>(&array.values);
  if (values == nullptr) throw file_error(file, fmt::format("{} contains text, not numbers", what));
  if (values->empty()) throw file_error(file, fmt::format("{} has shape {}: it contains no matrices", what, shape));
  if (array.is_complex) {
    // std::complex<double> is stored as its real part followed by its imaginary part.
    const std::span entries(reinterpret_cast<const std::complex<double>*>(values->data()), values->size() / 2);
    try {
      return embed_hermitian(entries, array.shape[0], array.shape[1], symmetry_tolerance_float32);
    } catch (const InvalidInput& error) {
      throw file_error(file, error.what());
    }
  }
  return {array.shape[0], array.shape[1], std::move(*values)};
}

Labels files::as_labels(const RawArray& array, const std::filesystem::path& file, std::string_view what) {
  const auto longer_axes = std::count_if(array.shape.begin(), array.shape.end(), [](Index size) { return size != 1; });
  if (longer_axes > 1) {
    throw file_error(file, fmt::format("{} have shape {}, not (n,)", what, describe_shape(array.shape)));
  }
  return std::visit(
      [&](const auto& values) {
        if (values.empty()) throw file_error(file, fmt::format("{} are empty", what));
        if constexpr (std::is_same_v<decltype(values), const std::vector<double>&>) {
          return Labels(as_integers(values, file, what));
        } else {
          return Labels(values);
        }
      },
      array.values);
}

std::pair<Index, Index> files::chosen_rows(const RowChoice& rows, Index count, const std::filesystem::path& file) {
  const auto [first, last] = rows(count);
  if (first < 0 || first >= last || last > count)
    throw file_error(
        file, fmt::format("has {} matrices, but the matrices from {} to {} were requested", count, first, last - 1));
  return {first, last};
}

files::RawArray files::read_labels(const std::filesystem::path& path) {
  switch (format_of(path)) {
    case FileFormat::npy: {
      FileSource source(path);
      return read_npy(source);
    }
    case FileFormat::csv:
      return read_csv_labels(path);
    default:
      throw file_error(path, "labels can only be read from .npy or .csv files");
  }
}

Labels load_labels(const std::filesystem::path& path) try {
  return files::as_labels(files::read_labels(path), path, "labels");
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

Dataset load(const std::filesystem::path& path, const LoadOptions& options) try {
  files::RawDataset raw = read_matrices(path, options);
  const Index count = raw.matrices.count + raw.unread;
  if (raw.is_complex && !options.on_complex)
    throw files::file_error(
        path, "holds complex matrices; only distances, kernels and classifiers by a plain metric take them");
  if (raw.is_complex) options.on_complex();
  if (raw.single_precision) symmetrise_single(raw.matrices);
  auto labels = options.labels.empty() ? interpret(raw.labels, path, "labels", count)
                                       : interpret(files::read_labels(options.labels), options.labels, "labels", count);
  auto groups = interpret(raw.groups, path, "groups", count);
  std::vector<std::string> channels = channels_of(raw);
  Index begin = 0;
  if (options.rows) {
    const auto [first, last] = files::chosen_rows(options.rows, count, path);
    if (raw.unread == 0) keep(raw.matrices, first, last);
    keep(labels, first, last);
    keep(groups, first, last);
    begin = first;
  }
  return Dataset(check(std::move(raw.matrices), options, path, begin), std::move(labels), std::move(groups))
      .with_channels(std::move(channels));
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

}  // namespace dsk

namespace dsk::files {

FileFormat format_of(const std::filesystem::path& path) {
  constexpr std::array formats{std::pair{".npy", FileFormat::npy}, std::pair{".npz", FileFormat::npz},
                               std::pair{".mat", FileFormat::mat}, std::pair{".csv", FileFormat::csv}};
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [known, format] : formats) {
    if (extension == known) return format;
  }
  throw wrong_extension(path, ".npy, .npz, .mat or .csv");
}

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
         .description = description,
         .channels = dataset.channels()},
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

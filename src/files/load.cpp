#include <dsk/files.hpp>

#include <fmt/format.h>

#include <new>
#include <numeric>

#include "files/byte_source.hpp"
#include "files/file_error.hpp"
#include "files/formats.hpp"
#include "files/interpret.hpp"
#include "files/npy.hpp"
#include "spd/spd.hpp"

namespace dsk::files {

RawArray read_labels(const std::filesystem::path& path) {
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

}  // namespace dsk::files

namespace dsk {
namespace {

files::RawDataset read_matrices(const std::filesystem::path& path, const LoadOptions& options) {
  switch (files::format_of(path)) {
    case files::FileFormat::npy:
      return files::read_npy_file(path, options.rows);
    case files::FileFormat::npz:
      return files::read_npz_file(path);
    case files::FileFormat::mat:
      return files::read_mat_file(path, options.part == Part::test);
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
  if (options.repair.kind == RepairKind::none) return SpdBatch(std::move(stack), options.threads);
  RepairSummary summary;
  SpdBatch repaired = repair(std::move(stack), options.repair, options.threads, &summary);
  if (options.on_repair) options.on_repair(summary);
  return repaired;
} catch (const InvalidInput& error) {
  const std::string text = error.what();
  throw files::file_error(path,
                          first == 0 ? text : fmt::format("{} (counting from matrix {} of the file)", text, first));
}

}  // namespace

Labels load_labels(const std::filesystem::path& path) try {
  return files::as_labels(files::read_labels(path), path, "labels");
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

Dataset load(const std::filesystem::path& path, const LoadOptions& options) try {
  files::RawDataset raw = read_matrices(path, options);
  const Index count = raw.matrices.count + raw.unread;
  if (raw.single_precision) symmetrise_single(raw.matrices);
  auto labels = options.labels.empty() ? interpret(raw.labels, path, "labels", count)
                                       : interpret(files::read_labels(options.labels), options.labels, "labels", count);
  auto groups = interpret(raw.groups, path, "groups", count);
  Index begin = 0;
  if (options.rows) {
    const auto [first, last] = files::chosen_rows(options.rows, count, path);
    if (raw.unread == 0) keep(raw.matrices, first, last);
    keep(labels, first, last);
    keep(groups, first, last);
    begin = first;
  }
  return Dataset(check(std::move(raw.matrices), options, path, begin), std::move(labels), std::move(groups));
} catch (const std::bad_alloc&) {
  throw files::file_error(path, "needs more memory than is available");
}

}  // namespace dsk

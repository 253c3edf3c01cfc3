#include <dsk/files.hpp>

#include <fmt/format.h>

#include <cmath>

#include "files/file_error.hpp"
#include "files/kernel_fields.hpp"

namespace dsk {
namespace {

constexpr std::string_view kind_name = "kernel";

void check_history(const std::vector<double>& history, const std::filesystem::path& file) {
  for (std::size_t k = 0; k < history.size(); ++k)
    if (std::isnan(history[k])) throw files::file_error(file, fmt::format("history {} is not a number", k));
}

void check(const KernelOrigin& origin, const std::filesystem::path& file) {
  check_history(origin.history, file);
  const auto refuse = [&](std::string_view name) { throw files::file_error(file, fmt::format("{} is invalid", name)); };
  if (std::isnan(origin.value)) refuse("value");
  if (std::isnan(origin.c)) refuse("c");
  if (std::isnan(origin.penalty)) refuse("penalty");
  if (origin.iterations < 0) refuse("iterations");
  if (origin.samples < 0) refuse("samples");
}

nlohmann::ordered_json as_json(const KernelOrigin& origin) {
  return {{"criterion", origin.criterion},      {"value", files::number_field(origin.value)},
          {"c", files::number_field(origin.c)}, {"penalty", files::number_field(origin.penalty)},
          {"iterations", origin.iterations},    {"stop", origin.stop},
          {"samples", origin.samples},          {"classes", origin.classes}};
}

KernelOrigin read_origin(const files::ArchiveReader& archive, const std::filesystem::path& file) {
  const files::Fields fields = archive.fields().object("origin");
  KernelOrigin origin;
  origin.criterion = fields.text("criterion");
  origin.value = fields.number("value");
  origin.c = fields.number("c");
  origin.penalty = fields.number("penalty");
  origin.iterations = fields.count("iterations");
  origin.stop = fields.text("stop");
  origin.samples = fields.count("samples");
  origin.classes = fields.texts("classes");
  origin.history = archive.read("history", {files::ArchiveReader::any_size});
  check_history(origin.history, file);
  return origin;
}

}  // namespace

void save(const SavedKernel& saved, const std::filesystem::path& file) {
  check(saved.origin, file);
  nlohmann::ordered_json fields = files::kernel_fields(saved.kernel);
  fields["origin"] = as_json(saved.origin);
  std::vector<files::NamedArray> arrays = files::kernel_arrays(saved.kernel);
  arrays.push_back({"history", {static_cast<Index>(saved.origin.history.size())}, saved.origin.history});
  files::write_archive(file, kind_name, fields, arrays);
}

SavedKernel load_kernel(const std::filesystem::path& file) {
  const files::ArchiveReader archive(file);
  if (const std::string kind = archive.kind(); kind != kind_name)
    throw files::file_error(file, fmt::format("holds a model of kind {}, not a kernel", files::in_quotes(kind)));
  LearnedKernel kernel = files::read_kernel(archive, archive.fields(), file);
  return {std::move(kernel), read_origin(archive, file)};
}

}  // namespace dsk

#include <dsk/files.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "files/dsk_content.hpp"
#include "files/file_errors.hpp"
#include "files/json_fields.hpp"

namespace dsk {
namespace {

constexpr std::string_view kernel_name = "kernel";
constexpr std::string_view transform_name = "transform";
const std::string transform_step_prefix = "step";

void check_history(const std::vector<double>& history, const std::filesystem::path& file) {
  for (std::size_t k = 0; k < history.size(); ++k)
    if (std::isnan(history[k])) throw files::file_error(file, fmt::format("history {} is NaN", k));
}

void check(const SavedKernel::Origin& origin, const std::filesystem::path& file) {
  check_history(origin.history, file);
  const auto require = [&](bool valid, std::string_view problem) {
    if (!valid) throw files::file_error(file, fmt::format("cannot be written: {}", problem));
  };
  require(!std::isnan(origin.value), "value is NaN");
  require(!std::isnan(origin.c), "c is NaN");
  require(!std::isnan(origin.penalty), "penalty is NaN");
  require(origin.iterations >= 0, "iterations is negative");
  require(origin.samples >= 0, "samples is negative");
}

nlohmann::ordered_json as_json(const SavedKernel::Origin& origin) {
  return {{"criterion", origin.criterion},      {"value", files::number_field(origin.value)},
          {"c", files::number_field(origin.c)}, {"penalty", files::number_field(origin.penalty)},
          {"iterations", origin.iterations},    {"stop", origin.stop},
          {"samples", origin.samples},          {"classes", origin.classes}};
}

SavedKernel::Origin read_kernel_origin(const files::ArchiveReader& archive, const std::filesystem::path& file) {
  const files::Fields fields = archive.fields().object("origin");
  SavedKernel::Origin origin;
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

constexpr std::string_view pipeline_name = "pipeline";

nlohmann::ordered_json as_json(const SavedModel::Origin& origin) {
  nlohmann::ordered_json result{
      {"repair", origin.repair}, {"criterion", origin.criterion}, {"samples", origin.samples}};
  if (const auto& approximation = origin.approximation)
    result["approximation"] = {{"method", "nystrom"},
                               {"landmarks", approximation->landmarks},
                               {"choice", approximation->choice},
                               {"residual_share", approximation->residual_share},
                               {"chosen_on", approximation->chosen_on},
                               {"seed", std::to_string(approximation->seed)}};
  return result;
}

/// Seeds are stored as text because many JSON readers lose digits of integers above 2^53.
std::uint64_t read_seed(const std::string& text, const std::filesystem::path& file) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw files::file_error(file, fmt::format("seed {} is not an integer from 0 to 2^64 - 1", files::in_quotes(text)));
  return seed;
}

SavedModel::Origin read_model_origin(const files::Fields& fields, const std::filesystem::path& file) {
  SavedModel::Origin origin{
      .repair = fields.text("repair"), .criterion = fields.text("criterion"), .samples = fields.count("samples")};
  if (!fields.contains("approximation")) return origin;
  const files::Fields approximation = fields.object("approximation");
  origin.approximation = {.landmarks = approximation.count("landmarks"),
                          .choice = approximation.text("choice"),
                          .residual_share = approximation.number("residual_share"),
                          .chosen_on = approximation.count("chosen_on"),
                          .seed = read_seed(approximation.text("seed"), file)};
  return origin;
}

void write(const Model& model, const SavedModel::Origin& origin, const std::filesystem::path& file) {
  if (origin.samples < 0) throw files::file_error(file, "cannot be written: samples is negative");
  files::ArchiveContent content = std::visit([](const auto& classifier) { return files::content(classifier); }, model);
  content.fields["origin"] = as_json(origin);
  files::write_archive(file, files::stored_kind(model), content.fields, content.arrays(), content.version);
}

}  // namespace

void save(const SavedKernel& saved, const std::filesystem::path& file) {
  check(saved.origin, file);
  files::ArchiveContent content;
  content.fields = files::add_kernel(content, saved.kernel);
  content.fields["origin"] = as_json(saved.origin);
  content.add(files::NamedArray{"history", {static_cast<Index>(saved.origin.history.size())}, saved.origin.history});
  files::write_archive(file, kernel_name, content.fields, content.arrays(), content.version);
}

SavedKernel load_kernel(const std::filesystem::path& file) {
  const files::ArchiveReader archive(file);
  if (const std::string kind = archive.kind(); kind != kernel_name)
    throw files::file_error(file, fmt::format("contains a model of kind {}, not a kernel", files::in_quotes(kind)));
  LearnedKernel kernel = files::read_kernel({archive, archive.fields(), file}, archive.fields());
  return {std::move(kernel), read_kernel_origin(archive, file)};
}

void save(const LearnedKernel& kernel, const std::filesystem::path& file) {
  save(SavedKernel{kernel}, file);
}

void save(const Transform& transform, const std::filesystem::path& file) {
  files::ArchiveContent content;
  content.fields["steps"] = files::add_steps(content, transform.steps(), transform_step_prefix);
  files::write_archive(file, transform_name, content.fields, content.arrays());
}

Transform load_transform(const std::filesystem::path& file) {
  const files::ArchiveReader archive(file);
  if (const std::string kind = archive.kind(); kind != transform_name)
    throw files::file_error(file, fmt::format("contains a {}, not a transform", files::in_quotes(kind)));
  return files::read_steps({archive, archive.fields(), file}, archive.fields().objects("steps"), transform_step_prefix);
}

void save(const SavedModel& saved, const std::filesystem::path& file) {
  write(saved.model, saved.origin, file);
}

void save(const Model& model, const std::filesystem::path& file) {
  write(model, {}, file);
}

SavedModel load_model(const std::filesystem::path& file, int threads) {
  const files::ArchiveReader archive(file);
  const std::string kind = archive.kind();
  if (kind == kernel_name)
    throw files::file_error(file, "contains a kernel, not a classifier; use it to train a classifier");
  if (kind == transform_name) throw files::file_error(file, "contains a transform, not a classifier");
  const files::Section section{archive, archive.fields(), file, threads};
  const auto read = [&]() -> Model {
    if (kind == pipeline_name) return files::read_pipeline(section);
    return std::visit([](auto&& simple) { return Model(std::move(simple)); }, files::read_simple_model(section, kind));
  };
  // A model of extreme numbers may be impossible to compute with.
  const auto read_or_refuse = [&] {
    try {
      return read();
    } catch (const NumericalFailure& error) {
      throw files::file_error(file, error.what());
    }
  };
  Model model = read_or_refuse();
  return {std::move(model), read_model_origin(archive.fields().object("origin"), file)};
}

}  // namespace dsk

#include <dsk/files.hpp>

#include <fmt/format.h>

#include <charconv>

#include "files/classifier_fields.hpp"
#include "files/file_error.hpp"
#include "files/nystrom_fields.hpp"

namespace dsk {
namespace {

constexpr std::string_view knn_name = "knn";
constexpr std::string_view svm_name = "svm";
constexpr std::string_view nystrom_knn_name = "nystrom-knn";

/// As files name it.
std::string_view archive_kind(const Model& model) {
  return std::holds_alternative<NystromKnn>(model) ? nystrom_knn_name : kind(model);
}

nlohmann::ordered_json as_json(const ModelOrigin& origin) {
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

/// As text: JSON readers cut whole numbers that need more than 53 bits.
std::uint64_t read_seed(const std::string& text, const std::filesystem::path& file) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw files::file_error(file, fmt::format("seed {} is not a whole number", files::in_quotes(text)));
  return seed;
}

ModelOrigin read_origin(const files::Fields& fields, const std::filesystem::path& file) {
  ModelOrigin origin{
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

void write(const Model& model, const ModelOrigin& origin, const std::filesystem::path& file) {
  if (origin.samples < 0) throw files::file_error(file, "samples is invalid");
  files::ArchiveContent content = std::visit([](const auto& classifier) { return files::content(classifier); }, model);
  content.fields["origin"] = as_json(origin);
  files::write_archive(file, archive_kind(model), content.fields, content.arrays());
}

}  // namespace

void save(const SavedModel& saved, const std::filesystem::path& file) {
  write(saved.model, saved.origin, file);
}

void save(const Model& model, const std::filesystem::path& file) {
  write(model, {}, file);
}
SavedModel load_model(const std::filesystem::path& file, int threads) {
  const files::ArchiveReader archive(file);
  const std::string kind = archive.kind();
  if (kind == "kernel") throw files::file_error(file, "holds a kernel, not a classifier; train one with it");
  if (kind != knn_name && kind != svm_name && kind != nystrom_knn_name)
    throw files::file_error(
        file, fmt::format("holds a model of kind {}; known are knn, svm and nystrom-knn", files::in_quotes(kind)));
  ModelOrigin origin = read_origin(archive.fields().object("origin"), file);
  if (kind == nystrom_knn_name) return {files::read_nystrom_knn(archive, file, threads), std::move(origin)};
  if (kind == knn_name) return {files::read_knn(archive, file, threads), std::move(origin)};
  return {files::read_svm(archive, file, threads), std::move(origin)};
}

}  // namespace dsk

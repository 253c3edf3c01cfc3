#include <dsk/model/model_file.hpp>

#include <fmt/format.h>

#include <io/file_error.hpp>
#include <model/classifier_fields.hpp>

namespace dsk {
namespace {

constexpr std::string_view knn_name = "knn";
constexpr std::string_view svm_name = "svm";

const Dataset& known(const KnnClassifier& knn) {
  return knn.training_set();
}
const Dataset& known(const SvmClassifier& svm) {
  return svm.support();
}

const Dataset& known(const Model& model) {
  return std::visit([](const auto& classifier) -> const Dataset& { return known(classifier); }, model);
}

void write(const Model& model, const ModelOrigin& origin, const std::filesystem::path& file) {
  if (origin.samples < 0) throw io::file_error(file, "samples is invalid");
  model::ArchiveContent content = std::visit([](const auto& classifier) { return model::content(classifier); }, model);
  content.fields["origin"] = {{"repair", origin.repair}, {"criterion", origin.criterion}, {"samples", origin.samples}};
  model::write_archive(file, kind(model), content.fields, content.arrays());
}

}  // namespace

std::string_view kind(const Model& model) {
  return std::holds_alternative<KnnClassifier>(model) ? knn_name : svm_name;
}

Index dim(const Model& model) {
  return known(model).dim();
}

const Comparison& comparison(const Model& model) {
  return std::visit([](const auto& classifier) -> const Comparison& { return classifier.comparison(); }, model);
}

const std::vector<std::string>& class_names(const Model& model) {
  return known(model).labels().names();
}

Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return predict(classifier, x, options); }, model);
}

double accuracy(const Model& model, const Dataset& data, const PairOptions& options) {
  return std::visit([&](const auto& classifier) { return accuracy(classifier, data, options); }, model);
}

void save(const SavedModel& saved, const std::filesystem::path& file) {
  write(saved.model, saved.origin, file);
}

void save(const Model& model, const std::filesystem::path& file) {
  write(model, {}, file);
}
SavedModel load_model(const std::filesystem::path& file, int threads) {
  const model::ArchiveReader archive(file);
  const std::string kind = archive.kind();
  if (kind == "kernel") throw io::file_error(file, "holds a kernel, not a classifier; train one with it");
  if (kind != knn_name && kind != svm_name)
    throw io::file_error(file, fmt::format("holds a model of kind {}; known are knn and svm", io::in_quotes(kind)));
  const model::Fields fields = archive.fields().object("origin");
  ModelOrigin origin{
      .repair = fields.text("repair"), .criterion = fields.text("criterion"), .samples = fields.count("samples")};
  if (kind == knn_name) return {model::read_knn(archive, file, threads), std::move(origin)};
  return {model::read_svm(archive, file, threads), std::move(origin)};
}

}  // namespace dsk

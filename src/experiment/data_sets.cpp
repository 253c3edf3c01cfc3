// The data sets of the paper, and the options with which each is evaluated.

#include <dsk/describe.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment.hpp"

namespace dsk::experiment {
namespace {

std::filesystem::path place(const RunOptions& options, const std::filesystem::path& below) {
  if (options.data.empty())
    throw InvalidInput(fmt::format("this experiment needs a data folder that contains {}/", below.begin()->string()));
  std::filesystem::path path = options.data / below;
  if (!std::filesystem::exists(path))
    throw InvalidInput(
        fmt::format("{} not found; the data folder must contain {}/", path.string(), below.begin()->string()));
  return path;
}

PictureOptions with_threads(const RunOptions& options, Estimator estimator) {
  PictureOptions pictures;
  pictures.threads = options.threads;
  pictures.regions.estimator = estimator;
  return pictures;
}

/// "apple1" of "apple/apple1-000-000.png".
std::string object_of(const PictureFolder::File& file) {
  const std::string stem = file.path.stem().string();
  return file.label + "/" + stem.substr(0, stem.find('-'));
}

}  // namespace

Dataset brodatz(const RunOptions& options, Estimator estimator, double share, bool equalised) {
  PictureOptions pictures = with_threads(options, estimator);
  pictures.reading.resize = Size{256, 256};
  pictures.reading.equalise = equalised;
  pictures.tiles = Size{8, 8};
  pictures.regions.sample = share;
  pictures.regions.seed = options.seed;
  return describe_pictures(find_pictures(place(options, "brodatz")), pictures).data;
}

Dataset faces(const RunOptions& options, Estimator estimator, double share) {
  PictureOptions pictures = with_threads(options, estimator);
  pictures.regions.sample = share;
  pictures.regions.seed = options.seed;
  pictures.features = gabor_features();
  return describe_pictures(find_pictures(place(options, "orl")), pictures).data;
}

Dataset objects(const RunOptions& options, Estimator estimator) {
  const PictureFolder folder = find_pictures(place(options, "eth80"));
  const Dataset data = describe_pictures(folder, with_threads(options, estimator)).data;
  std::vector<std::string> groups;
  for (const PictureFolder::File& file : folder.files) groups.push_back(object_of(file));
  return Dataset(data.matrices(), data.labels(), Labels(groups));
}

Dataset brain(const RunOptions& options) {
  return load(place(options, "fnc/fnc.npz"));
}

Dataset eeg(const RunOptions& options) {
  return load(place(options, "ssvep/ssvep_covariances.npz"));
}

Dataset of_classes(const Dataset& data, const std::vector<std::string>& names) {
  std::vector<Index> wanted;
  std::vector<std::string> labels;
  for (Index i = 0; i < data.size(); ++i) {
    const std::string& name = data.labels().names()[static_cast<std::size_t>(data.labels()[i])];
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    wanted.push_back(i);
    labels.push_back(name);
  }
  for (const std::string& name : names)
    if (std::find(labels.begin(), labels.end(), name) == labels.end())
      throw InvalidInput(fmt::format("the data set has no class {}", name));
  return Dataset(data.select(wanted).matrices(), Labels(labels));
}

Dataset without_groups(const Dataset& data) {
  return Dataset(data.matrices(), data.labels());
}

Index splits_of(const RunOptions& options, Index full, Index quick) {
  return options.splits > 0 ? options.splits : options.quick ? quick : full;
}

EvaluationOptions on_halves(std::string_view methods, Index splits, const RunOptions& options) {
  EvaluationOptions result;
  result.methods = Method::parse_list(methods);
  result.protocol = {.kind = Protocol::Kind::halves, .count = splits};
  result.seed = options.seed;
  result.selection.seed = options.seed;
  result.selection.alpha0 = options.alpha0;
  return result;
}

void save_time(SelectionOptions& selection, Index learn_on) {
  selection.learn_on = learn_on;
  selection.folds = 3;
  selection.svm_cs = {1, 10, 100};
  selection.relative_thetas = {0.25, 1, 4};
  selection.relative_penalties = {1e-2, 1e-1};  // what none gives is known from the plain kernel
}

std::string saved_time(const SelectionOptions& selection) {
  const auto in_list = [](const std::vector<double>& values) { return fmt::format("{:g}", fmt::join(values, ", ")); };
  return fmt::format(
      "to save time, kernels were learned from at most {} matrices of each training part, evenly from the classes, "
      "with a penalty of {} of the plain criterion, or none; C among {}, theta among {} over the median distance; "
      "chosen by {} folds.",
      selection.learn_on, in_list(selection.relative_penalties), in_list(selection.svm_cs),
      in_list(selection.relative_thetas), selection.folds);
}

EvaluationOptions on_textures_with_knn(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 896);
  return with;
}

EvaluationOptions on_textures_with_svm(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  // Each setting and fold trains 6216 machines.
  save_time(with.selection, 448);
  with.selection.relative_penalties = {1e-1};
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4};
  with.selection.zetas = {0.5};
  return with;
}

EvaluationOptions on_faces(std::string_view methods, const RunOptions& options) {
  return on_halves(methods, splits_of(options, 20, 1), options);
}

EvaluationOptions on_objects(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, splits_of(options, 20, 1), options);
  save_time(with.selection, 640);
  with.selection.svm_cs = {10, 100};
  with.selection.relative_thetas = {1, 4, 16};
  return with;
}

EvaluationOptions on_brain(std::string_view methods, const RunOptions& options) {
  EvaluationOptions with = on_halves(methods, 0, options);
  with.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 8};
  return with;
}

}  // namespace dsk::experiment

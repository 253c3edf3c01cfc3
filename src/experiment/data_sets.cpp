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

Index splits_of(const RunOptions& options, Index full) {
  constexpr Index enough_for_a_verdict = 5;
  return options.splits > 0 ? options.splits : options.quick ? enough_for_a_verdict : full;
}

Dataset with_fewer_classes(const Dataset& data, Index most) {
  const std::vector<std::string>& names = data.labels().names();
  const Index count = std::ssize(names);
  if (count <= most) return data;
  std::vector<std::string> some;
  for (Index k = 0; k < most; ++k) some.push_back(names[static_cast<std::size_t>(k * count / most)]);
  return of_classes(data, some);
}

Dataset thinned(const Dataset& data, Index most) {
  const Index step = (data.size() + most - 1) / most;
  std::vector<Index> kept;
  for (Index i = 0; i < data.size(); i += step) kept.push_back(i);
  return step <= 1 ? data : data.select(kept);
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

EvaluationOptions Study::options_for(const Method& method) const {
  const bool shares_folds = method.classifier == Classifier::knn && !method.automatic;
  const bool is_reduced = method.automatic || (method.learning && !method.learning->as_printed && !shares_folds);
  if (!reduced || !is_reduced) return options;
  EvaluationOptions with = options;
  with.selection = *reduced;
  return with;
}

void save_time(Study& study, Index learn_on) {
  study.reduced = study.options.selection;
  study.reduced->learn_on = learn_on;
  study.reduced->relative_penalties = {1e-2, 1e-1};  // what none gives is known from the plain kernel
}

std::string saved_time(const Study& study) {
  if (!study.reduced) return "";
  return fmt::format(
      "Rows as printed are learned from whole training parts, with all penalties. To save time, guarded kernels for "
      "the "
      "SVM and DSK-auto were learned from at most {} matrices of each training part, evenly from the classes, with a "
      "penalty of {:g} of the plain criterion, or none.",
      study.reduced->learn_on, fmt::join(study.reduced->relative_penalties, " or "));
}

Dataset some_textures(const Dataset& all, const RunOptions& options) {
  return options.quick ? with_fewer_classes(all, quick_textures) : all;
}

Study with_textures(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options) {
  Study study{std::move(name), some_textures(all, options), on_halves(methods, splits_of(options, 20), options)};
  save_time(study, 896);
  return study;
}

Study with_people(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options) {
  return {std::move(name), options.quick ? with_fewer_classes(all, quick_people) : all,
          on_halves(methods, splits_of(options, 20), options)};
}

Study with_objects(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options) {
  Study study{std::move(name), options.quick ? thinned(all, quick_views) : all,
              on_halves(methods, splits_of(options, 20), options)};
  save_time(study, 640);
  return study;
}

Study with_subjects(std::string name, const Dataset& all, std::string_view methods, const RunOptions& options) {
  Study study{std::move(name), all, on_halves(methods, 0, options)};
  study.options.protocol = {.kind = options.quick ? Protocol::Kind::kfold : Protocol::Kind::loo, .count = 5};
  return study;
}

}  // namespace dsk::experiment

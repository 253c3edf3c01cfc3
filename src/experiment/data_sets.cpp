#include "experiment/runs.hpp"

#include <dsk/describe.hpp>
#include <dsk/files.hpp>

#include <fmt/format.h>

#include <algorithm>

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
std::string object_of(const PictureFile& file) {
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
  for (const PictureFile& file : folder.files) groups.push_back(object_of(file));
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

}  // namespace dsk::experiment

#pragma once

#include <dsk/classify/knn.hpp>
#include <dsk/classify/nystrom_knn.hpp>
#include <dsk/classify/svm.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

namespace dsk {

/// Any trained classifier.
using Model = std::variant<KnnClassifier, SvmClassifier, NystromKnn>;

/// "knn" or "svm", whether exact or in features.
std::string_view kind(const Model& model);
/// The size of the matrices it is for.
Index dim(const Model& model);
const Comparison& comparison(const Model& model);
/// Of the matrices it keeps, or of those whose features it keeps.
const Labels& labels(const Model& model);
/// The names of the classes, in the order of the columns of scores.
const std::vector<std::string>& class_names(const Model& model);

/// As for the classifier it holds.
Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options = {});
double accuracy(const Model& model, const Dataset& data, const PairOptions& options = {});

/// How the features of an approximate model were made.
struct ApproximationOrigin {
  Index landmarks = 0;
  std::string choice = {};    ///< of the landmarks, by its name
  double residual_share = 0;  ///< over the training set
  Index chosen_on = 0;        ///< matrices that the kernel and the settings were chosen on
  std::uint64_t seed = 0;

  bool operator==(const ApproximationOrigin&) const = default;
};

/// How a model came to be: kept with it for readers, not needed for using it. In UTF-8.
struct ModelOrigin {
  std::string repair = {};     ///< of the training set's matrices, as it was asked for
  std::string criterion = {};  ///< that its kernel was learned by; empty: not learned
  Index samples = 0;           ///< in the training set
  std::optional<ApproximationOrigin> approximation = {};

  bool operator==(const ModelOrigin&) const = default;
};

struct SavedModel {
  Model model;
  ModelOrigin origin = {};
};

/// Writes a .dsk file: a zip of meta.json and .npy arrays, the same bytes for the same model. It appears whole or not
/// at all. Throws InvalidInput, with the file's name and the reason, if it cannot be written.
void save(const SavedModel& saved, const std::filesystem::path& file);
void save(const Model& model, const std::filesystem::path& file);

/// Reads what `save` wrote: a model that predicts the same to the bit. Throws InvalidInput: one line with the file's
/// name and what is wrong with it.
SavedModel load_model(const std::filesystem::path& file, int threads = 0);

}  // namespace dsk

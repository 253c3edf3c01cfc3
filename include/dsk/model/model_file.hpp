#pragma once

#include <dsk/classify/knn.hpp>
#include <dsk/classify/svm.hpp>

#include <filesystem>
#include <string>
#include <variant>

namespace dsk {

/// Any trained classifier.
using Model = std::variant<KnnClassifier, SvmClassifier>;

/// "knn" or "svm".
std::string_view kind(const Model& model);
/// The size of the matrices it is for.
Index dim(const Model& model);
const Comparison& comparison(const Model& model);
/// The names of the classes, in the order of the columns of scores.
const std::vector<std::string>& class_names(const Model& model);

/// As for the classifier it holds.
Prediction predict(const Model& model, const SpdBatch& x, const PairOptions& options = {});
double accuracy(const Model& model, const Dataset& data, const PairOptions& options = {});

/// How a model came to be: kept with it for readers, not needed for using it. In UTF-8.
struct ModelOrigin {
  std::string repair = {};     ///< of the training set's matrices, as it was asked for
  std::string criterion = {};  ///< that its kernel was learned by; empty: not learned
  Index samples = 0;           ///< in the training set

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

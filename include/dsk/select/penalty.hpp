#pragma once

#include <dsk/learn/learn.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace dsk {

enum class Classifier { knn, svm };

/// Reads "knn" or "svm"; throws InvalidInput.
Classifier parse_classifier(std::string_view text);
std::string_view name(Classifier classifier);

/// Cross-validation over penalties inside a training set.
struct PenaltySearch {
  /// Times the criterion of the plain kernel; infinity: no adjustment. Must not be empty.
  std::vector<double> relative_penalties = {1e-3, 1e-2, 1e-1, 1, std::numeric_limits<double>::infinity()};
  Classifier classifier = Classifier::knn;
  std::vector<Index> neighbours = {1, 3, 5, 7, 9};  ///< tried for k-NN
  std::vector<double> svm_cs = {1, 10, 100, 1000};  ///< tried for the SVM
  /// Tried as theta of the SVM's kernel beside the criterion's own, over the median divergence of the adjusted
  /// matrices.
  std::vector<double> relative_thetas = {};
  /// At which learning on a fold may stop: ranking penalties takes fewer digits than the kernel that is kept.
  double tolerance = 1e-3;
  Index learn_on = 0;  ///< learn from a sample, even over the classes, of so many matrices of a fold; 0: from all
  Index folds = 5;
  std::uint64_t seed = 0;
  /// Called after each of `total` kernels learned; false stops with Cancelled.
  std::function<bool(int done, int total)> on_progress = {};
};

/// One penalty with the classifier's setting that went best with it.
struct PenaltyScore {
  double penalty = 0;
  double accuracy = 0;
  double setting = 0;           ///< neighbours, or C of the SVM
  double relative_theta = 0;    ///< of the SVM's kernel; 0: the criterion's own theta
  std::vector<bool> hits = {};  ///< whether each held-out matrix got its class, fold after fold
};

struct PenaltyChoice {
  PenaltyScore best;
  std::vector<PenaltyScore> scores;  ///< by ascending penalty
  Index folds = 0;                   ///< made: no more than the largest class has members
};

/// Thrown where a callback asked to stop and there is no partial result.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// The penalty whose kernels, learned on all folds but one, classify the matrices of that one best. Of equally good
/// ones the strongest: an adjustment that does not help is not made. Throws InvalidInput for a bad grid, and where
/// learning does; Cancelled also if the callback of `options` stops.
PenaltyChoice choose_penalty(const Dataset& train, const LearnOptions& options, const PenaltySearch& search = {});

}  // namespace dsk

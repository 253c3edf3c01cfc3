#pragma once

#include <dsk/classify/nystrom_knn.hpp>
#include <dsk/classify/nystrom_svm.hpp>

namespace dsk {

/// What an approximation costs, on samples small enough for exact computation.
struct ApproximationCheck {
  Index pairs_of = 0;        ///< matrices, drawn at random, whose kernel values of all pairs are compared
  double mean_error = 0;     ///< of |phi(X)'phi(Y) - k(X, Y)| over different X and Y
  double largest_error = 0;  ///< of the same
  Index trained_on = 0;      ///< matrices, the classes balanced, that both classifiers are trained on
  Index predicted = 0;       ///< other matrices, that both predict
  double exact = 0;          ///< accuracy of the exact classifier
  double approximate = 0;    ///< accuracy of the one in features, with the same settings
  double agreement = 0;      ///< share of matrices that get the same class from both
};

struct ApproximationSamples {
  Index pairs_of = 500;
  Index trained_on = 2000;  ///< no more than half of the data set is trained on
  Index predicted = 1000;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Compares the map's kernel with the exact one, and classifiers over both. Throws InvalidInput as training does, and
/// for fewer than two matrices.
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const SvmTraining& training,
                                       const ApproximationSamples& samples = {});
ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const KnnOptions& training,
                                       const ApproximationSamples& samples = {});

}  // namespace dsk

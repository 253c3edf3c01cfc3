#pragma once

#include <dsk/approximate/nystrom.hpp>
#include <dsk/classify/svm.hpp>

namespace dsk {

/// Linear support vector machines in the features of a map, and how their training went.
struct NystromSvm {
  /// w'phi(X) + b is a sum over kernel values with the landmarks, so this is a machine with the landmarks as support.
  SvmClassifier classifier;
  double residual_share = 0;  ///< mean of 1 - |phi(X)|^2 over the training set
  Index unfinished = 0;       ///< pairs of classes whose machine was stopped by the limit of passes
};

/// Trains a machine for each pair of classes, as train_svm does, but in features, in single precision: 4 n m bytes of
/// memory and time proportional to n m instead of n^2. The offset b counts like one more weight, as in LIBLINEAR.
/// The map's landmarks need labels with the training set's names. Throws InvalidInput as train_svm, for `theta` other
/// than the map's, and for `probabilities`, which are not calibrated here.
NystromSvm train_nystrom_svm(const NystromMap& map, const Dataset& train, const SvmTraining& options = {});

}  // namespace dsk

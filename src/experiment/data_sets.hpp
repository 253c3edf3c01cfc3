#pragma once

#include <dsk/covariance.hpp>
#include <dsk/experiment.hpp>

namespace dsk::experiment {

// The sets that the experiments read from folders of the one that the user names. All throw InvalidInput, naming what
// is missing.

/// brodatz/: one picture per class, resized to 256 x 256, 64 tiles each, 5 features. Of `share` of the pixels.
Dataset brodatz(const ExperimentOptions& options, Estimator estimator = Estimator::sample, double share = 1);
/// orl/: a folder per person, 43 features with Gabor wavelets.
Dataset faces(const ExperimentOptions& options, Estimator estimator = Estimator::sample);
/// eth80/: a folder per class, one matrix per picture, 5 features. Grouped by object, which the names of the files
/// tell.
Dataset objects(const ExperimentOptions& options, Estimator estimator = Estimator::sample);
/// fnc/fnc.npz: correlation matrices of subjects.
Dataset brain(const ExperimentOptions& options);
/// ssvep/ssvep_covariances.npz: covariances of epochs, grouped by subject.
Dataset eeg(const ExperimentOptions& options);

/// Labels that are `names`, in any order, and no groups.
Dataset of_classes(const Dataset& data, const std::vector<std::string>& names);
/// The same matrices and labels.
Dataset without_groups(const Dataset& data);

}  // namespace dsk::experiment

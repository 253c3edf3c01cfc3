#pragma once

#include <dsk/covariance.hpp>
#include <dsk/experiment.hpp>

namespace dsk::experiment {

// The data sets of the experiments, read from subfolders of ExperimentOptions::data. All throw InvalidInput that names
// a missing folder or file.

/// brodatz/: one image per class, resized to 256 x 256 and cut into 64 tiles, 5 features. Uses a fraction `share` of
/// the pixels.
Dataset brodatz(const ExperimentOptions& options, Estimator estimator = Estimator::sample, double share = 1);
/// orl/: one folder per person, 43 features with Gabor wavelets.
Dataset faces(const ExperimentOptions& options, Estimator estimator = Estimator::sample);
/// eth80/: one folder per class, one matrix per image, 5 features. Grouped by object, as given by the file names.
Dataset objects(const ExperimentOptions& options, Estimator estimator = Estimator::sample);
/// fnc/fnc.npz: one correlation matrix per subject.
Dataset brain(const ExperimentOptions& options);
/// ssvep/ssvep_covariances.npz: one covariance matrix per epoch, grouped by subject.
Dataset eeg(const ExperimentOptions& options);

/// The matrices of the named classes, without groups. Throws InvalidInput if a class does not occur.
Dataset of_classes(const Dataset& data, const std::vector<std::string>& names);
/// The same matrices and labels, without groups.
Dataset without_groups(const Dataset& data);

}  // namespace dsk::experiment

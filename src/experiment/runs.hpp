#pragma once

#include <dsk/covariance.hpp>
#include <dsk/experiment.hpp>

namespace dsk::experiment {

// The experiments of the list in experiments.cpp.
ExperimentOutcome eigenvalue_bias(const ExperimentOptions& options);
ExperimentOutcome wishart_tau(const ExperimentOptions& options);
ExperimentOutcome wishart_dof(const ExperimentOptions& options);
ExperimentOutcome brodatz_pairs(const ExperimentOptions& options);
ExperimentOutcome brodatz_samples(const ExperimentOptions& options);
ExperimentOutcome brodatz_all(const ExperimentOptions& options);
ExperimentOutcome faces_table(const ExperimentOptions& options);
ExperimentOutcome objects_table(const ExperimentOptions& options);
ExperimentOutcome brain_table(const ExperimentOptions& options);
ExperimentOutcome timing(const ExperimentOptions& options);
ExperimentOutcome estimators(const ExperimentOptions& options);
ExperimentOutcome convergence(const ExperimentOptions& options);
ExperimentOutcome eeg_table(const ExperimentOptions& options);

/// The settings listed at the end of every outcome.
std::vector<Setting> settings(const ExperimentOptions& options, std::string_view name,
                              const std::vector<Evaluation>& evaluations);

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

struct ClassPair {
  std::string first, second;
  double accuracy = 0;  ///< of the plain Stein kernel with k-NN, if measured
  std::string name() const { return first + " and " + second; }
  bool operator==(const ClassPair& other) const { return first == other.first && second == other.second; }
};

/// The 15 pairs in the paper's supplement.
std::vector<ClassPair> paper_pairs();

/// The `count` pairs of classes with the lowest accuracy of the plain Stein kernel with k-NN over `splits` random
/// halves, lowest first.
std::vector<ClassPair> hardest_pairs(const Dataset& data, Index count, Index splits, std::uint64_t seed, int threads);

}  // namespace dsk::experiment

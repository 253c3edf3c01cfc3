#pragma once

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

}  // namespace dsk::experiment

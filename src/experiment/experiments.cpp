// The list of experiments.

#include <dsk/experiment.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment.hpp"

namespace dsk {
namespace {

/// An experiment and the function that runs it.
struct ExperimentRow {
  Experiment experiment;
  experiment::Outcome (*run)(const experiment::RunOptions& options);
};

const std::vector<ExperimentRow>& rows() {
  static const std::vector<ExperimentRow> list = {
      {{"eigenvalue-bias", "Section III.A", "", "bias of the eigenvalues of sample covariances", false},
       experiment::eigenvalue_bias},
      {{"brodatz-pairs", "Tables III and IV", "brodatz", "the 15 hardest pairs of textures, all methods"},
       experiment::brodatz_pairs},
      {{"brodatz-samples", "Fig. 1 (a)", "brodatz", "accuracy against the number of pixels"},
       experiment::brodatz_samples},
      {{"faces-samples", "Fig. 1 (b)", "orl", "accuracy against the number of pixels, hard pairs of faces"},
       experiment::faces_samples},
      {{"brodatz-all", "Table V", "brodatz", "112 textures, all methods but the SVM"}, experiment::brodatz_all_knn},
      {{"brodatz-all-svm", "Table V", "brodatz", "112 textures, the SVM"}, experiment::brodatz_all_svm},
      {{"faces", "Table VI", "orl", "faces, all methods"}, experiment::faces_table},
      {{"faces-neighbours", "Fig. 2", "orl", "accuracy against the numbers of people and neighbours; learned alpha"},
       experiment::faces_neighbours},
      {{"objects", "Table VII", "eth80", "8 classes of objects, all methods; split by image and by object"},
       experiment::objects_table},
      {{"brain", "Table VIII", "fnc", "patients and controls, leave-one-out, all methods", false},
       experiment::brain_table},
      {{"timing", "Fig. 3", "", "time for a similarity matrix of 100 matrices against their size", false},
       experiment::timing},
      {{"wishart-tau", "Fig. 4 (a, b)", "", "accuracy and p against the difference between two classes"},
       experiment::wishart_tau},
      {{"wishart-dof", "Fig. 4 (c, d)", "", "accuracy and p against the degrees of freedom"}, experiment::wishart_dof},
      {{"estimators", "Table IX", "brodatz, orl, eth80, fnc", "corrected and learned eigenvalues"},
       experiment::estimators},
      {{"convergence", "supplement", "brodatz", "objective against iterations", false}, experiment::convergence},
      {{"eeg", "not in the paper", "ssvep", "epochs of 12 subjects, all methods; leave one subject out"},
       experiment::eeg_table},
  };
  return list;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = [] {
    std::vector<Experiment> all;
    for (const ExperimentRow& row : rows()) all.push_back(row.experiment);
    return all;
  }();
  return list;
}

const Experiment& find_experiment(std::string_view name) {
  const auto& all = experiments();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& one) { return one.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const Experiment& one : all) names += (names.empty() ? "" : ", ") + std::string(one.name);
  throw InvalidInput(fmt::format("unknown experiment '{}'; available: {}", name, names));
}

namespace experiment {

Outcome run(std::string_view name, const RunOptions& options) {
  const Experiment& wanted = find_experiment(name);
  return rows()[static_cast<std::size_t>(&wanted - experiments().data())].run(options);
}

}  // namespace experiment
}  // namespace dsk

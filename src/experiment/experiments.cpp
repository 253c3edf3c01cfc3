#include <fmt/format.h>

#include <algorithm>

#include "experiment/runs.hpp"

namespace dsk {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = {
      {"eigenvalue-bias", "Section III.A", "", "bias of the eigenvalues of sample covariances",
       experiment::eigenvalue_bias, false},
      {"brodatz-pairs", "Tables III and IV", "brodatz", "the 15 hardest pairs of textures, all methods",
       experiment::brodatz_pairs},
      {"brodatz-samples", "Fig. 1", "brodatz", "accuracy against the number of pixels", experiment::brodatz_samples},
      {"brodatz-all", "Table V", "brodatz", "112 textures, all methods", experiment::brodatz_all},
      {"faces", "Table VI and Fig. 2", "orl", "faces, all methods; effect of classes and neighbours; learned alpha",
       experiment::faces_table},
      {"objects", "Table VII", "eth80", "8 classes of objects, all methods; split by image and by object",
       experiment::objects_table},
      {"brain", "Table VIII", "fnc", "patients and controls, leave-one-out, all methods", experiment::brain_table,
       false},
      {"timing", "Fig. 3", "", "time for a similarity matrix of 100 matrices against their size", experiment::timing,
       false},
      {"wishart-tau", "Fig. 4 (a, b)", "", "accuracy and p against the difference between two classes",
       experiment::wishart_tau},
      {"wishart-dof", "Fig. 4 (c, d)", "", "accuracy and p against the degrees of freedom", experiment::wishart_dof},
      {"estimators", "Table IX", "brodatz, orl, eth80, fnc", "corrected and learned eigenvalues",
       experiment::estimators},
      {"convergence", "supplement", "brodatz", "objective against iterations", experiment::convergence, false},
      {"eeg", "not in the paper", "ssvep", "epochs of 12 subjects, all methods; leave one subject out",
       experiment::eeg_table},
  };
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

std::vector<Setting> settings(const ExperimentOptions& options, std::string_view name,
                              const std::vector<Evaluation>& evaluations) {
  std::string command = fmt::format("dsk experiment {}", name);
  if (!find_experiment(name).data.empty()) command += " --data DIR";
  if (options.quick) command += " --quick";
  if (options.splits > 0) command += fmt::format(" --splits {}", options.splits);
  if (options.minutes > 0) command += fmt::format(" --minutes {}", options.minutes);
  command += fmt::format(" --seed {}", options.seed);
  std::vector<Setting> list{{"command", std::move(command)}};
  if (evaluations.empty()) return list;
  std::size_t fewest = evaluations.front().splits.size(), most = fewest;
  double seconds = 0;
  for (const Evaluation& one : evaluations) {
    fewest = std::min(fewest, one.splits.size());
    most = std::max(most, one.splits.size());
    for (const SplitResult& result : one.results) seconds += result.seconds;
  }
  list.push_back(
      {"splits", fewest == most ? std::to_string(most) : fmt::format("{} to {}, depending on the task", fewest, most)});
  list.push_back({"computing time", fmt::format("{:.1f} minutes on one core", seconds / 60)});
  list.push_back({"p",
                  "from the paired t-test (t) and the Wilcoxon signed-rank test (W); where splits overlap, as random "
                  "halves do, both are smaller than on independent data"});
  return list;
}

}  // namespace experiment
}  // namespace dsk

#include <fmt/format.h>

#include "experiment/runs.hpp"
#include "experiment/scores.hpp"
#include "experiment/studies.hpp"
#include "experiment/texture_pairs.hpp"

namespace dsk::experiment {

ExperimentOutcome brodatz_samples(const ExperimentOptions& options) {
  const std::vector<double> shares =
      options.quick ? std::vector<double>{0.05, 0.25, 1} : std::vector<double>{0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1};
  const EvaluationOptions with = on_halves("SK:knn,DSK-KA-p:knn,DSK-auto:knn", splits_of(options, 20, 2), options);
  const std::vector<ClassPair> pairs = paper_pairs();
  std::vector<Study> studies;
  for (const double share : shares) {
    const Dataset data = brodatz(options, Estimator::sample, share);
    for (const ClassPair& pair : pairs)
      studies.push_back({fmt::format("{}, {:g} of the pixels", pair.name(), share),
                         of_classes(data, {pair.first, pair.second}), with});
  }
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);

  OutcomeSection section;
  section.table = {
      {"pixels, %", "SK", "DSK-KA-p", "less SK", "p (t)", "verdict", "DSK-auto", "less SK", "p (t)", "verdict"}};
  std::vector<Curve> curves{{"SK", {}, {}}, {"DSK-KA-p", {}, {}}, {"DSK-auto", {}, {}}};
  int higher = 0, better = 0, worse = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto first = evaluations.begin() + static_cast<std::ptrdiff_t>(k * pairs.size());
    const std::vector<Score> all = scores_over_tasks({first, first + static_cast<std::ptrdiff_t>(pairs.size())});
    std::vector<std::string> row{fmt::format("{:g}", 100 * shares[k]), percent(all[0].accuracy.mean)};
    for (std::size_t m = 0; m < all.size(); ++m) {
      curves[m].x.push_back(100 * shares[k]);
      curves[m].y.push_back(all[m].accuracy.mean);
      if (m == 0) continue;
      row.push_back(percent(all[m].accuracy.mean));
      row.push_back(fmt::format("{:+.2f}", 100 * (all[m].accuracy.mean - all[0].accuracy.mean)));
      row.push_back(all[m].against ? p_value(all[m].against->student_p) : "");
      row.push_back(in_a_word(all[m]));
    }
    higher += all[1].accuracy.mean > all[0].accuracy.mean ? 1 : 0;
    better += is_better(all[1]) ? 1 : 0;
    worse += is_worse(all[1]) ? 1 : 0;
    section.table.push_back(std::move(row));
  }
  section.lines = {accuracy_chart("Accuracy with k-NN, mean over the paper's 15 pairs of textures.",
                                  "share of the 1024 pixels, %", curves)};
  section.text = {
      "The paper's figure has no numbers; in words, DSK-KA-p is always above SK, and both fall with fewer "
      "pixels."};
  ExperimentOutcome outcome{
      .title = "Fewer pixels per covariance (Fig. 1)",
      .answer =
          fmt::format("DSK-KA-p is above SK at {} of {} shares of the pixels, significantly at {}, and significantly "
                      "below at {}; the paper has it above at all.",
                      higher, shares.size(), better, worse)};
  outcome.sections = {section};
  outcome.settings = settings(options, "brodatz-samples", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

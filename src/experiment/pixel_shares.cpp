// Accuracy against the share of pixels that covariances are estimated from (Fig. 1).

#include <fmt/format.h>

#include "experiment/experiment.hpp"
#include "experiment/scores.hpp"

namespace dsk::experiment {
namespace {

constexpr std::string_view pixel_share_methods = "SK:knn,DSK-KA-p-printed:knn,DSK-KA-p:knn,DSK-auto:knn";

OutcomeSection shares_section(const std::vector<double>& shares, const std::vector<std::vector<Score>>& by_share,
                              std::string_view mean_over, const std::string& axis) {
  OutcomeSection section;
  section.table = {{"pixels, %", "majority", "SK", "DSK-KA-p, as printed", "vs. SK", "p", "p (Holm)", "verdict",
                    "p, as in the paper", "DSK-KA-p, guarded", "verdict", "DSK-auto", "verdict"}};
  std::vector<Curve> curves{
      {"SK", {}, {}}, {"DSK-KA-p, as printed", {}, {}}, {"DSK-KA-p, guarded", {}, {}}, {"DSK-auto", {}, {}}};
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::vector<Score>& all = by_share[k];
    for (std::size_t m = 0; m < curves.size(); ++m) {
      curves[m].x.push_back(100 * shares[k]);
      curves[m].y.push_back(all[m].accuracy.mean);
    }
    const std::optional<PairedComparison>& against = all[1].against;
    section.table.push_back(
        {fmt::format("{:g}", 100 * shares[k]), percent(all.back().accuracy.mean), percent(all[0].accuracy.mean),
         percent(all[1].accuracy.mean), fmt::format("{:+.2f}", 100 * (all[1].accuracy.mean - all[0].accuracy.mean)),
         against ? p_value(against->p) : "", against ? p_value(against->holm_p) : "", verdict_word(all[1]),
         against ? p_value(against->student_p) : "", percent(all[2].accuracy.mean), verdict_word(all[2]),
         percent(all[3].accuracy.mean), verdict_word(all[3])});
  }
  section.lines = {accuracy_chart(fmt::format("Accuracy with k-NN, {}.", mean_over), axis, curves)};
  section.text = {
      "The paper's figure has no numbers. It shows DSK-KA-p above SK for every number of pixels, and both falling with "
      "fewer pixels."};
  return section;
}

std::string shares_answer(const std::vector<std::vector<Score>>& by_share) {
  if (!has_verdict(by_share.front()[1])) return "Too few splits to compare.";
  int higher = 0, better = 0, worse = 0;
  for (const std::vector<Score>& all : by_share) {
    higher += all[1].accuracy.mean > all[0].accuracy.mean ? 1 : 0;
    better += is_better(all[1]) ? 1 : 0;
    worse += is_worse(all[1]) ? 1 : 0;
  }
  return fmt::format(
      "DSK-KA-p, learned as printed, is above SK for {} of {} numbers of pixels, significantly better for {} and "
      "significantly worse for {}. In the paper it is above SK for all.",
      higher, by_share.size(), better, worse);
}

/// The studies of all pairs for one share after the other.
struct ShareSweep {
  std::vector<double> shares;
  std::vector<ClassPair> pairs;
  std::vector<Study> studies = {};

  void add(const Dataset& data, double share, const std::string& suffix, const EvaluationOptions& with) {
    for (const ClassPair& pair : pairs)
      studies.push_back({fmt::format("{}, {:g} of the pixels{}", pair.name(), share, suffix),
                         of_classes(data, {pair.first, pair.second}), with});
  }
};

/// Scores over the pairs for each share, from the evaluations of the sweep, which begin at `first`.
std::vector<std::vector<Score>> scores_by_share(const ShareSweep& sweep,
                                                std::vector<Evaluation>::const_iterator first) {
  std::vector<std::vector<Score>> result;
  for (std::size_t k = 0; k < sweep.shares.size(); ++k) {
    const auto last = first + static_cast<std::ptrdiff_t>(sweep.pairs.size());
    result.push_back(scores_over_tasks({first, last}));
    first = last;
  }
  return result;
}

}  // namespace

Outcome brodatz_samples(const RunOptions& options) {
  const std::vector<double> shares =
      options.quick ? std::vector<double>{0.05, 0.25, 1} : std::vector<double>{0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1};
  const EvaluationOptions with = on_halves(pixel_share_methods, splits_of(options, 20), options);
  std::vector<Study> studies;
  const ShareSweep empty{shares, some_pairs(options)};
  for (const bool equalised : {false, true}) {
    ShareSweep sweep = empty;
    for (const double share : shares)
      sweep.add(brodatz(options, Estimator::sample, share, equalised), share, equalised ? ", equalised" : "", with);
    studies.insert(studies.end(), sweep.studies.begin(), sweep.studies.end());
  }
  const std::vector<Evaluation> evaluations = evaluate_all(studies, options);
  Outcome outcome{.title = "Fewer pixels per covariance (Fig. 1 a)"};
  for (const bool equalised : {false, true}) {
    const auto first = evaluations.begin() + (equalised ? std::ssize(evaluations) / 2 : 0);
    const auto by_share = scores_by_share(empty, first);
    outcome.answer += (equalised ? " With equalised histograms: " : "") + shares_answer(by_share);
    outcome.sections.push_back(shares_section(shares, by_share, fmt::format("mean over {}", paper_pairs_text(options)),
                                              "pixels used, % of 1024"));
    outcome.sections.back().heading = equalised ? "Pictures with equalised histograms" : "Pictures as they are";
    add_balance(outcome.sections.back(), by_share);
  }
  say_quick(outcome, options,
            fmt::format("{} of 15 pairs and {} of 7 shares of the pixels", quick_pairs, shares.size()));
  outcome.settings = settings(options, "brodatz-samples", evaluations);
  return outcome;
}

Outcome faces_samples(const RunOptions& options) {
  const std::vector<double> shares =
      options.quick ? std::vector<double>{0.02, 0.1, 1} : std::vector<double>{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1};
  const EvaluationOptions with = on_halves(pixel_share_methods, splits_of(options, 20), options);
  const Dataset all = faces(options);
  ShareSweep sweep{
      shares, hardest_pairs(options.quick ? with_fewer_classes(all, quick_people) : all,
                            options.quick ? quick_pairs : 15, with.protocol.count, options.seed + 1, options.threads)};
  for (const double share : shares) sweep.add(faces(options, Estimator::sample, share), share, "", with);
  const std::vector<Evaluation> evaluations = evaluate_all(sweep.studies, options);
  const auto by_share = scores_by_share(sweep, evaluations.begin());
  Outcome outcome{.title = "Fewer pixels per covariance of a face (Fig. 1 b)", .answer = shares_answer(by_share)};
  outcome.sections = {shares_section(
      shares, by_share, fmt::format("mean over the {} hardest pairs of people", sweep.pairs.size()), "pixels used, %")};
  std::vector<std::string> names;
  for (const ClassPair& pair : sweep.pairs)
    names.push_back(fmt::format("{} ({:.1f})", pair.name(), 100 * pair.accuracy));
  outcome.sections[0].text.push_back(fmt::format(
      "Pairs and the accuracy of SK with k-NN in per cent by which they were selected: {}. As in the paper, they are "
      "those with the lowest accuracy from all pixels; unlike there, on other random halves than those scored here.",
      listed(names)));
  outcome.sections[0].text.emplace_back(
      "The images differ from the paper's: ORL (40 people, 10 images each) replaces FERET (198 people).");
  add_balance(outcome.sections[0], by_share);
  say_quick(outcome, options,
            fmt::format("{} pairs of {} of 40 people and {} of 7 shares of the pixels", quick_pairs, quick_people,
                        shares.size()));
  outcome.settings = settings(options, "faces-samples", evaluations);
  return outcome;
}

}  // namespace dsk::experiment

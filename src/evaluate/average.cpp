#include <algorithm>
#include <cmath>

#include "classify/classify.hpp"
#include "evaluate/race.hpp"

namespace dsk::detail {
namespace {

/// Derivatives of the mean log probability of the true classes.
struct Slope {
  double first = 0;
  double second = 0;
};

/// Where probabilities are the softmax of `factor` times the scores. Rows whose true class has no score do not count.
Slope slope_at(double factor, const Matrix& scores, std::span<const int> truth, std::span<const double> weights) {
  Slope slope;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double of_truth = scores(i, truth[static_cast<std::size_t>(i)]), largest = scores.row(i).maxCoeff();
    if (!std::isfinite(of_truth)) continue;
    double total = 0, mean = 0, square = 0;
    for (const double score : scores.row(i)) {
      if (!std::isfinite(score)) continue;
      const double below = score - largest, probability = std::exp(factor * below);
      total += probability;
      mean += probability * below;
      square += probability * below * below;
    }
    const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
    mean /= total;
    slope.first += weight * (of_truth - largest - mean);
    slope.second -= weight * (square / total - mean * mean);
  }
  return slope;
}

/// The factor from 0 on that makes the true classes likeliest. Where scores tell all classes apart any large one does:
/// at most 20 over their standard deviation.
double likeliest_factor(const Matrix& scores, std::span<const int> truth, std::span<const double> weights) {
  constexpr double largest = 20, tolerance = 1e-6;
  constexpr int most_steps = 60;
  const double unit = 1 / score_scale(scores, weights);
  double low = 0, high = largest * unit;
  if (!(slope_at(low, scores, truth, weights).first > 0)) return 0;
  if (slope_at(high, scores, truth, weights).first >= 0) return high;
  // Newton's method; the derivative falls, and the root stays between low and high.
  double factor = unit;
  for (int step = 0; step < most_steps && high - low > tolerance * high; ++step) {
    const Slope slope = slope_at(factor, scores, truth, weights);
    (slope.first > 0 ? low : high) = factor;
    double next = slope.second < 0 ? factor - slope.first / slope.second : low;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - factor) <= tolerance * factor) return next;
    factor = next;
  }
  return factor;
}

/// The centred scores of all members on all folds, fold after fold. A member that failed on one has none.
struct HeldOut {
  std::vector<Matrix> of_member;
  std::vector<int> truth;
};

HeldOut held_out_scores(const Dataset& train, const std::vector<Candidate>& members, std::span<const Split> folds,
                        const CandidateOptions& work) {
  std::vector<std::vector<Matrix>> found(folds.size());
  visit_folds(train, folds, work, [&](std::size_t f, FoldWork& fold) {
    for (const Candidate& member : members) {
      Matrix scores;
      succeeds([&] { scores = centred_scores(fold.scores(member)); });
      found[f].push_back(std::move(scores));
    }
  });
  HeldOut held_out;
  for (const Split& fold : folds)
    for (const Index i : fold.test) held_out.truth.push_back(train.labels()[i]);
  for (std::size_t m = 0; m < members.size(); ++m) {
    Matrix& all = held_out.of_member.emplace_back(std::ssize(held_out.truth), std::ssize(train.labels().names()));
    Index first = 0;
    for (const std::vector<Matrix>& fold : found) {
      if (fold[m].size() == 0) {
        all.resize(0, 0);
        break;
      }
      all.middleRows(first, fold[m].rows()) = fold[m];
      first += fold[m].rows();
    }
  }
  return held_out;
}

}  // namespace

std::optional<ScoredCandidate> average_of_members(const Dataset& train, const std::vector<Candidate>& members,
                                                  const CandidateOptions& work, const RaceOptions& options) {
  const std::vector<Split> folds = folds_of_race(train, options);
  HeldOut held_out = held_out_scores(train, members, folds, work);
  ScoredCandidate average{
      .candidate = {.family = Family::average}, .folds = std::ssize(folds), .weights = scored_weights(train, folds)};
  Matrix sum = Matrix::Zero(std::ssize(held_out.truth), std::ssize(train.labels().names()));
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Matrix& scores = held_out.of_member[m];
    if (scores.size() == 0) continue;
    const double factor = likeliest_factor(scores, held_out.truth, average.weights);
    if (factor == 0) continue;
    sum += factor * scores;
    average.candidate.members.push_back(members[m]);
    average.candidate.members.back().scale = 1 / factor;
  }
  if (average.candidate.members.size() < 2) return {};
  const double factor = likeliest_factor(sum, held_out.truth, average.weights);
  if (factor == 0) return {};
  for (Candidate& member : average.candidate.members) member.scale /= factor;
  average.hits = hits_of_largest(sum, held_out.truth);
  average.accuracy = share(average.hits, average.weights);
  return average;
}

}  // namespace dsk::detail

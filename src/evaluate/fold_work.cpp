#include "evaluate/race.hpp"

#include <set>

#include "classify/classify.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {
namespace {

/// Of the gradient: candidates are ranked by whom they classify correctly, which takes few digits.
constexpr double logistic_tolerance = 1e-4;
/// Of class means.
constexpr double mean_tolerance = 1e-8;

Matrix exponential_of(const Matrix& squared, double theta, int threads) {
  Matrix kernel = squared;
  exponential_in_place(kernel, -theta, threads);
  return kernel;
}

}  // namespace

FoldWork::FoldWork(const Dataset& train, const Dataset& test, const CandidateOptions& options)
    : train_(train), test_(test), options_(options), transforms_(train, options) {}

FoldWork::View FoldWork::view_of(const Candidate& candidate) {
  return {candidate.metric, candidate.zeta, candidate.recentred, candidate.components, candidate.adjusted};
}

/// The Stein divergence on a subspace, or on whole matrices.
FoldWork::View FoldWork::rung_view(Index components) const {
  return view_of({.components = components == train_.dim() ? 0 : components});
}

FoldWork::Pairs FoldWork::pairs_of(const View& view) {
  const auto& [metric, zeta, recentred, components, adjusted] = view;
  const int threads = options_.pairs.threads;
  const Transform transform =
      transforms_.before({.recentred = recentred, .components = components, .adjusted = adjusted});
  const SpdBatch train = transform.apply(train_.matrices(), threads), test = transform.apply(test_.matrices(), threads);
  const Comparison comparison{.metric = metric, .zeta = zeta};
  const ComparedBatch known(comparison, train, threads), unknown(comparison, test, threads);
  Pairs pairs{pairwise_squared_distances(known, options_.pairs),
              pairwise_squared_distances(unknown, known, options_.pairs), 0, train.dim()};
  pairs.median = median_above_diagonal(pairs.train);
  return pairs;
}

Hits FoldWork::hits_of_scores(const Matrix& scores) const {
  return hits_of_largest(scores, test_.labels().codes());
}

Matrix FoldWork::mdm_scores(const Candidate& candidate) {
  const Transform transform = transforms_.before(candidate);
  const int threads = options_.pairs.threads;
  const Dataset train = train_.with_matrices(transform.apply(train_.matrices(), threads));
  const MdmClassifier model = train_mdm(
      train, {.metric = candidate.metric, .zeta = candidate.zeta, .tolerance = mean_tolerance, .threads = threads});
  return detail::mdm_scores(model, transform.apply(test_.matrices(), threads), {.threads = threads});
}

const FoldWork::TangentRows& FoldWork::tangent(Index components) {
  const auto found = tangent_.find(components);
  if (found != tangent_.end()) return found->second;
  const int threads = options_.pairs.threads;
  const auto rows = [&](const Matrix& reference, const SpdBatch& train, const SpdBatch& test) {
    const TangentSpace space(reference);
    return TangentRows{space.map(train, threads), space.map(test, threads)};
  };
  if (components == 0)
    return tangent_.emplace(components, rows(transforms_.mean(), train_.matrices(), test_.matrices())).first->second;
  const Transform transform = transforms_.before({.components = components});
  const SpdBatch train = transform.apply(train_.matrices(), threads);
  return tangent_
      .emplace(components, rows(transforms_.mean_of(train).matrix, train, transform.apply(test_.matrices(), threads)))
      .first->second;
}

const LinearModel& FoldWork::logistic(Index components, double c) {
  const auto found = logistic_.find({components, c});
  if (found != logistic_.end()) return found->second;
  return logistic_
      .emplace(std::pair(components, c),
               fit_logistic(tangent(components).train, train_.labels().codes(), classes(),
                            {.c = c, .tolerance = logistic_tolerance, .sample_weights = train_.weights()}))
      .first->second;
}

void FoldWork::score_tangent(Index components, std::span<const Candidate> candidates,
                             const std::vector<std::size_t>& own, std::vector<Hits>& hits) {
  std::vector<double> cs, machine_cs;
  std::vector<std::size_t> logistic, machines;
  for (const std::size_t k : own) {
    const bool is_logistic = candidates[k].family == Family::logistic;
    (is_logistic ? cs : machine_cs).push_back(candidates[k].neighbours_or_c);
    (is_logistic ? logistic : machines).push_back(k);
  }
  const TangentRows& rows = tangent(components);
  if (!machines.empty()) {
    const ScaledFeatures scaled(rows.train, train_.weights());
    std::vector<Hits> found =
        svm_hits(scaled.kernel(), scaled.scaled(rows.test) * scaled.rows.transpose(), train_.labels(), test_.labels(),
                 machine_cs, options_.svm, options_.pairs.threads, train_.weights());
    for (std::size_t m = 0; m < machines.size(); ++m) hits[machines[m]] = std::move(found[m]);
  }
  if (cs.empty()) return;
  std::vector<LinearModel> models =
      fit_logistic_path(rows.train, train_.labels().codes(), classes(), cs,
                        {.tolerance = logistic_tolerance, .sample_weights = train_.weights()});
  for (std::size_t m = 0; m < models.size(); ++m) {
    hits[logistic[m]] = hits_of_scores(models[m].scores(rows.test));
    logistic_.emplace(std::pair(components, cs[m]), std::move(models[m]));
  }
}

void FoldWork::score_view(const Pairs& pairs, std::span<const Candidate> candidates,
                          const std::vector<std::size_t>& own, std::vector<Hits>& hits) {
  const int threads = options_.pairs.threads;
  std::vector<Index> neighbours;
  std::vector<std::size_t> by_neighbours;
  std::map<double, std::vector<std::size_t>> by_theta;
  for (const std::size_t k : own) {
    if (candidates[k].family == Family::knn) {
      neighbours.push_back(static_cast<Index>(candidates[k].neighbours_or_c));
      by_neighbours.push_back(k);
    } else {
      by_theta[theta_of(candidates[k], pairs.median, pairs.dim)].push_back(k);
    }
  }
  if (!neighbours.empty()) {
    std::vector<Hits> found = neighbour_hits(pairs.test, train_.labels(), test_.labels(), neighbours, train_.weights());
    for (std::size_t m = 0; m < found.size(); ++m) hits[by_neighbours[m]] = std::move(found[m]);
  }
  for (const auto& [theta, those] : by_theta) {
    const Matrix train = exponential_of(pairs.train, theta, threads), test = exponential_of(pairs.test, theta, threads);
    // The same theta may come from several relative ones.
    std::map<double, std::vector<std::size_t>> by_c;
    for (const std::size_t k : those) {
      if (candidates[k].family == Family::mean)
        hits[k] = hits_of_scores(kernel_mean_scores(test, train, train_.labels().codes(), classes(), train_.weights()));
      else
        by_c[candidates[k].neighbours_or_c].push_back(k);
    }
    std::vector<double> cs;
    cs.reserve(by_c.size());
    for (const auto& entry : by_c) cs.push_back(entry.first);
    if (cs.empty()) continue;
    const std::vector<Hits> found =
        svm_hits(train, test, train_.labels(), test_.labels(), cs, options_.svm, threads, train_.weights());
    auto of_c = found.begin();
    for (const auto& entry : by_c) {
      for (const std::size_t k : entry.second) hits[k] = *of_c;
      ++of_c;
    }
  }
}

/// Scores of class means, centred and divided by the deviation of the training part's.
Matrix FoldWork::rung_scores(const Pairs& pairs, double relative_theta) const {
  const Candidate rung{.family = Family::mean, .relative_theta = relative_theta};
  const double theta = theta_of(rung, pairs.median, pairs.dim);
  const Matrix train = exponential_of(pairs.train, theta, options_.pairs.threads),
               test = exponential_of(pairs.test, theta, options_.pairs.threads);
  const std::vector<int>& codes = train_.labels().codes();
  const std::vector<double>& weights = train_.weights();
  return centred_scores(kernel_mean_scores(test, train, codes, classes(), weights)) /
         score_scale(kernel_mean_scores(train, train, codes, classes(), weights), weights);
}

/// From the sum of the rungs' scores.
Matrix FoldWork::ladder_scores(const Candidate& candidate, Matrix sum) {
  if (candidate.family == Family::ladder) return sum;
  const LinearModel& model = logistic(0, candidate.neighbours_or_c);
  sum += centred_scores(model.scores(tangent(0).test)) *
         (static_cast<double>(options_.rungs.size()) / score_scale(model.scores(tangent(0).train), train_.weights()));
  return sum;
}

Matrix FoldWork::svm_scores(const Matrix& train, const Matrix& test, double c) const {
  const PairwiseSvm machine =
      train_pairwise_path(train, train_.labels().codes(), {c},
                          machine_of(options_.svm, train_.labels(), train_.weights(), options_.pairs.threads))
          .front();
  return machine_scores(machine.decisions(test), machine.classes(), classes());
}

Matrix FoldWork::pair_scores(const Candidate& candidate) {
  const Pairs pairs = pairs_of(view_of(candidate));
  if (candidate.family == Family::knn)
    return neighbour_scores(pairs.test, train_.labels(), static_cast<Index>(candidate.neighbours_or_c),
                            train_.weights());
  const double theta = theta_of(candidate, pairs.median, pairs.dim);
  const Matrix train = exponential_of(pairs.train, theta, options_.pairs.threads),
               test = exponential_of(pairs.test, theta, options_.pairs.threads);
  if (candidate.family == Family::mean)
    return kernel_mean_scores(test, train, train_.labels().codes(), classes(), train_.weights());
  return svm_scores(train, test, candidate.neighbours_or_c);
}

Matrix FoldWork::scores(const Candidate& candidate) {
  if (compares_pairs(candidate)) return pair_scores(candidate);
  if (candidate.family == Family::mdm) return mdm_scores(candidate);
  const Index components = candidate.components;
  if (candidate.family == Family::logistic)
    return logistic(components, candidate.neighbours_or_c).scores(tangent(components).test);
  if (candidate.family == Family::tangent_svm) {
    const ScaledFeatures scaled(tangent(components).train, train_.weights());
    return svm_scores(scaled.kernel(), scaled.scaled(tangent(components).test) * scaled.rows.transpose(),
                      candidate.neighbours_or_c);
  }
  Matrix sum = Matrix::Zero(test_.size(), classes());
  for (const Index rung : options_.rungs) sum += rung_scores(pairs_of(rung_view(rung)), candidate.relative_theta);
  return ladder_scores(candidate, std::move(sum));
}

std::vector<Hits> FoldWork::hits(std::span<const Candidate> candidates) {
  std::vector<Hits> hits(candidates.size(), Hits(static_cast<std::size_t>(test_.size()), false));
  std::map<View, std::vector<std::size_t>> views;
  std::map<Index, std::vector<std::size_t>> tangents;
  std::vector<std::size_t> ladders;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Candidate& one = candidates[k];
    if (one.family == Family::mdm) succeeds([&] { hits[k] = hits_of_scores(mdm_scores(one)); });
    if (compares_pairs(one)) views[view_of(one)].push_back(k);
    if (is_tangent(one)) tangents[one.components].push_back(k);
    if (is_ladder(one)) ladders.push_back(k);
  }
  for (const auto& [components, own] : tangents)
    succeeds([&, size = components, &those = own] { score_tangent(size, candidates, those, hits); });

  std::map<double, Matrix> sums;
  for (const std::size_t k : ladders) sums.try_emplace(candidates[k].relative_theta);
  std::set<View> rungs;
  if (!ladders.empty())
    for (const Index components : options_.rungs) rungs.insert(rung_view(components));
  for (const View& rung : rungs) views[rung];
  bool whole_ladder = true;
  for (const auto& entry : views) {
    const bool scored = succeeds([&] {
      const Pairs pairs = pairs_of(entry.first);
      score_view(pairs, candidates, entry.second, hits);
      if (rungs.count(entry.first) == 0) return;
      for (auto& sum : sums) {
        const Matrix scores = rung_scores(pairs, sum.first);
        sum.second = sum.second.size() == 0 ? scores : Matrix(sum.second + scores);
      }
    });
    if (rungs.count(entry.first) != 0) whole_ladder &= scored;
  }
  if (whole_ladder)
    succeeds([&] {
      for (const std::size_t k : ladders)
        hits[k] = hits_of_scores(ladder_scores(candidates[k], sums.at(candidates[k].relative_theta)));
    });
  return hits;
}

}  // namespace dsk::detail

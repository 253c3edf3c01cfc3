#include "evaluate/choose.hpp"

#include <dsk/classify.hpp>
#include <dsk/evaluate.hpp>
#include <dsk/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "classify/classify.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {

std::vector<Hits> neighbour_hits(const Matrix& distances, const Labels& train, const Labels& test,
                                 const std::vector<Index>& neighbours, const std::vector<double>& weights) {
  std::vector<Hits> hits(neighbours.size());
  for (Index i = 0; i < test.size(); ++i) {
    const std::span<const double> row(&distances(i, 0), static_cast<std::size_t>(distances.cols()));
    if (!weights.empty()) {
      for (std::size_t s = 0; s < neighbours.size(); ++s)
        hits[s].push_back(largest_share(weighted_votes(row, train.codes(), weights, neighbours[s])) == test[i]);
      continue;
    }
    const std::vector<int> votes = nearest_votes(row, train.codes(), neighbours);
    for (std::size_t s = 0; s < votes.size(); ++s) hits[s].push_back(votes[s] == test[i]);
  }
  return hits;
}

Matrix neighbour_scores(const Matrix& distances, const Labels& train, Index neighbours,
                        const std::vector<double>& weights) {
  Votes votes(train, distances.rows());
  for (Index i = 0; i < distances.rows(); ++i) {
    const std::span<const double> row(&distances(i, 0), static_cast<std::size_t>(distances.cols()));
    if (weights.empty())
      votes.add(i, nearest_classes(row, train.codes(), neighbours));
    else
      votes.add(i, weighted_votes(row, train.codes(), weights, neighbours));
  }
  return std::move(votes).prediction().scores;
}

Hits hits_of_largest(const Matrix& scores, const std::vector<int>& truth) {
  Hits hits;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    scores.row(i).maxCoeff(&best);
    hits.push_back(static_cast<int>(best) == truth[static_cast<std::size_t>(i)]);
  }
  return hits;
}

SvmTraining svm_training(const SvmVariant& variant, double c, int threads) {
  return {.c = c,
          .margin = variant.margin,
          .balanced = variant.balanced,
          .class_weights = variant.class_weights,
          .pairs = {.threads = threads}};
}

SvmOptions machine_of(const SvmVariant& variant, const Labels& train, const std::vector<double>& weights, int threads) {
  return machine_options(svm_training(variant, SvmTraining().c, threads), train, weights);
}

namespace {

bool are_equal(const PairwiseSvm& one, const PairwiseSvm& other) {
  const auto& a = one.coefficients();
  const auto& b = other.coefficients();
  return a.nonZeros() == b.nonZeros() && one.offsets() == other.offsets() &&
         std::equal(a.valuePtr(), a.valuePtr() + a.nonZeros(), b.valuePtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

}  // namespace

std::vector<Hits> svm_hits(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                           const Labels& test, const std::vector<double>& cs, const SvmVariant& variant, int threads,
                           const std::vector<double>& weights) {
  const std::vector<PairwiseSvm> machines =
      train_pairwise_path(train_kernel, train.codes(), cs, machine_of(variant, train, weights, threads));
  std::vector<Hits> hits;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    // Where C bounds no coefficient, machines are the same for every larger C.
    if (m > 0 && are_equal(machines[m - 1], machines[m])) {
      hits.push_back(hits.back());
      continue;
    }
    const std::vector<int> found = machines[m].predict(test_kernel, threads);
    Hits& of_c = hits.emplace_back();
    for (Index i = 0; i < test.size(); ++i) of_c.push_back(found[static_cast<std::size_t>(i)] == test[i]);
  }
  return hits;
}

void append(std::vector<Hits>& all, const std::vector<Hits>& fold) {
  all.resize(fold.size());
  for (std::size_t s = 0; s < fold.size(); ++s) all[s].insert(all[s].end(), fold[s].begin(), fold[s].end());
}

std::vector<Split> folds_of(const Dataset& train, const std::vector<Split>& given, Index folds, std::uint64_t seed) {
  if (given.empty()) return stratified_folds(train, folds, seed);
  for (std::size_t f = 0; f < given.size(); ++f)
    for (const std::vector<Index>* part : {&given[f].train, &given[f].test})
      for (const Index i : *part)
        if (i < 0 || i >= train.size())
          throw InvalidInput(fmt::format("fold {} has index {}, but there are {} matrices", f, i, train.size()));
  return given;
}

std::vector<double> scored_weights(const Dataset& train, const std::vector<Split>& splits) {
  std::vector<double> weights;
  if (!train.weights().empty())
    for (const Split& split : splits)
      for (const Index i : split.test) weights.push_back(train.weights()[static_cast<std::size_t>(i)]);
  return weights;
}

double share(const Hits& hits, const std::vector<double>& weights) {
  if (weights.empty())
    return static_cast<double>(std::count(hits.begin(), hits.end(), true)) / static_cast<double>(hits.size());
  double right = 0, whole = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    right += hits[i] ? weights[i] : 0;
    whole += weights[i];
  }
  return right / whole;
}

double standard_error(const Hits& hits) {
  const double accuracy = share(hits);
  return hits.empty() ? 0 : std::sqrt(accuracy * (1 - accuracy) / static_cast<double>(hits.size()));
}

double gain(const Hits& hits, const Hits& others, const std::vector<double>& weights) {
  double more = 0, differing = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    more += weight * ((hits[i] ? 1 : 0) - (others[i] ? 1 : 0));
    differing += hits[i] != others[i] ? weight : 0;
  }
  return differing == 0 ? 0 : more / std::sqrt(differing);
}

std::vector<double> thetas_over_median(const Matrix& distances, const std::vector<double>& relative, Metric metric,
                                       Index dim, bool any) {
  const double median = median_above_diagonal(distances);
  std::vector<double> thetas;
  for (const double one : relative) {
    const double theta = median > 0 ? one / median : one;
    thetas.push_back(any ? theta : nearest_valid_theta(metric, theta, dim));
  }
  return thetas;
}

}  // namespace dsk::detail

#include "evaluate/choose.hpp"

#include <dsk/classify.hpp>
#include <dsk/kernel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "classify/classify.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {

std::vector<Hits> neighbour_hits(const Matrix& distances, const Labels& train, const Labels& test,
                                 const std::vector<Index>& neighbours) {
  std::vector<Hits> hits(neighbours.size());
  for (Index i = 0; i < test.size(); ++i) {
    const std::span<const double> row(&distances(i, 0), static_cast<std::size_t>(distances.cols()));
    const std::vector<int> votes = nearest_votes(row, train.codes(), neighbours);
    for (std::size_t s = 0; s < votes.size(); ++s) hits[s].push_back(votes[s] == test[i]);
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

SvmOptions machine_of(const SvmVariant& variant, const Labels& train, int threads) {
  return machine_options(svm_training(variant, SvmTraining().c, threads), train);
}

namespace {

/// Whether C bounds no coefficient: then the machines are the same for every larger C.
bool is_free(const PairwiseSvm& svm, const SvmOptions& options) {
  double smallest = options.c;
  for (const double weight : options.class_weights) smallest = std::min(smallest, options.c * weight);
  const double* const values = svm.coefficients().valuePtr();
  return std::all_of(values, values + svm.coefficients().nonZeros(),
                     [&](double value) { return std::abs(value) < smallest * (1 - 1e-9); });
}

}  // namespace

std::vector<Hits> svm_hits(const Matrix& train_kernel, const Matrix& test_kernel, const Labels& train,
                           const Labels& test, const std::vector<double>& cs, const SvmVariant& variant, int threads) {
  std::vector<Hits> hits;
  SvmOptions options = machine_of(variant, train, threads);
  double free_from = std::numeric_limits<double>::infinity();
  for (const double c : cs) {
    if (c >= free_from) {
      hits.push_back(hits.back());
      continue;
    }
    options.c = c;
    const PairwiseSvm svm(train_kernel, train.codes(), options);
    if (variant.margin == SoftMargin::linear && is_free(svm, options)) free_from = c;
    const std::vector<int> found = svm.predict(test_kernel, threads);
    Hits& of_c = hits.emplace_back();
    for (Index i = 0; i < test.size(); ++i) of_c.push_back(found[static_cast<std::size_t>(i)] == test[i]);
  }
  return hits;
}

void append(std::vector<Hits>& all, const std::vector<Hits>& fold) {
  all.resize(fold.size());
  for (std::size_t s = 0; s < fold.size(); ++s) all[s].insert(all[s].end(), fold[s].begin(), fold[s].end());
}

double share(const Hits& hits) {
  return static_cast<double>(std::count(hits.begin(), hits.end(), true)) / static_cast<double>(hits.size());
}

double gain(const Hits& hits, const Hits& others) {
  double more = 0, differing = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    more += (hits[i] ? 1 : 0) - (others[i] ? 1 : 0);
    differing += hits[i] != others[i] ? 1 : 0;
  }
  return differing == 0 ? 0 : more / std::sqrt(differing);
}

double nearest_valid_theta(Metric metric, double theta, Index dim) {
  return is_valid_theta(metric, theta, dim) ? theta : std::max(0.5, std::round(2 * theta) / 2);
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

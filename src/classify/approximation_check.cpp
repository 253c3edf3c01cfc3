#include <dsk/classify.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/classify.hpp"
#include "engine/engine.hpp"

namespace dsk {
namespace {

void compare_kernels(const NystromMap& map, const SpdBatch& x, const PairOptions& options, ApproximationCheck& check) {
  Matrix exact = pairwise_squared_distances(map.comparison(), x, options);
  exponential_in_place(exact, -map.theta(), options.threads);
  const Matrix features = map.features(x, options);
  const Matrix approximate = features * features.transpose();
  check.pairs_of = x.size();
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double error = std::abs(approximate(i, j) - exact(i, j));
      sum += error;
      check.largest_error = std::max(check.largest_error, error);
    }
  const auto size = static_cast<double>(x.size());
  check.mean_error = sum / (size * (size - 1) / 2);
}

/// `predictions(train, x)` trains both classifiers and returns the labels that the exact and the approximate one
/// predict.
template <class Predictions>
ApproximationCheck compared(const NystromMap& map, const Dataset& data, const ApproximationSamples& samples,
                            const Predictions& predictions) {
  const Index size = data.size();
  if (size < 2) throw InvalidInput(fmt::format("checking an approximation needs at least 2 matrices, not {}", size));
  ApproximationCheck check;
  const std::vector<Index> paired = random_sample(size, std::max<Index>(2, samples.pairs_of), samples.seed);
  compare_kernels(map, data.matrices().select(paired), {.threads = samples.threads}, check);

  const std::vector<Index> known =
      balanced_sample(data.labels(), std::min(samples.trained_on, (size + 1) / 2), samples.seed);
  std::vector<Index> others;
  for (Index i = 0; i < size; ++i)
    if (!std::binary_search(known.begin(), known.end(), i)) others.push_back(i);
  std::vector<Index> chosen;
  for (const Index i : random_sample(static_cast<Index>(others.size()), samples.predicted, samples.seed))
    chosen.push_back(others[static_cast<std::size_t>(i)]);
  const Dataset train = data.select(known), test = data.select(chosen);
  const auto [exact, approximate] = predictions(train, test.matrices());
  check.trained_on = train.size();
  check.predicted = test.size();
  check.exact = accuracy(exact, test.labels());
  check.approximate = accuracy(approximate, test.labels());
  check.agreement = accuracy(exact, approximate);
  return check;
}

}  // namespace

ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const SvmTraining& training,
                                       const ApproximationSamples& samples) {
  const PairOptions pairs{.threads = samples.threads};
  return compared(map, data, samples, [&](const Dataset& train, const SpdBatch& x) {
    SvmTraining options = training;
    options.theta = map.theta();
    options.pairs = pairs;
    return std::pair(predict(train_svm(map.comparison(), train, options), x, pairs).labels,
                     predict(train_nystrom_svm(map, train, options).classifier, x, pairs).labels);
  });
}

ApproximationCheck check_approximation(const NystromMap& map, const Dataset& data, const KnnOptions& training,
                                       const ApproximationSamples& samples) {
  const PairOptions pairs{.threads = samples.threads};
  return compared(map, data, samples, [&](const Dataset& train, const SpdBatch& x) {
    return std::pair(predict(train_knn(map.comparison(), train, training), x, pairs).labels,
                     predict(NystromKnn(map, train, training), x, pairs).labels);
  });
}

}  // namespace dsk

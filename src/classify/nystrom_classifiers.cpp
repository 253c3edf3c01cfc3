// Classifiers on Nystrom features, and how near they come to exact ones.

#include <dsk/classify.hpp>
#include <dsk/matrices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "classify/classify.hpp"
#include "classify/dual_descent.hpp"
#include "classify/pairwise_svm.hpp"
#include "engine/engine.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

void check_training(const NystromMap& map, const Dataset& train, const SvmTraining& options) {
  if (map.landmarks().labels().names() != train.labels().names())
    throw InvalidInput("the class names of the landmarks differ from those of the training set");
  detail::require_two_classes(train.labels());
  if (options.theta && *options.theta != map.theta())
    throw InvalidInput(fmt::format("theta {} differs from the theta of the features, {}", *options.theta, map.theta()));
  if (options.probabilities) throw InvalidInput("probabilities are not supported with Nystrom features");
  if (!(options.c > 0 && std::isfinite(options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", options.c));
}

/// All features in single precision, and the mean of their residuals.
std::pair<detail::SingleRows, double> feature_rows(const NystromMap& map, const SpdBatch& x,
                                                   const PairOptions& options) {
  detail::SingleRows rows(x.size(), map.size());
  double residuals = 0;
  map.visit_features(
      x,
      [&](Index first, const Matrix& features) {
        rows.set(first, features);
        for (Index i = 0; i < features.rows(); ++i) residuals += residual(features.row(i));
      },
      options);
  return {std::move(rows), residuals / static_cast<double>(x.size())};
}

/// One linear machine for each pair of classes; weights are columns.
struct LinearMachines {
  Matrix weights;
  Eigen::RowVectorXd offsets;
  Index unfinished = 0;
};

LinearMachines descend_all(const detail::SingleRows& rows, const Dataset& train, const std::vector<int>& classes,
                           const std::vector<double>& weights, const SvmTraining& options) {
  const std::vector<int>& codes = train.labels().codes();
  const auto pairs = detail::all_pairs(classes.size());
  const auto count = static_cast<Index>(pairs.size());
  LinearMachines result{Matrix(rows.dim(), count), Eigen::RowVectorXd(count)};
  std::atomic<Index> unfinished = 0;
  const double nanoseconds = 1e3 * static_cast<double>(codes.size()) / static_cast<double>(classes.size());
  const std::vector<std::vector<Index>> by_class = detail::members_by_class(codes, classes);
  detail::for_ranges(count, options.pairs.threads, nanoseconds, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const auto [a, b] = pairs[static_cast<std::size_t>(p)];
      const auto [members, signs] = detail::members_of_pair(by_class[a], by_class[b]);
      const detail::DescentResult machine = detail::descend({.rows = rows,
                                                             .members = members,
                                                             .signs = signs,
                                                             .costs = {options.c * weights[a], options.c * weights[b]},
                                                             .weights = train.weights(),
                                                             .squared = options.margin == SoftMargin::squared,
                                                             .seed = options.seed + static_cast<std::uint64_t>(p)});
      result.weights.col(p) = machine.weights;
      result.offsets[p] = machine.offset;
      if (!machine.converged) ++unfinished;
    }
  });
  result.unfinished = unfinished;
  return result;
}

/// The landmarks and, for each class without a landmark, its first member, which no machine uses.
Dataset support_of(const NystromMap& map, const Dataset& train, const std::vector<int>& classes) {
  const Dataset& landmarks = map.landmarks();
  const std::vector<int> present = detail::distinct(landmarks.labels().codes());
  std::vector<int> codes = landmarks.labels().codes();
  MatrixStack stack{landmarks.size(), landmarks.dim(), {}};
  const auto append = [&](std::span<const double> values) {
    stack.values.insert(stack.values.end(), values.begin(), values.end());
  };
  append(landmarks.matrices().values());
  for (const int missing : classes) {
    if (std::binary_search(present.begin(), present.end(), missing)) continue;
    const auto& known = train.labels().codes();
    const Index at = std::find(known.begin(), known.end(), missing) - known.begin();
    const MatrixView matrix = train.matrices()[at];
    append({matrix.data(), static_cast<std::size_t>(matrix.size())});
    codes.push_back(missing);
    ++stack.count;
  }
  const Labels& names = landmarks.labels();
  return Dataset(SpdBatch(std::move(stack)), Labels(names.names(), std::move(codes), names.integral()));
}

}  // namespace

NystromKnn::NystromKnn(const NystromMap& map, const Dataset& train, const KnnOptions& options)
    : NystromKnn(map, map.features(train.matrices(), {.threads = options.threads}), train.labels(), options.neighbours,
                 train.weights()) {
  detail::require_two_classes(train.labels());
}

NystromKnn::NystromKnn(NystromMap map, Matrix features, Labels labels, Index neighbours, std::vector<double> weights)
    : map_(std::move(map)),
      features_(std::move(features)),
      labels_(std::move(labels)),
      neighbours_(neighbours),
      weights_(std::move(weights)) {
  if (neighbours_ < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours_));
  if (features_.rows() != labels_.size() || features_.cols() != map_.size() || labels_.size() < 1)
    throw InvalidInput(fmt::format("{} x {} features do not match {} labels and {} landmarks", features_.rows(),
                                   features_.cols(), labels_.size(), map_.size()));
  if (!features_.allFinite()) throw InvalidInput("a feature of the training set is not a finite number");
  if (!weights_.empty() && static_cast<Index>(weights_.size()) != labels_.size())
    throw InvalidInput(fmt::format("{} weights do not match {} labels", weights_.size(), labels_.size()));
  for (const double weight : weights_)
    if (!(weight > 0 && std::isfinite(weight)))
      throw InvalidInput(fmt::format("the weight {} of a training matrix must be finite and above 0", weight));
}

double NystromKnn::residual_share() const {
  double sum = 0;
  for (Index i = 0; i < features_.rows(); ++i) sum += residual(features_.row(i));
  return sum / static_cast<double>(features_.rows());
}

Prediction predict(const NystromKnn& model, const SpdBatch& x, const PairOptions& options) {
  const auto trained = static_cast<std::size_t>(model.labels().size());
  constexpr Index entries = Index{1} << 22;
  const Index together = std::max<Index>(64, entries / model.labels().size());
  detail::Votes votes(model.labels(), x.size());
  const auto vote = [&](Index begin, const Matrix& rows) {
    const Matrix squared = pairwise_squared_distances(rows, model.features(), {.threads = options.threads});
    detail::for_ranges(rows.rows(), options.threads, 10 * static_cast<double>(trained), [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const std::span<const double> row(&squared(i, 0), trained);
        if (model.weights().empty())
          votes.add(begin + i, nearest_classes(row, model.labels().codes(), model.neighbours()));
        else
          votes.add(begin + i,
                    detail::weighted_votes(row, model.labels().codes(), model.weights(), model.neighbours()));
      }
    });
  };
  model.map().visit_features(
      x,
      [&](Index begin, const Matrix& features) {
        for (Index first = 0; first < features.rows(); first += together)
          vote(begin + first, features.middleRows(first, std::min(together, features.rows() - first)));
      },
      options);
  return std::move(votes).prediction();
}

double accuracy(const NystromKnn& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  return accuracy(predict(model, data.matrices(), options).labels, truth);
}

NystromSvm train_nystrom_svm(const NystromMap& map, const Dataset& train, const SvmTraining& options) {
  check_training(map, train, options);
  const Labels& labels = train.labels();
  const std::vector<int> classes = detail::distinct(labels.codes());
  SvmTraining used = options;
  used.theta = map.theta();
  used.class_weights = detail::class_weights(options, labels, train.weights());
  std::vector<double> of_present;
  if (!used.class_weights.empty())
    for (const int code : classes) of_present.push_back(used.class_weights[static_cast<std::size_t>(code)]);
  const std::vector<double> weights = detail::checked_weights(of_present, classes.size(), options.c);

  const auto [rows, residual_share] = feature_rows(map, train.matrices(), options.pairs);
  const LinearMachines machines = descend_all(rows, train, classes, weights, options);
  Dataset support = support_of(map, train, classes);
  Matrix coefficients = Matrix::Zero(support.size(), machines.weights.cols());
  coefficients.topRows(map.size()) = map.factor().triangularView<Eigen::Lower>().transpose().solve(machines.weights);
  return {detail::classifier_of(detail::SvmParts{.comparison = map.comparison(),
                                                 .support = std::move(support),
                                                 .machine = PairwiseSvm(classes, coefficients, machines.offsets),
                                                 .training = std::move(used)},
                                options.pairs.threads),
          residual_share, machines.unfinished};
}

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

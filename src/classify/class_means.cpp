#include <dsk/classify.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "classify/pairwise_svm.hpp"
#include "engine/engine.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Codes of classes, and the weights of their members in means; empty: all 1.
struct Members {
  std::span<const int> codes;
  std::span<const double> weights;

  double weight(Index j) const { return weights.empty() ? 1 : weights[static_cast<std::size_t>(j)]; }
};

Members members_of(const Dataset& train) {
  return {train.labels().codes(), train.weights()};
}

std::vector<double> class_sizes(const Members& members, Index classes) {
  std::vector<double> sizes(static_cast<std::size_t>(classes), 0);
  for (std::size_t j = 0; j < members.codes.size(); ++j) {
    const int code = members.codes[j];
    if (code < 0 || code >= classes)
      throw InvalidInput(fmt::format("class code {} is outside the {} classes", code, classes));
    sizes[static_cast<std::size_t>(code)] += members.weight(static_cast<Index>(j));
  }
  return sizes;
}

/// The mean of each row of kernel values over the members of each class; 0 for classes without members.
Matrix means_over_classes(const Matrix& kernel, const Members& members, Index classes, int threads) {
  const std::vector<double> sizes = class_sizes(members, classes);
  Matrix result = Matrix::Zero(kernel.rows(), classes);
  detail::for_ranges(kernel.rows(), threads, static_cast<double>(kernel.cols()), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (Index j = 0; j < kernel.cols(); ++j)
        result(i, members.codes[static_cast<std::size_t>(j)]) += members.weight(j) * kernel(i, j);
      for (Index c = 0; c < classes; ++c)
        if (const double size = sizes[static_cast<std::size_t>(c)]; size > 0) result(i, c) /= size;
    }
  });
  return result;
}

/// From the rows of the training set: the mean over the members of a class of their means over the same class.
Eigen::RowVectorXd means_within(const Matrix& means, const Members& members) {
  const std::vector<double> sizes = class_sizes(members, means.cols());
  Eigen::RowVectorXd within = Eigen::RowVectorXd::Zero(means.cols());
  for (Index i = 0; i < means.rows(); ++i) {
    const int code = members.codes[static_cast<std::size_t>(i)];
    within[code] += members.weight(i) * means(i, code);
  }
  for (Index c = 0; c < means.cols(); ++c)
    if (const double size = sizes[static_cast<std::size_t>(c)]; size > 0) within[c] /= size;
  return within;
}

Matrix scores_of_means(const Matrix& means, const Eigen::RowVectorXd& within, const Members& members) {
  const std::vector<double> sizes = class_sizes(members, means.cols());
  Matrix scores = (2 * means).rowwise() - within;
  for (Index c = 0; c < means.cols(); ++c)
    if (sizes[static_cast<std::size_t>(c)] == 0) scores.col(c).setConstant(detail::no_score);
  return scores;
}

/// The means over classes of the kernel values of x with the training set, in blocks of bounded memory.
Matrix kernel_means(const Comparison& comparison, double theta, const SpdBatch& x, const ComparedBatch& train,
                    const Dataset& known, const PairOptions& options) {
  const auto classes = static_cast<Index>(known.labels().names().size());
  Matrix result(x.size(), classes);
  detail::visit_row_blocks(comparison, x, train, options, [&](Index first, detail::SquaredDistances squared) {
    Matrix kernel = detail::finished(std::move(squared), true, options.threads);
    exponential_in_place(kernel, -theta, options.threads);
    result.middleRows(first, kernel.rows()) = means_over_classes(kernel, members_of(known), classes, options.threads);
  });
  return result;
}

}  // namespace

Matrix detail::kernel_mean_scores(const Matrix& test_kernel, const Matrix& train_kernel, std::span<const int> codes,
                                  Index classes, std::span<const double> weights) {
  const auto count = static_cast<Index>(codes.size());
  if (train_kernel.rows() != count || train_kernel.cols() != count || test_kernel.cols() != count)
    throw InvalidInput(fmt::format("{} x {} and {} x {} kernel values do not match {} classes", test_kernel.rows(),
                                   test_kernel.cols(), train_kernel.rows(), train_kernel.cols(), count));
  const Members members{codes, weights};
  const Eigen::RowVectorXd within = means_within(means_over_classes(train_kernel, members, classes, 1), members);
  return scores_of_means(means_over_classes(test_kernel, members, classes, 1), within, members);
}

MeanClassifier::MeanClassifier(detail::MeanParts parts, int threads)
    : parts_(std::make_shared<const detail::MeanParts>(std::move(parts))),
      compared_(std::make_shared<const ComparedBatch>(comparison(), training_set().matrices(), threads)) {
  const Eigen::RowVectorXd& within = parts_->within;
  const auto classes = static_cast<Index>(training_set().labels().names().size());
  if (within.size() != classes)
    throw InvalidInput(fmt::format("{} kernel means do not match {} classes", within.size(), classes));
  if (!within.allFinite()) throw InvalidInput("a kernel mean is not a finite number");
  if (!(theta() > 0 && std::isfinite(theta())))
    throw InvalidInput(fmt::format("theta {} must be finite and above 0", theta()));
  if (!(parts_->scale > 0 && std::isfinite(parts_->scale)))
    throw InvalidInput(fmt::format("the scale {} of the scores must be finite and above 0", parts_->scale));
}

const Comparison& MeanClassifier::comparison() const {
  return parts_->comparison;
}
const Dataset& MeanClassifier::training_set() const {
  return parts_->train;
}
double MeanClassifier::theta() const {
  return parts_->theta;
}

MeanClassifier train_mean(const Comparison& comparison, const Dataset& train, const MeanClassifier::Options& options) {
  const Labels& labels = train.labels();
  detail::require_two_classes(labels);
  const double theta = options.theta ? *options.theta : comparison.learned ? comparison.learned->theta() : 1;
  check_theta(comparison.metric, theta, train.dim(), true);
  const ComparedBatch compared(comparison, train.matrices(), options.pairs.threads);
  const Matrix means = kernel_means(comparison, theta, train.matrices(), compared, train, options.pairs);
  Eigen::RowVectorXd within = means_within(means, members_of(train));
  const double scale = detail::score_scale(scores_of_means(means, within, members_of(train)), train.weights());
  return detail::classifier_of(detail::MeanParts{.comparison = comparison,
                                                 .train = train.without_groups(),
                                                 .theta = theta,
                                                 .within = std::move(within),
                                                 .scale = scale},
                               options.pairs.threads);
}

MeanClassifier train_mean(const LearnedKernel& kernel, const Dataset& train, const MeanClassifier::Options& options) {
  return train_mean(comparison_by(kernel), train, options);
}

Matrix detail::mean_scores(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Dataset& known = model.training_set();
  const Matrix means = kernel_means(model.comparison(), model.theta(), x, detail::compared(model), known, options);
  return scores_of_means(means, detail::parts_of(model).within, members_of(known));
}

Prediction predict(const MeanClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::predict_largest(model.training_set().labels(),
                                 detail::mean_scores(model, x, options) / detail::parts_of(model).scale);
}

MdmClassifier::MdmClassifier(const Dataset& means, const MeanOptions& options, std::optional<Mean::Stop> stop)
    : means_(means.matrices(), means.labels()),
      comparison_{.metric = options.metric, .zeta = options.zeta},
      stop_(stop),
      compared_(std::make_shared<const ComparedBatch>(comparison_, means_.matrices(), options.threads)) {
  const std::vector<int>& codes = means_.labels().codes();
  if (std::adjacent_find(codes.begin(), codes.end(), std::greater_equal()) != codes.end())
    throw InvalidInput("the classes of class means must be different and in ascending order");
}

MdmClassifier train_mdm(const Dataset& train, const MeanOptions& options) {
  const Labels& labels = train.labels();
  detail::require_two_classes(labels);
  const std::vector<int> present = detail::distinct(labels.codes());
  const std::vector<int> groups = detail::positions_among(present, labels.codes());
  const auto count = static_cast<Index>(present.size());
  if (!options.weights.empty())
    throw InvalidInput("weights are taken from the training set; give no weights for the mean");
  MeanOptions of_class = options;
  of_class.weights = train.weights();
  const std::vector<Mean> found = group_means(train.matrices(), groups, count, of_class);
  MatrixStack stack{count, train.dim(), {}};
  for (const Mean& one : found)
    stack.values.insert(stack.values.end(), one.matrix.data(), one.matrix.data() + one.matrix.size());
  return MdmClassifier(
      Dataset(SpdBatch(std::move(stack), options.threads), Labels(labels.names(), present, labels.integral())), options,
      worst_stop(found));
}

Matrix detail::mdm_scores(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Labels& present = model.means().labels();
  Matrix result(x.size(), static_cast<Index>(present.names().size()));
  visit_row_blocks(model.comparison(), x, detail::compared(model), options, [&](Index first, SquaredDistances squared) {
    const Matrix scores = -finished(std::move(squared), true, options.threads);
    result.middleRows(first, scores.rows()) = spread_columns(scores, present.codes(), result.cols(), no_score);
  });
  return result;
}

Prediction predict(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::predict_largest(model.means().labels(), detail::mdm_scores(model, x, options));
}

}  // namespace dsk

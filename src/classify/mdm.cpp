#include <dsk/mean.hpp>
#include <dsk/mean_classifiers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "classify/classify.hpp"
#include "classify/pairwise_svm.hpp"
#include "kernel/kernel.hpp"
#include "spd/spd.hpp"

namespace dsk {

MdmClassifier::MdmClassifier(const Dataset& means, const MdmOptions& options)
    : means_(means.matrices(), means.labels()),
      comparison_{.metric = options.metric, .zeta = options.zeta},
      compared_(comparison_, means_.matrices(), options.threads) {
  const std::vector<int>& codes = means_.labels().codes();
  if (std::adjacent_find(codes.begin(), codes.end(), std::greater_equal()) != codes.end())
    throw InvalidInput("the classes of class means must be different and in ascending order");
}

MdmClassifier train_mdm(const Dataset& train, const MdmOptions& options) {
  const Labels& labels = train.labels();
  detail::require_two_classes(labels);
  const std::vector<int> present = detail::distinct(labels.codes());
  std::vector<int> groups;
  for (const int code : labels.codes())
    groups.push_back(static_cast<int>(std::lower_bound(present.begin(), present.end(), code) - present.begin()));
  const auto count = static_cast<Index>(present.size());
  const std::vector<Mean> found = group_means(
      train.matrices(), groups, count, {.metric = options.metric, .zeta = options.zeta, .threads = options.threads});
  MatrixStack stack{count, train.dim(), {}};
  for (const Mean& one : found)
    stack.values.insert(stack.values.end(), one.matrix.data(), one.matrix.data() + one.matrix.size());
  return MdmClassifier(
      Dataset(SpdBatch(std::move(stack), options.threads), Labels(labels.names(), present, labels.integral())),
      options);
}

Matrix detail::mdm_scores(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Labels& present = model.means().labels();
  Matrix result(x.size(), static_cast<Index>(present.names().size()));
  visit_row_blocks(model.comparison(), x, model.compared(), options, [&](Index first, SquaredDistances squared) {
    const Matrix scores = -finished(std::move(squared), true, options.threads);
    result.middleRows(first, scores.rows()) = spread_columns(scores, present, -std::numeric_limits<double>::infinity());
  });
  return result;
}

Prediction predict(const MdmClassifier& model, const SpdBatch& x, const PairOptions& options) {
  return detail::predict_largest(model.means().labels(), detail::mdm_scores(model, x, options));
}

}  // namespace dsk

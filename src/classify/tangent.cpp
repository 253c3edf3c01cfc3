#include <dsk/classify.hpp>
#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "classify/class_scores.hpp"
#include "classify/classify.hpp"
#include "classify/pairwise_svm.hpp"
#include "kernel/kernel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// The tangent space at the mean of the training set, and the rows that it makes of the matrices.
struct TangentRows {
  Mean reference;
  TangentSpace space;
  Matrix rows;

  TangentRows(const Dataset& train, Metric metric, int threads)
      : reference(mean(train.matrices(), {.metric = metric, .weights = train.weights(), .threads = threads})),
        space(reference.matrix),
        rows(space.map(train.matrices(), threads)) {}
};

Labels present_classes(const Labels& labels) {
  return {labels.names(), detail::distinct(labels.codes()), labels.integral()};
}

}  // namespace

TangentClassifier::TangentClassifier(detail::TangentParts parts)
    : parts_(std::make_shared<const detail::TangentParts>(std::move(parts))) {
  const auto& [space, linear, classes, pairwise, c, stop] = *parts_;
  const std::vector<int>& codes = classes.codes();
  const Index count = classes.size();
  if (count < (pairwise ? 2 : 1)) throw InvalidInput(fmt::format("{} classes are too few for a linear model", count));
  if (std::adjacent_find(codes.begin(), codes.end(), std::greater_equal()) != codes.end())
    throw InvalidInput("the classes of a linear model must be different and in ascending order");
  const Index outputs = pairwise ? count * (count - 1) / 2 : count;
  if (linear.weights.rows() != space.features() || linear.weights.cols() != outputs || linear.offsets.size() != outputs)
    throw InvalidInput(fmt::format("{} x {} weights and {} offsets do not match {} features and {} outputs",
                                   linear.weights.rows(), linear.weights.cols(), linear.offsets.size(),
                                   space.features(), outputs));
  if (!linear.weights.allFinite() || !linear.offsets.allFinite())
    throw InvalidInput("a weight of a linear model is not a finite number");
  if (!(c > 0 && std::isfinite(c))) throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
}

const TangentSpace& TangentClassifier::space() const {
  return parts_->space;
}
const Labels& TangentClassifier::classes() const {
  return parts_->classes;
}
bool TangentClassifier::is_pairwise() const {
  return parts_->pairwise;
}

TangentClassifier train_logistic(const Dataset& train, const LogisticTraining& options) {
  detail::require_two_classes(train.labels());
  Labels present = present_classes(train.labels());
  const std::vector<int> codes = detail::positions_among(present.codes(), train.labels().codes());
  const TangentRows tangent(train, options.metric, options.threads);
  LinearModel linear = detail::fit_logistic(tangent.rows, codes, present.size(),
                                            {.c = options.c,
                                             .max_iterations = options.max_iterations,
                                             .tolerance = options.tolerance,
                                             .sample_weights = train.weights()});
  return detail::classifier_of(detail::TangentParts{.space = tangent.space,
                                                    .linear = std::move(linear),
                                                    .classes = std::move(present),
                                                    .c = options.c,
                                                    .stop = tangent.reference.stop});
}

TangentClassifier train_tangent_svm(const Dataset& train, const SvmTraining& options, Metric metric) {
  const Labels& labels = train.labels();
  detail::require_two_classes(labels);
  const SvmOptions machine_options = detail::machine_options(options, labels, train.weights());
  const TangentRows tangent(train, metric, options.pairs.threads);
  const PairwiseSvm machine = detail::fit_linear_svm(tangent.rows, labels.codes(), machine_options);
  return detail::classifier_of(detail::TangentParts{.space = tangent.space,
                                                    .linear = {Matrix(machine.coefficients()), machine.offsets()},
                                                    .classes = present_classes(labels),
                                                    .pairwise = true,
                                                    .c = options.c,
                                                    .stop = tangent.reference.stop});
}

Matrix detail::tangent_outputs(const TangentClassifier& model, const SpdBatch& x, int threads) {
  check_model_dim(x.dim(), x.dim(), model.dim());
  constexpr Index entries = Index{1} << 22;
  const Index together = std::max<Index>(64, entries / model.space().features());
  if (x.size() <= together) return detail::parts_of(model).linear.scores(model.space().map(x, threads));
  Matrix result(x.size(), detail::parts_of(model).linear.offsets.size());
  for (Index first = 0; first < x.size(); first += together) {
    std::vector<Index> block(static_cast<std::size_t>(std::min(together, x.size() - first)));
    std::iota(block.begin(), block.end(), first);
    result.middleRows(first, static_cast<Index>(block.size())) =
        detail::parts_of(model).linear.scores(model.space().map(x.select(block), threads));
  }
  return result;
}

Prediction predict(const TangentClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Labels& present = model.classes();
  const auto classes = static_cast<Index>(present.names().size());
  const Matrix outputs = detail::tangent_outputs(model, x, options.threads);
  if (!model.is_pairwise()) {
    return detail::predict_largest(present,
                                   detail::spread_columns(outputs, present.codes(), classes, detail::no_score));
  }
  const PairwiseSvm machine(present.codes(), Matrix(0, outputs.cols()), detail::parts_of(model).linear.offsets);
  const Matrix wins = machine.wins(outputs, options.threads);
  return {Labels(present.names(), machine.winners(wins), present.integral()),
          detail::spread_columns(wins, present.codes(), classes, 0)};
}

}  // namespace dsk

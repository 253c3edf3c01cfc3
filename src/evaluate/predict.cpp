#include <dsk/train.hpp>

#include <cmath>
#include <utility>

#include "classify/classify.hpp"
#include "evaluate/choose.hpp"

namespace dsk {
namespace {

Prediction predict_in_groups(const Model& model, const Dataset& data, const PairOptions& options) {
  return predict(model, data.matrices(), data.has_groups() ? &data.groups() : nullptr, options);
}

/// The predictions of all ranks, for rank 0.
std::optional<Prediction> predict_over_ranks(const Model& model, const DataShare& share, const PairOptions& options) {
  const Team* const team = options.team;
  const Dataset& data = share.data;
  const RowRange& rows = share.rows;
  PairOptions alone = options;
  alone.team = nullptr;
  if (team->size() > 1 && recentres_groups(model))
    throw InvalidInput("a model that recentres groups must see whole groups; predict with a single process");
  std::optional<Prediction> mine;
  std::vector<double> numbers;       // class and scores of each matrix
  std::vector<double> counts{0, 0};  // matrices predicted correctly, and all
  together(team, [&] {
    if (rows.first == rows.last) return;
    try {
      mine = predict_in_groups(model, data, alone);
    } catch (const PairFailure& failure) {
      throw PairFailure(failure.row() + rows.first, failure.column());
    }
    for (Index i = 0; i < data.size(); ++i) {
      numbers.push_back(mine->labels[i]);
      for (const double score : mine->scores.row(i)) numbers.push_back(score);
    }
    counts[1] = static_cast<double>(data.size());
    if (data.has_labels()) counts[0] = std::round(accuracy(mine->labels, data.labels()) * counts[1]);
  });
  team->sum(counts);
  std::vector<double> all;
  team->collect(numbers, [&](int, std::span<const double> part) { all.insert(all.end(), part.begin(), part.end()); });
  if (team->rank() != 0) return {};
  const auto n = static_cast<Index>(counts[1]);
  const Eigen::Map<const Matrix> table(all.data(), n, static_cast<Index>(all.size()) / n);
  std::vector<int> codes;
  for (Index i = 0; i < n; ++i) codes.push_back(static_cast<int>(table(i, 0)));
  Prediction result{Labels(mine->labels.names(), std::move(codes), mine->labels.integral()),
                    table.rightCols(table.cols() - 1)};
  if (data.has_labels()) result.accuracy = counts[0] / counts[1];
  return result;
}

}  // namespace

Prediction predict(const Trained& trained, const SpdBatch& x, const PairOptions& options) {
  return predict(trained.model.model, x, options);
}

Prediction predict(const Trained& trained, const Dataset& data, const PairOptions& options) {
  return predict(trained.model.model, data, options);
}

Prediction predict(const Model& model, const Dataset& data, const PairOptions& options) {
  Prediction result = predict_in_groups(model, data, options);
  if (data.has_labels()) result.accuracy = accuracy(result.labels, data.labels());
  return result;
}

std::optional<Prediction> predict(const Model& model, const DataShare& share, const PairOptions& options) {
  std::optional<Prediction> result =
      options.team == nullptr ? predict(model, share.data, options) : predict_over_ranks(model, share, options);
  if (result && share.are_complex) result->scores = detail::scores_of_complex(model, std::move(result->scores));
  return result;
}

double accuracy(const Prediction& prediction) {
  if (!prediction.accuracy) throw InvalidInput("the data set has no labels to compare the predictions with");
  return *prediction.accuracy;
}

std::vector<int> predict_classes(const ChosenMethod& chosen, const Dataset& train, const SpdBatch& x,
                                 const PairOptions& options) {
  if (chosen.majority_class) return std::vector<int>(static_cast<std::size_t>(x.size()), *chosen.majority_class);
  return predict(detail::model_as_chosen(chosen, train, options), x, options).labels.codes();
}

Model detail::model_as_chosen(const ChosenMethod& chosen, const Dataset& train, const PairOptions& options) {
  if (chosen.model) return *chosen.model;
  if (chosen.method.classifier == Classifier::knn)
    return train_knn(chosen.comparison, train,
                     {.neighbours = static_cast<Index>(chosen.neighbours_or_c), .threads = options.threads});
  SvmTraining training = svm_training(chosen.svm, chosen.neighbours_or_c, options.threads);
  training.allow_indefinite = true;
  training.pairs = options;
  if (chosen.combined) return train_svm(*chosen.combined, train, training);
  training.theta = chosen.theta;
  return train_svm(chosen.comparison, train, training);
}

}  // namespace dsk

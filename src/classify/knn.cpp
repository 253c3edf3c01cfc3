#include <dsk/classify/knn.hpp>
#include <dsk/classify/votes.hpp>

#include <utility>

#include "classify/row_blocks.hpp"
#include "spd/parallel.hpp"

namespace dsk {

KnnClassifier::KnnClassifier(Comparison comparison, const Dataset& train, const KnnOptions& options)
    : comparison_(std::move(comparison)),
      train_(train.matrices(), train.labels()),
      neighbours_(options.neighbours),
      compared_(comparison_, train_.matrices(), options.threads) {
  if (neighbours_ < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours_));
}

KnnClassifier train_knn(const Comparison& comparison, const Dataset& train, const KnnOptions& options) {
  return {comparison, train, options};
}

KnnClassifier train_knn(const LearnedKernel& kernel, const Dataset& train, const KnnOptions& options) {
  return {Comparison{.learned = kernel}, train, options};
}

Prediction predict(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options) {
  const Labels& known = model.training_set().labels();
  const auto trained = static_cast<std::size_t>(known.size());
  std::vector<int> codes(static_cast<std::size_t>(x.size()));
  Matrix scores = Matrix::Zero(x.size(), static_cast<Index>(known.names().size()));
  detail::visit_row_blocks(
      model.comparison(), x, model.compared(), options, [&](Index begin, const detail::SquaredDistances& squared) {
        const auto nanoseconds = 10 * static_cast<double>(trained);
        detail::for_ranges(squared.values.rows(), options.threads, nanoseconds, [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) {
            const std::vector<int> nearest =
                nearest_classes({&squared.values(i, 0), trained}, known.codes(), model.neighbours());
            codes[static_cast<std::size_t>(begin + i)] = most_votes(nearest);
            for (const int c : nearest) scores(begin + i, c) += 1;
            scores.row(begin + i) /= static_cast<double>(nearest.size());
          }
        });
      });
  return {Labels(known.names(), std::move(codes), known.integral()), std::move(scores)};
}

double accuracy(const KnnClassifier& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  return accuracy(predict(model, data.matrices(), options).labels, truth);
}

}  // namespace dsk

#include <dsk/classify.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include "classify/classify.hpp"
#include "classify/neighbour_votes.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"

namespace dsk {
namespace {

/// Matrices of a class are alike: side by side they are given up together.
std::vector<Index> class_by_class(const Labels& labels) {
  std::vector<Index> order(static_cast<std::size_t>(labels.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return labels[a] < labels[b]; });
  return order;
}

void vote_of_nearest(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options, detail::Votes& votes) {
  detail::check_model_dim(x.dim(), x.dim(), model.dim());
  const Labels& known = model.training_set().labels();
  const ComparedBatch points(model.comparison(), x, options.threads);
  const std::vector<Neighbour> found =
      model.nearest()->find(*points.matrices(), {.count = model.neighbours(), .threads = options.threads});
  const std::size_t each = found.size() / static_cast<std::size_t>(x.size());
  std::vector<int> classes(each);
  for (Index i = 0; i < x.size(); ++i) {
    const auto nearest = std::span(found).subspan(static_cast<std::size_t>(i) * each, each);
    std::transform(nearest.begin(), nearest.end(), classes.begin(), [&](const Neighbour& n) { return known[n.index]; });
    votes.take(i, classes);
  }
}

void vote_of_all(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options, detail::Votes& votes) {
  const Labels& known = model.training_set().labels();
  const auto trained = static_cast<std::size_t>(known.size());
  const auto visit = [&](Index begin, const detail::SquaredDistances& squared) {
    const double nanoseconds = 10 * static_cast<double>(trained);
    detail::for_ranges(squared.values.rows(), options.threads, nanoseconds, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        votes.take(begin + i, nearest_classes({&squared.values(i, 0), trained}, known.codes(), model.neighbours()));
    });
  };
  detail::visit_row_blocks(model.comparison(), x, model.compared(), options, visit);
}

}  // namespace

KnnClassifier::KnnClassifier(Comparison comparison, const Dataset& train, const KnnOptions& options)
    : comparison_(std::move(comparison)),
      train_(train.matrices(), train.labels()),
      neighbours_(options.neighbours),
      compared_(comparison_, train_.matrices(), options.threads) {
  if (neighbours_ < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours_));
  if (comparison_.metric == Metric::stein)
    nearest_.emplace(*compared_.matrices(), class_by_class(train_.labels()), options.threads);
}

KnnClassifier train_knn(const Comparison& comparison, const Dataset& train, const KnnOptions& options) {
  return {comparison, train, options};
}

KnnClassifier train_knn(const LearnedKernel& kernel, const Dataset& train, const KnnOptions& options) {
  return {Comparison{.learned = kernel}, train, options};
}

Prediction predict(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options) {
  detail::Votes votes(model.training_set().labels(), x.size());
  const bool by_search =
      model.nearest() != nullptr && options.precision == Precision::float64 && options.device == Device::cpu;
  by_search ? vote_of_nearest(model, x, options, votes) : vote_of_all(model, x, options, votes);
  return std::move(votes).prediction();
}

double accuracy(const KnnClassifier& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  return accuracy(predict(model, data.matrices(), options).labels, truth);
}

}  // namespace dsk

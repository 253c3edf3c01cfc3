#include <dsk/classify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "classify/classify.hpp"
#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

/// Matrices of the same class are similar: next to each other, they are ruled out together.
std::vector<Index> class_by_class(const Labels& labels) {
  std::vector<Index> order(static_cast<std::size_t>(labels.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return labels[a] < labels[b]; });
  return order;
}

void vote_by_search(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options, detail::Votes& votes) {
  detail::check_model_dim(x.dim(), x.dim(), model.dim());
  const Labels& known = model.training_set().labels();
  const ComparedBatch points(model.comparison(), x, options.threads);
  const std::vector<Neighbour> found = detail::prepared(model).nearest->find(
      *points.matrices(), {.count = model.neighbours(), .threads = options.threads});
  const std::size_t each = found.size() / static_cast<std::size_t>(x.size());
  std::vector<int> classes(each);
  for (Index i = 0; i < x.size(); ++i) {
    const auto nearest = std::span(found).subspan(static_cast<std::size_t>(i) * each, each);
    std::transform(nearest.begin(), nearest.end(), classes.begin(), [&](const Neighbour& n) { return known[n.index]; });
    votes.add(i, classes);
  }
}

/// Of all points, nearest first, ties by position.
std::vector<std::size_t> by_distance(std::span<const double> distances) {
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
  });
  return order;
}

void vote_by_all_distances(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options,
                           detail::Votes& votes) {
  const Labels& known = model.training_set().labels();
  const std::vector<double>& weights = model.training_set().weights();
  const auto trained = static_cast<std::size_t>(known.size());
  const auto visit = [&](Index begin, const detail::SquaredDistances& squared) {
    const double nanoseconds = 10 * static_cast<double>(trained);
    detail::for_ranges(squared.values.rows(), options.threads, nanoseconds, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const std::span<const double> row(&squared.values(i, 0), trained);
        if (weights.empty())
          votes.add(begin + i, nearest_classes(row, known.codes(), model.neighbours()));
        else
          votes.add(begin + i, detail::weighted_votes(row, known.codes(), weights, model.neighbours()));
      }
    });
  };
  detail::visit_row_blocks(model.comparison(), x, detail::prepared(model).compared, options, visit);
}

}  // namespace

double accuracy(const Labels& predicted, const Labels& truth) {
  if (truth.size() == 0) throw InvalidInput("there are no labels to compute an accuracy from");
  if (predicted.size() != truth.size())
    throw InvalidInput(fmt::format("{} predictions do not match {} labels", predicted.size(), truth.size()));
  const auto name_of = [](const Labels& labels, Index i) {
    return labels.names()[static_cast<std::size_t>(labels[i])];
  };
  Index correct = 0;
  for (Index i = 0; i < truth.size(); ++i) correct += name_of(predicted, i) == name_of(truth, i) ? 1 : 0;
  return static_cast<double>(correct) / static_cast<double>(truth.size());
}

int most_votes(std::span<const int> nearest_first) {
  if (nearest_first.empty()) throw InvalidInput("no neighbours to vote");
  std::map<int, int> votes;
  int most = 0;
  for (const int c : nearest_first) most = std::max(most, ++votes[c]);
  return *std::find_if(nearest_first.begin(), nearest_first.end(), [&](int c) { return votes[c] == most; });
}

int most_votes(std::span<const int> nearest_first, std::span<int> counts) {
  if (nearest_first.empty()) throw InvalidInput("no neighbours to vote");
  std::fill(counts.begin(), counts.end(), 0);
  const auto votes_of = [&](int c) -> int& { return counts[static_cast<std::size_t>(c)]; };
  int most = 0;
  for (const int c : nearest_first) most = std::max(most, ++votes_of(c));
  return *std::find_if(nearest_first.begin(), nearest_first.end(), [&](int c) { return votes_of(c) == most; });
}

std::vector<int> nearest_classes(std::span<const double> distances, std::span<const int> classes, Index neighbours) {
  if (distances.empty()) throw InvalidInput("there are no distances to compare");
  if (distances.size() != classes.size())
    throw InvalidInput(fmt::format("{} distances do not match {} classes", distances.size(), classes.size()));
  const auto invalid = std::find_if(distances.begin(), distances.end(), [](double d) { return std::isnan(d); });
  if (invalid != distances.end())
    throw InvalidInput(fmt::format("distance {} is not a number", invalid - distances.begin()));
  if (neighbours < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours));
  const auto count = std::min(static_cast<std::size_t>(neighbours), distances.size());
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return distances[a] != distances[b] ? distances[a] < distances[b] : a < b; });
  std::vector<int> nearest(count);
  for (std::size_t k = 0; k < count; ++k) nearest[k] = classes[order[k]];
  return nearest;
}

std::vector<int> nearest_votes(std::span<const double> distances, std::span<const int> classes,
                               std::span<const Index> neighbours) {
  Index most = 1;
  for (const Index k : neighbours) {
    if (k < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", k));
    most = std::max(most, k);
  }
  const std::vector<int> nearest = nearest_classes(distances, classes, most);
  std::vector<int> result;
  for (const Index k : neighbours)
    result.push_back(most_votes(std::span(nearest).first(std::min(static_cast<std::size_t>(k), nearest.size()))));
  return result;
}

std::vector<std::pair<int, double>> detail::weighted_votes(std::span<const double> distances,
                                                           std::span<const int> classes,
                                                           std::span<const double> weights, Index neighbours) {
  if (neighbours < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours));
  const auto invalid = std::find_if(distances.begin(), distances.end(), [](double d) { return std::isnan(d); });
  if (invalid != distances.end())
    throw InvalidInput(fmt::format("distance {} is not a number", invalid - distances.begin()));
  std::vector<std::pair<int, double>> shares;
  double left = static_cast<double>(neighbours), whole = 0;
  for (const std::size_t i : by_distance(distances)) {
    const double vote = std::min(left, weights[i]);
    auto found = std::find_if(shares.begin(), shares.end(), [&](const auto& one) { return one.first == classes[i]; });
    if (found == shares.end()) found = shares.insert(shares.end(), {classes[i], 0});
    found->second += vote;
    whole += vote;
    left -= vote;
    if (!(left > 0)) break;
  }
  for (auto& [code, share] : shares) share /= whole;
  return shares;
}

int detail::largest_share(std::span<const std::pair<int, double>> shares) {
  constexpr double rounding = 1e-12;  // of sums of weights in another order
  if (shares.empty()) throw InvalidInput("no neighbours to vote");
  double most = 0;
  for (const auto& [code, share] : shares) most = std::max(most, share);
  return std::find_if(shares.begin(), shares.end(), [&](const auto& one) { return one.second >= most - rounding; })
      ->first;
}

double leave_one_out_accuracy(const Matrix& distances, const Labels& labels) {
  const Index count = distances.rows();
  if (distances.cols() != count || labels.size() != count || count < 2)
    throw InvalidInput(
        fmt::format("leave-one-out needs a square matrix of distances between 2 or more points and one label per "
                    "point; got {} x {} distances and {} labels",
                    count, distances.cols(), labels.size()));
  Index correct = 0;
  for (Index i = 0; i < count; ++i) {
    Index nearest = i == 0 ? 1 : 0;
    for (Index j = 0; j < count; ++j)
      if (j != i && distances(i, j) < distances(i, nearest)) nearest = j;
    correct += labels[i] == labels[nearest] ? 1 : 0;
  }
  return static_cast<double>(correct) / static_cast<double>(count);
}

KnnClassifier::KnnClassifier(Comparison comparison, const Dataset& train, const KnnOptions& options)
    : comparison_(std::move(comparison)), train_(train.without_groups()), neighbours_(options.neighbours) {
  detail::PreparedNeighbours prepared{ComparedBatch(comparison_, train_.matrices(), options.threads)};
  if (neighbours_ < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours_));
  if (comparison_.metric == Metric::stein)
    prepared.nearest.emplace(*prepared.compared.matrices(), class_by_class(train_.labels()), options.threads);
  prepared_ = std::make_shared<const detail::PreparedNeighbours>(std::move(prepared));
}

KnnClassifier train_knn(const Comparison& comparison, const Dataset& train, const KnnOptions& options) {
  detail::require_two_classes(train.labels());
  return {comparison, train, options};
}

KnnClassifier train_knn(const LearnedKernel& kernel, const Dataset& train, const KnnOptions& options) {
  return train_knn(comparison_by(kernel), train, options);
}

Prediction predict(const KnnClassifier& model, const SpdBatch& x, const PairOptions& options) {
  detail::Votes votes(model.training_set().labels(), x.size());
  const bool by_search =
      detail::prepared(model).nearest && model.training_set().weights().empty() && NearestStein::computes_as(options);
  by_search ? vote_by_search(model, x, options, votes) : vote_by_all_distances(model, x, options, votes);
  return std::move(votes).prediction();
}

double accuracy(const KnnClassifier& model, const Dataset& data, const PairOptions& options) {
  const Labels& truth = data.labels();
  return accuracy(predict(model, data.matrices(), options).labels, truth);
}

}  // namespace dsk

#include <dsk/classify.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "classify/neighbour_votes.hpp"
#include "engine/engine.hpp"
#include "machine/parallel.hpp"

namespace dsk {

NystromKnn::NystromKnn(const NystromMap& map, const Dataset& train, const KnnOptions& options)
    : NystromKnn(map, map.features(train.matrices(), {.threads = options.threads}), train.labels(),
                 options.neighbours) {}

NystromKnn::NystromKnn(NystromMap map, Matrix features, Labels labels, Index neighbours)
    : map_(std::move(map)), features_(std::move(features)), labels_(std::move(labels)), neighbours_(neighbours) {
  if (neighbours_ < 1) throw InvalidInput(fmt::format("neighbours {} must be 1 or more", neighbours_));
  if (features_.rows() != labels_.size() || features_.cols() != map_.size() || labels_.size() < 1)
    throw InvalidInput(fmt::format("{} x {} features do not fit {} labels and {} landmarks", features_.rows(),
                                   features_.cols(), labels_.size(), map_.size()));
  if (!features_.allFinite()) throw InvalidInput("a feature of the training set is not a finite number");
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
    const Matrix squared = pair_squared_distances(rows, model.features(), {.threads = options.threads});
    detail::for_ranges(rows.rows(), options.threads, 10 * static_cast<double>(trained), [&](Index first, Index last) {
      for (Index i = first; i < last; ++i)
        votes.take(begin + i, nearest_classes({&squared(i, 0), trained}, model.labels().codes(), model.neighbours()));
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

}  // namespace dsk

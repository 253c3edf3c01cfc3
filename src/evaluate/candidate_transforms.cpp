#include "evaluate/candidate.hpp"

#include <dsk/mean.hpp>

#include <utility>

#include "evaluate/choose.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

CandidateTransforms::CandidateTransforms(Dataset train, const CandidateOptions& options)
    : train_(std::move(train)), options_(options) {}

const Matrix& CandidateTransforms::mean() {
  constexpr double tolerance = 1e-8;
  if (!mean_) mean_ = dsk::mean(train_.matrices(), {.tolerance = tolerance, .threads = options_.pairs.threads}).matrix;
  return *mean_;
}

const Projection& CandidateTransforms::subspace(Index components) {
  if (!learner_) {
    SubspaceOptions options = options_.subspace;
    options.pairs = options_.pairs;
    learner_.emplace(to_learn_from(train_, options_.learn_on, options_.seed), options, mean());
  }
  auto found = subspaces_.find(components);
  if (found == subspaces_.end()) found = subspaces_.emplace(components, learner_->learn(components).projection).first;
  return found->second;
}

Transform CandidateTransforms::before(bool recentred, Index components) {
  if (components > 0 && components < train_.dim()) return Transform(subspace(components));
  if (recentred) return Transform(Projection{whitening_of(mean())});
  return {};
}

}  // namespace dsk::detail

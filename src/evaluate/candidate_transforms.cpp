#include "evaluate/candidate.hpp"

#include <dsk/mean.hpp>

#include <algorithm>
#include <utility>

#include "evaluate/choose.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

CandidateTransforms::CandidateTransforms(Dataset train, const CandidateOptions& options)
    : train_(std::move(train)), options_(options) {}

Mean CandidateTransforms::mean_of(const SpdBatch& x) const {
  constexpr double tolerance = 1e-8;
  return dsk::mean(x, {.weights = train_.weights(), .tolerance = tolerance, .threads = options_.pairs.threads});
}

const Mean& CandidateTransforms::found_mean() {
  const auto compute = [&] { return mean_of(train_.matrices()); };
  if (!mean_) mean_ = options_.shared != nullptr ? options_.shared->mean(digest(), compute) : compute();
  return *mean_;
}

std::optional<Mean::Stop> CandidateTransforms::mean_stop() const {
  return mean_ ? std::optional(mean_->stop) : std::nullopt;
}

const Digest& CandidateTransforms::digest() {
  if (!digest_) digest_ = digest_of(train_);
  return *digest_;
}

Projection CandidateTransforms::learn_subspace(Index components) {
  if (!learner_) {
    SubspaceOptions options = options_.subspace;
    options.pairs = options_.pairs;
    learner_.emplace(to_learn_from(train_, options_.learn_on, options_.seed), options, found_mean());
  }
  return learner_->learn(components).projection;
}

const Projection& CandidateTransforms::subspace(Index components) {
  const auto known = subspaces_.find(components);
  if (known != subspaces_.end()) return known->second;
  const auto learn = [&] { return learn_subspace(components).w; };
  // What another method learned was whitened by this mean too.
  found_mean();
  const auto found = [&] {
    if (options_.shared == nullptr) return learn();
    return options_.shared->subspace({digest(), options_.subspace.criterion, options_.subspace.metric, components},
                                     learn);
  };
  return subspaces_.emplace(components, Projection{found()}).first->second;
}

const EigenvalueAdjustment& CandidateTransforms::adjustment() {
  // Two numbers for each eigenvalue: fewer digits, steps and matrices do than for learning one kernel or a subspace.
  constexpr double penalty = 0.01, tolerance = 1e-3;
  constexpr int most_steps = 30;
  constexpr Index fewest = 200, of_each_class = 4;
  const Index wanted = std::max(fewest, of_each_class * static_cast<Index>(train_.labels().names().size()));
  const Index learn_on = options_.learn_on > 0 ? std::min(options_.learn_on, wanted) : wanted;
  if (adjustment_) return *adjustment_;
  const Dataset seen = to_learn_from(train_, learn_on, options_.seed);
  const FitOptions options{.criterion = options_.subspace.criterion,
                           .adjustment = Adjustment::affine,
                           .allow_indefinite = true,
                           .penalty = penalty,
                           .max_iterations = most_steps,
                           .tolerance = tolerance,
                           .pairs = options_.pairs};
  const auto learn = [&] { return fit_kernel(seen, options); };
  const LearnResult learned =
      options_.shared == nullptr ? learn() : options_.shared->kernel(SharedLearning::key_of(seen, options), learn);
  return adjustment_.emplace(learned.kernel.adjustment());
}

Transform CandidateTransforms::before(const Candidate& candidate) {
  if (candidate.components > 0 && candidate.components < train_.dim()) return Transform(subspace(candidate.components));
  if (candidate.recentred) return Transform(Projection{whitening_of(mean())});
  if (candidate.adjusted) return Transform(adjustment());
  return {};
}

}  // namespace dsk::detail

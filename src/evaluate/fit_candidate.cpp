#include <utility>
#include <vector>

#include "classify/classify.hpp"
#include "evaluate/candidate.hpp"
#include "evaluate/choose.hpp"
#include "kernel/kernel.hpp"

namespace dsk::detail {
namespace {

/// Trains candidates on a whole training set.
class CandidateFit {
 public:
  CandidateFit(const Dataset& train, const CandidateOptions& options)
      : train_(train), options_(options), transforms_(train, options) {}

  Model fit(const Candidate& candidate) {
    if (is_ladder(candidate)) return ladder(candidate);
    if (candidate.family == Family::logistic)
      return train_logistic(train_, {.c = candidate.neighbours_or_c, .threads = threads()});
    if (candidate.family == Family::tangent_svm)
      return train_tangent_svm(train_, svm_training(options_.svm, candidate.neighbours_or_c, threads()));
    Transform before = transforms_.before(candidate);
    if (before.is_identity()) return std::visit([](auto&& model) { return Model(model); }, simple(candidate, train_));
    SimpleModel model = simple(candidate, transformed(before));
    std::vector<Pipeline::Member> members;
    members.push_back({std::move(before), std::move(model)});
    return Pipeline(std::move(members));
  }

 private:
  int threads() const { return options_.pairs.threads; }

  Dataset transformed(const Transform& before) const {
    return train_.with_matrices(before.apply(train_.matrices(), threads()));
  }

  /// From a sample where there are so many matrices that their pairs would take gigabytes.
  double theta(const Candidate& candidate, const Dataset& seen) const {
    constexpr Index enough = 4000;
    const Matrix squared =
        pairwise_squared_distances({.metric = candidate.metric, .zeta = candidate.zeta},
                                   to_learn_from(seen, enough, options_.seed).matrices(), {.threads = threads()});
    return theta_of(candidate, median_above_diagonal(squared), seen.dim());
  }

  SimpleModel simple(const Candidate& candidate, const Dataset& seen) const {
    const Comparison comparison{.metric = candidate.metric, .zeta = candidate.zeta};
    if (candidate.family == Family::mdm)
      return train_mdm(seen, {.metric = candidate.metric,
                              .zeta = candidate.zeta,
                              .tolerance = class_mean_tolerance,
                              .threads = threads()});
    if (candidate.family == Family::knn)
      return train_knn(comparison, seen,
                       {.neighbours = static_cast<Index>(candidate.neighbours_or_c), .threads = threads()});
    const double width = theta(candidate, seen);
    if (candidate.family == Family::mean)
      return train_mean(comparison, seen, {.theta = width, .pairs = {.threads = threads()}});
    SvmTraining training = svm_training(options_.svm, candidate.neighbours_or_c, threads());
    training.theta = width;
    training.allow_indefinite = true;
    return train_svm(comparison, seen, training);
  }

  Model ladder(const Candidate& candidate) {
    std::vector<Pipeline::Member> members;
    for (const Index components : options_.rungs) {
      const Candidate rung{.family = Family::mean, .relative_theta = candidate.relative_theta};
      Transform before = transforms_.before({.components = components});
      const Dataset seen = transformed(before);
      SimpleModel model = simple(rung, seen);
      const double scale = dsk::score_scale(model, seen.matrices(), {.threads = threads()}, seen.weights());
      members.push_back({std::move(before), std::move(model), scale});
    }
    if (candidate.family == Family::ladder_logistic) {
      SimpleModel model = train_logistic(train_, {.c = candidate.neighbours_or_c, .threads = threads()});
      // As heavy as all rungs together, which say much the same.
      const double scale = dsk::score_scale(model, train_.matrices(), {.threads = threads()}, train_.weights()) /
                           static_cast<double>(options_.rungs.size());
      members.push_back({Transform(), std::move(model), scale});
    }
    return Pipeline(std::move(members));
  }

  const Dataset& train_;
  const CandidateOptions& options_;
  CandidateTransforms transforms_;
};

}  // namespace

Model fit_candidate(const Candidate& candidate, const Dataset& train, const CandidateOptions& options) {
  return CandidateFit(train, options).fit(candidate);
}

}  // namespace dsk::detail

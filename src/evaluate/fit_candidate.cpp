#include <algorithm>
#include <string>
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
    add(candidate, 1);
    Part& first = parts_.front();
    if (parts_.size() == 1 && first.before.is_identity())
      return std::visit([](auto&& model) { return Model(model); }, std::move(first.model));
    std::vector<Pipeline::Member> members;
    for (Part& part : parts_) members.push_back({std::move(part.before), std::move(part.model), 1 / part.weight});
    return Pipeline(std::move(members));
  }

  std::optional<Mean::Stop> mean_stop() const { return transforms_.mean_stop(); }

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
    if (candidate.family == Family::logistic)
      return train_logistic(seen, {.c = candidate.neighbours_or_c, .threads = threads()});
    if (candidate.family == Family::tangent_svm)
      return train_tangent_svm(seen, svm_training(options_.svm, candidate.neighbours_or_c, threads()));
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

  /// A classifier whose class scores are added with a weight.
  struct Part {
    std::string name;
    Transform before;
    SimpleModel model;
    double deviation = 1;  ///< of the class scores of the training set, where it is asked for
    double weight = 0;
  };

  /// Adds the candidate's scores, or those of all that it adds, with a weight.
  void add(const Candidate& candidate, double weight) {
    if (candidate.family == Family::average) {
      for (const Candidate& member : candidate.members) add(member, weight / member.scale);
    } else if (is_ladder(candidate)) {
      add_ladder(candidate, weight);
    } else {
      part_of(candidate).weight += weight;
    }
  }

  void add_ladder(const Candidate& candidate, double weight) {
    for (const Index components : options_.rungs) {
      const Index projected = components == train_.dim() ? 0 : components;
      Part& rung =
          part_of({.family = Family::mean, .components = projected, .relative_theta = candidate.relative_theta}, true);
      rung.weight += weight / rung.deviation;
    }
    if (candidate.family != Family::ladder_logistic) return;
    // As heavy as all rungs together, which say much the same.
    Part& logistic = part_of({.family = Family::logistic, .neighbours_or_c = candidate.neighbours_or_c}, true);
    logistic.weight += weight * static_cast<double>(options_.rungs.size()) / logistic.deviation;
  }

  /// Trained when it is first asked for.
  Part& part_of(const Candidate& candidate, bool with_deviation = false) {
    const std::string name = describe(candidate, options_.subspace.criterion);
    auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) { return one.name == name; });
    if (part == parts_.end()) {
      Transform before = transform_of(candidate);
      SimpleModel model = simple(candidate, before.is_identity() ? train_ : transformed(before));
      part = parts_.insert(parts_.end(), {.name = name, .before = std::move(before), .model = std::move(model)});
    }
    if (with_deviation)
      part->deviation =
          score_scale(part->model, transformed(part->before).matrices(), {.threads = threads()}, train_.weights());
    return *part;
  }

  /// Tangent spaces are at the mean anyhow.
  Transform transform_of(const Candidate& candidate) {
    return is_tangent(candidate) && candidate.components == 0 ? Transform() : transforms_.before(candidate);
  }

  const Dataset& train_;
  const CandidateOptions& options_;
  CandidateTransforms transforms_;
  std::vector<Part> parts_;
};

}  // namespace

Model fit_candidate(const Candidate& candidate, const Dataset& train, const CandidateOptions& options,
                    std::optional<Mean::Stop>* stop) {
  CandidateFit fit(train, options);
  Model model = fit.fit(candidate);
  if (stop != nullptr) *stop = fit.mean_stop();
  return model;
}

}  // namespace dsk::detail

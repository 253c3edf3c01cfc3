#include <dsk/mean.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "classify/classify.hpp"
#include "evaluate/candidate.hpp"
#include "evaluate/fold_work.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {
namespace {

/// Trains candidates on a whole training set.
class CandidateFit {
 public:
  CandidateFit(const Dataset& train, const CandidateOptions& options) : train_(train), options_(options) {}

  /// Learned on the training set, or a sample of it.
  Projection subspace(Index components) {
    if (!learner_) {
      SubspaceOptions options = options_.subspace;
      options.pairs = options_.pairs;
      learner_.emplace(to_learn_from(train_, options_.learn_on, options_.seed), options, mean());
    }
    return learner_->learn(components).projection;
  }

  Model fit(const Candidate& candidate) {
    if (candidate.family == Family::ladder || candidate.family == Family::ladder_logistic) return ladder(candidate);
    if (candidate.family == Family::logistic)
      return train_logistic(train_, {.c = candidate.neighbours_or_c, .threads = threads()});
    if (candidate.family == Family::tangent_svm)
      return train_tangent_svm(train_, {.c = candidate.neighbours_or_c,
                                        .margin = options_.svm.margin,
                                        .balanced = options_.svm.balanced,
                                        .class_weights = options_.svm.class_weights,
                                        .threads = threads()});
    Transform before = transform(candidate);
    if (before.is_identity()) return std::visit([](auto&& model) { return Model(model); }, simple(candidate, train_));
    SimpleModel model = simple(candidate, transformed(before));
    std::vector<Pipeline::Member> members;
    members.push_back({std::move(before), std::move(model)});
    return Pipeline(std::move(members));
  }

 private:
  int threads() const { return options_.pairs.threads; }

  const Matrix& mean() {
    if (!mean_) mean_ = dsk::mean(train_.matrices(), {.tolerance = mean_tolerance, .threads = threads()}).matrix;
    return *mean_;
  }

  Transform transform(const Candidate& candidate) {
    if (candidate.components > 0 && candidate.components < train_.dim())
      return Transform(subspace(candidate.components));
    if (candidate.recentred) return Transform(Projection{whitening_of(mean())});
    return {};
  }

  Dataset transformed(const Transform& before) const {
    return Dataset(before.apply(train_.matrices(), threads()), train_.labels());
  }

  double theta(const Candidate& candidate, const Dataset& seen) const {
    const Matrix squared = squared_distances({.metric = candidate.metric, .zeta = candidate.zeta}, seen.matrices(),
                                             {.threads = threads()});
    return theta_of(candidate, median_above_diagonal(squared), seen.dim());
  }

  SimpleModel simple(const Candidate& candidate, const Dataset& seen) const {
    const Comparison comparison{.metric = candidate.metric, .zeta = candidate.zeta};
    if (candidate.family == Family::mdm)
      return train_mdm(seen, {.metric = candidate.metric, .zeta = candidate.zeta, .threads = threads()});
    if (candidate.family == Family::knn)
      return train_knn(comparison, seen,
                       {.neighbours = static_cast<Index>(candidate.neighbours_or_c), .threads = threads()});
    const double width = theta(candidate, seen);
    if (candidate.family == Family::mean)
      return train_mean(comparison, seen, {.theta = width, .pairs = {.threads = threads()}});
    return train_svm(comparison, seen,
                     {.theta = width,
                      .c = candidate.neighbours_or_c,
                      .margin = options_.svm.margin,
                      .balanced = options_.svm.balanced,
                      .class_weights = options_.svm.class_weights,
                      .allow_indefinite = true,
                      .pairs = {.threads = threads()}});
  }

  Model ladder(const Candidate& candidate) {
    std::vector<Pipeline::Member> members;
    for (const Index components : options_.rungs) {
      const Candidate rung{
          .family = Family::mean, .components = components, .relative_theta = candidate.relative_theta};
      Transform before = transform(rung);
      const Dataset seen = transformed(before);
      SimpleModel model = simple(rung, seen);
      const double scale = dsk::score_scale(model, seen.matrices(), {.threads = threads()});
      members.push_back({std::move(before), std::move(model), scale});
    }
    if (candidate.family == Family::ladder_logistic) {
      SimpleModel model = train_logistic(train_, {.c = candidate.neighbours_or_c, .threads = threads()});
      // As heavy as all rungs together, which say much the same.
      const double scale = dsk::score_scale(model, train_.matrices(), {.threads = threads()}) /
                           static_cast<double>(options_.rungs.size());
      members.push_back({Transform(), std::move(model), scale});
    }
    return Pipeline(std::move(members));
  }

  const Dataset& train_;
  const CandidateOptions& options_;
  std::optional<Matrix> mean_;
  std::optional<SubspaceLearner> learner_;
};

}  // namespace

Model fit_candidate(const Candidate& candidate, const Dataset& train, const CandidateOptions& options) {
  return CandidateFit(train, options).fit(candidate);
}

Projection fit_subspace(Index components, const Dataset& train, const CandidateOptions& options) {
  return CandidateFit(train, options).subspace(components);
}

std::vector<Index> subspace_ladder(Index dim) {
  // Larger subspaces cost more than they have been seen to gain.
  constexpr Index largest = 64;
  const Index base = std::min(dim, largest);
  std::set<Index, std::greater<>> sizes{dim};
  for (const Index part : {2, 3, 4, 6, 8})
    if (base / part >= 1) sizes.insert(base / part);
  return {sizes.begin(), sizes.end()};
}

std::string describe(const Candidate& candidate, Criterion criterion) {
  const bool projected = candidate.components > 0;
  std::string kernel = projected && candidate.metric == Metric::stein ? fmt::format("DSK-{}-s", letters(criterion))
                                                                      : std::string(letters(candidate.metric));
  if (candidate.metric == Metric::powereuclidean) kernel += fmt::format(" zeta {:g}", candidate.zeta);
  if (candidate.recentred) kernel += " recentred";
  const auto c = [&] { return fmt::format(", C {:g}", candidate.neighbours_or_c); };
  const auto components = [&] {
    return projected ? fmt::format(", {} components", candidate.components) : std::string();
  };
  const auto theta = [&] {
    return fmt::format(", theta {:g} / median{}", candidate.relative_theta, candidate.valid_theta ? " (valid)" : "");
  };
  switch (candidate.family) {
    case Family::mdm:
      return candidate.metric == Metric::airm ? "MDM" : fmt::format("MDM-{}", name(candidate.metric));
    case Family::logistic:
      return "TS:lr" + c();
    case Family::tangent_svm:
      return "TS:svm" + c();
    case Family::mean:
      return kernel + ":mean" + components() + theta();
    case Family::knn:
      return kernel + ":knn" + components() + fmt::format(", {:g} neighbours", candidate.neighbours_or_c);
    case Family::svm:
      return kernel + ":svm" + components() + c() + theta();
    case Family::ladder:
      return "ladder of subspaces";
    case Family::ladder_logistic:
      return "ladder of subspaces + TS:lr" + c();
  }
  return {};
}

}  // namespace dsk::detail

#include "evaluate/candidate.hpp"
#include "evaluate/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dsk::detail {
namespace {

/// Of class means in kernel space, over the median squared distance.
const std::vector<double> mean_thetas = {0.15, 1};
const std::vector<double> linear_cs = {0.1, 1, 10, 100, 1000};
constexpr double ladder_theta = 0.15;

/// Collects the candidates of a method.
class CandidateList {
 public:
  explicit CandidateList(const SelectionOptions& options) : options_(options) {}

  void add(Candidate candidate) { all_.push_back(candidate); }

  void add_linear(Family family, Index components = 0) {
    for (const double c : options_.svm_cs.size() == 1 ? options_.svm_cs : linear_cs)
      add({.family = family, .components = components, .neighbours_or_c = c});
  }

  /// A classifier on all views of a metric.
  void add_kernel(Family family, Candidate view) {
    view.family = family;
    if (family == Family::mdm) {
      add(view);
    } else if (family == Family::knn) {
      for (const Index k : options_.neighbours) add_with(view, static_cast<double>(k), 0, false);
    } else if (family == Family::mean) {
      for (const double theta : mean_thetas) add_thetas(view, 0, theta);
    } else {
      for (const double theta : options_.relative_thetas)
        for (const double c : options_.svm_cs) add_thetas(view, c, theta);
    }
  }

  std::vector<Candidate> take() && { return std::move(all_); }

 private:
  void add_with(Candidate view, double value, double theta, bool valid) {
    view.neighbours_or_c = value;
    view.relative_theta = theta;
    view.valid_theta = valid;
    all_.push_back(view);
  }

  void add_thetas(const Candidate& view, double value, double theta) {
    const bool restricted = theta_rule(view.metric) == ThetaRule::half_integers;
    if (!restricted || options_.theta_range != ThetaRange::valid) add_with(view, value, theta, false);
    // A class mean needs no positive definite kernel, and in a subspace hardly any theta is too small for one.
    const bool both =
        options_.theta_range == ThetaRange::automatic && view.family == Family::svm && view.components == 0;
    if (restricted && (options_.theta_range == ThetaRange::valid || both)) add_with(view, value, theta, true);
  }

  const SelectionOptions& options_;
  std::vector<Candidate> all_;
};

Family family_of(Classifier classifier) {
  switch (classifier) {
    case Classifier::knn:
      return Family::knn;
    case Classifier::svm:
      return Family::svm;
    case Classifier::mean:
      return Family::mean;
    case Classifier::mdm:
      return Family::mdm;
    case Classifier::logistic:
      return Family::logistic;
    case Classifier::tangent_svm:
      return Family::tangent_svm;
  }
  return Family::knn;
}

/// The numbers of components to try; 0 for all.
std::vector<Index> components_tried(Index dim, const Method& method, const Projecting& project) {
  if (project.kind == Projecting::Kind::number) {
    if (project.components > dim)
      throw InvalidInput(fmt::format("a projection to {} components needs matrices of that size or larger, not {}",
                                     project.components, dim));
    return {project.components};
  }
  const bool subspace = method.best || (method.learning && method.learning->subspace);
  if (project.kind == Projecting::Kind::none && !subspace) return {0};
  std::vector<Index> result;
  for (const Index components : subspace_ladder(dim)) result.push_back(components == dim ? 0 : components);
  return result;
}

std::vector<Candidate> best_candidates(Index dim, const Method& method, const SelectionOptions& options) {
  CandidateList list(options);
  for (const Metric metric : {Metric::airm, Metric::stein}) list.add({.family = Family::mdm, .metric = metric});
  list.add_linear(Family::logistic);
  list.add_linear(Family::tangent_svm);
  const auto all_families = [&](const Candidate& view) {
    for (const Family family : {Family::mean, Family::knn, Family::svm}) list.add_kernel(family, view);
  };
  all_families({.metric = Metric::logeuclidean});
  all_families({.metric = Metric::logeuclidean, .recentred = true});
  all_families({.metric = Metric::powereuclidean});
  // The number of components is chosen in any case.
  const bool chosen = options.project.kind == Projecting::Kind::automatic;
  if (chosen || options.project.kind == Projecting::Kind::none) all_families({.adjusted = true});
  for (const Index components : components_tried(dim, method, options.project))
    all_families({.components = components});
  if (dim > 1 && options.project.kind != Projecting::Kind::number) {
    list.add({.family = Family::ladder, .relative_theta = ladder_theta});
    list.add({.family = Family::ladder_logistic, .neighbours_or_c = 1, .relative_theta = ladder_theta});
  }
  return std::move(list).take();
}

}  // namespace

bool is_chosen_among_candidates(const Method& method, const SelectionOptions& options) {
  if (method.majority) return false;
  if (!is_from_paper(method)) return true;
  const bool learned = method.learning || method.automatic;
  return !learned && (options.project.kind != Projecting::Kind::none || options.recentre == Recentring::all);
}

std::vector<Candidate> candidates_of(const Method& method, Index dim, const SelectionOptions& options) {
  if (method.best) return best_candidates(dim, method, options);
  CandidateList list(options);
  const Family family = family_of(method.classifier);
  const bool tangent = family == Family::logistic || family == Family::tangent_svm;
  if (options.project.kind == Projecting::Kind::ladder) {
    if (family != Family::mean || method.metric != Metric::stein) throw InvalidInput(std::string(ladder_needs_means));
    list.add({.family = Family::ladder, .relative_theta = ladder_theta});
    return std::move(list).take();
  }
  if (tangent) {
    for (const Index components : components_tried(dim, method, options.project)) list.add_linear(family, components);
    return std::move(list).take();
  }
  const std::vector<double> zetas =
      method.metric == Metric::powereuclidean ? options.zetas : std::vector<double>{Candidate().zeta};
  for (const Index components : components_tried(dim, method, options.project))
    for (const double zeta : zetas)
      list.add_kernel(family, {.metric = method.metric,
                               .zeta = zeta,
                               .recentred = options.recentre == Recentring::all,
                               .components = components});
  return std::move(list).take();
}

CandidateOptions candidate_options(const Method& method, Index dim, const SelectionOptions& options) {
  CandidateOptions result;
  if (method.learning && method.learning->subspace) {
    result.subspace.criterion = method.learning->criterion;
    result.subspace.metric = method.metric;
  }
  if (options.project.kind == Projecting::Kind::start) result.subspace.max_iterations = 0;
  if (options.penalty) result.subspace.penalty = *options.penalty;
  // Enough digits and matrices to find directions.
  result.subspace.tolerance = 1e-3;
  constexpr Index enough = 400;
  result.learn_on = options.learn_on > 0 ? options.learn_on : enough;
  result.rungs = subspace_ladder(dim);
  result.svm = options.svm;
  result.seed = options.seed;
  result.pairs = options.pairs;
  return result;
}

std::optional<Candidate> candidate_named(std::string_view name, const Method& method, Index dim,
                                         const SelectionOptions& options) {
  if (name.starts_with(average_of)) {
    Candidate average{.family = Family::average};
    for (std::size_t from = average_of.size(); from < name.size();) {
      const std::size_t to = std::min(name.find(between_members, from), name.size());
      const std::optional<Candidate> member = candidate_named(name.substr(from, to - from), method, dim, options);
      if (!member) return {};
      average.members.push_back(*member);
      from = to + between_members.size();
    }
    return average;
  }
  const Criterion criterion = candidate_options(method, dim, options).subspace.criterion;
  for (const Candidate& candidate : candidates_of(method, dim, options))
    if (describe(candidate, criterion) == name) return candidate;
  return {};
}

}  // namespace dsk::detail

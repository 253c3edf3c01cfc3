#include "evaluate/base_kernels.hpp"

#include <dsk/evaluate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/engine.hpp"
#include "evaluate/choose.hpp"
#include "kernel/kernel.hpp"
#include "learn/learn.hpp"
#include "machine/messages.hpp"

namespace dsk::detail {
namespace {

/// Widths of each kernel, over the median squared distance.
constexpr double relative_thetas[] = {0.25, 1, 4};
/// Widths and weights are found on this many matrices.
constexpr Index enough_to_align = 1000;

/// "SK, 14 components, theta 1 / median".
std::string name_of(const Candidate& view) {
  std::string text = view.adjusted ? "DSK-CA-a" : std::string(letters(view.metric));
  if (view.recentred) text += " recentred";
  if (view.components > 0) text += ", " + counted(view.components, "component");
  return text + fmt::format(", theta {:g} / median", view.relative_theta);
}

Comparison comparison_of(const Candidate& view, const Transform& before, Index dim) {
  if (before.is_identity()) return {.metric = view.metric, .zeta = view.zeta};
  // Its own theta is not used.
  constexpr double theta = 1;
  if (view.adjusted) return comparison_by({std::get<EigenvalueAdjustment>(before.steps().front()), theta});
  return comparison_by({before, EigenvalueAdjustment::none(before.result_dim(dim)), theta, view.metric, view.zeta});
}

/// What the work makes. Nothing if it leaves the range of double: the other kernels then do without this one.
template <class Work>
auto in_range(const Work& work) -> std::optional<decltype(work())> {
  try {
    return work();
  } catch (const NumericalFailure&) {
    return {};
  } catch (const UndefinedForData&) {
    return {};
  }
}

/// Views and the squared distances of some matrices by each.
struct Compared {
  std::vector<CombinedView> views;
  std::vector<Matrix> squared;
};

Matrix squared_distances(const CombinedView& view, const Dataset& data, const SelectionOptions& options) {
  Matrix squared = pairwise_squared_distances(view.comparison, data.matrices(), options.pairs);
  check_kernel_values(squared);
  return squared;
}

/// The view as learned from a training set, with widths from the pairs of `seen`, and their squared distances.
std::pair<CombinedView, Matrix> learned_view(Candidate view, CandidateTransforms& transforms, const Dataset& seen,
                                             const SelectionOptions& options) {
  CombinedView result{comparison_of(view, transforms.before(view), seen.dim()), {}, {}};
  Matrix squared = squared_distances(result, seen, options);
  const double median = median_above_diagonal(squared);
  const Index dim = compared_dim(result.comparison, seen.dim());
  for (const double relative : relative_thetas) {
    view.relative_theta = relative;
    const double theta = theta_of(view, median, dim);
    // Several may be moved to the same valid one.
    if (std::find(result.thetas.begin(), result.thetas.end(), theta) != result.thetas.end()) continue;
    result.thetas.push_back(theta);
    result.names.push_back(name_of(view));
  }
  return {std::move(result), std::move(squared)};
}

Compared learned_views(const Dataset& train, const Dataset& seen, const SelectionOptions& options) {
  CandidateTransforms transforms(train, candidate_options({}, train.dim(), options));
  Compared result;
  for (const Candidate& view : combined_views(train.dim(), options))
    if (auto learned = in_range([&] { return learned_view(view, transforms, seen, options); })) {
      result.views.push_back(std::move(learned->first));
      result.squared.push_back(std::move(learned->second));
    }
  return result;
}

/// The views with the squared distances of other matrices, less those that leave the range of double there.
Compared compared_on(std::vector<CombinedView> views, const Dataset& data, const SelectionOptions& options) {
  Compared result;
  for (CombinedView& view : views)
    if (auto squared = in_range([&] { return squared_distances(view, data, options); })) {
      result.views.push_back(std::move(view));
      result.squared.push_back(*std::move(squared));
    }
  return result;
}

/// The names of all kernels, view after view.
std::vector<std::string> names_of(const std::vector<CombinedView>& views) {
  std::vector<std::string> names;
  for (const CombinedView& view : views) names.insert(names.end(), view.names.begin(), view.names.end());
  return names;
}

AlignmentSums sums_of(const Compared& compared, const Dataset& data, const SelectionOptions& options) {
  std::vector<std::pair<std::size_t, double>> kernels;
  for (std::size_t v = 0; v < compared.views.size(); ++v)
    for (const double theta : compared.views[v].thetas) kernels.emplace_back(v, theta);
  const BaseKernelRows rows = [&](Index k, Index first, Index count) {
    const auto& [view, theta] = kernels[static_cast<std::size_t>(k)];
    Matrix values = compared.squared[view].middleRows(first, count);
    exponential_in_place(values, -theta, 1);
    return values;
  };
  return alignment_sums(static_cast<Index>(kernels.size()), rows, data.labels(), data.weights(), options.pairs.threads);
}

Index classes_in(const Dataset& data) {
  return static_cast<Index>(std::set<int>(data.labels().codes().begin(), data.labels().codes().end()).size());
}

/// Folds whose parts have two classes or more; none where there are too few matrices or groups for that.
std::vector<Split> alignment_folds(const Dataset& data, const SelectionOptions& options) {
  constexpr Index folds = 3, fewest = 2;
  if (data.size() < folds * fewest * classes_in(data)) return {};
  if (data.has_groups() && std::set<int>(data.groups().codes().begin(), data.groups().codes().end()).size() <
                               static_cast<std::size_t>(folds))
    return {};
  std::vector<Split> splits = stratified_folds(data, folds, options.seed);
  std::erase_if(splits, [&](const Split& split) {
    return classes_in(data.select(split.train)) < 2 || classes_in(data.select(split.test)) < 2;
  });
  return splits;
}

/// Of matrices that the kernels were not learned from, fold after fold: on its own training set a learned subspace is
/// aligned with the classes far too well.
Matrix held_out_products(const std::vector<std::string>& names, const Dataset& data, const SelectionOptions& options) {
  const auto all = static_cast<Index>(names.size());
  Matrix sum = Matrix::Zero(all + 1, all + 1);
  for (const Split& split : alignment_folds(data, options)) {
    const Dataset train = data.select(split.train);
    const Dataset test = data.select(split.test);
    const Compared held_out = compared_on(learned_views(train, train, options).views, test, options);
    if (held_out.views.empty()) continue;
    const AlignmentSums fold = sums_of(held_out, test, options);
    std::vector<Index> from, to;
    const std::vector<std::string> own = names_of(held_out.views);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto found = std::find(names.begin(), names.end(), own[k]);
      if (found == names.end()) continue;
      from.push_back(static_cast<Index>(k));
      to.push_back(found - names.begin());
    }
    from.push_back(static_cast<Index>(own.size()));
    to.push_back(all);
    sum(to, to) += fold.products(from, from);
  }
  return sum;
}

}  // namespace

std::vector<Candidate> combined_views(Index dim, const SelectionOptions& options) {
  const Projecting& project = options.project;
  if (project.kind == Projecting::Kind::ladder)
    throw InvalidInput("a ladder of subspaces is for class means; combined kernels have subspaces of their own");
  if (project.kind == Projecting::Kind::number && project.components > dim)
    throw InvalidInput(fmt::format("a projection to {} components needs matrices of that size or larger, not {}",
                                   project.components, dim));
  std::vector<Index> sizes{0};
  for (const Index components : {dim / 2, dim / 4})
    if (components > 0) sizes.push_back(components);
  if (project.kind == Projecting::Kind::number) sizes = {project.components < dim ? project.components : 0};
  std::vector<Candidate> views;
  for (const Index components : sizes)
    for (const Metric metric : all_metrics())
      if (is_learnable(metric))
        views.push_back({.metric = metric,
                         .recentred = components == 0 && options.recentre == Recentring::all,
                         .components = components});
  if (project.kind == Projecting::Kind::none) views.push_back({.adjusted = true});
  for (Candidate& view : views) view.valid_theta = options.theta_range == ThetaRange::valid;
  return views;
}

BaseKernels::BaseKernels(const Dataset& train, const SelectionOptions& options) {
  const Dataset seen = to_learn_from(train, enough_to_align, options.seed);
  Compared learned = learned_views(train, seen, options);
  AlignmentSums sums = sums_of(learned, seen, options);
  learned.squared.clear();
  views_ = std::move(learned.views);
  const Matrix held_out = held_out_products(names_of(views_), seen, options);
  if (held_out.diagonal().head(held_out.rows() - 1).maxCoeff() > 0) sums.products = held_out;
  alignment_ = aligned_weights(sums);
}

CombinedKernel BaseKernels::combined(Method::Combining how) const {
  const double equal = 1 / static_cast<double>((alignment_.variances.array() > 0).count());
  std::vector<CombinedKernel::Part> parts;
  Index k = 0;
  for (const CombinedView& view : views_) {
    CombinedKernel::Part part{view.comparison, {}};
    for (std::size_t w = 0; w < view.thetas.size(); ++w, ++k) {
      const double variance = alignment_.variances[k],
                   weight = how == Method::Combining::average ? equal : alignment_.weights[k];
      if (variance > 0 && weight > 0) part.widths.push_back({view.thetas[w], weight, variance, view.names[w]});
    }
    if (!part.widths.empty()) parts.push_back(std::move(part));
  }
  return CombinedKernel(std::move(parts));
}

}  // namespace dsk::detail

#include "evaluate/combined.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  if (project.kind == Projecting::Kind::number) sizes = {project.components};
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
  CandidateTransforms transforms(train, candidate_options({}, train.dim(), options));
  for (const Candidate& view : combined_views(train.dim(), options)) {
    try {
      add_view(view, transforms, seen, options);
    } catch (const NumericalFailure&) {  // The others do without this one.
    } catch (const UndefinedForData&) {
    }
  }
  std::vector<std::pair<const View*, double>> kernels;
  for (const View& view : views_)
    for (const double theta : view.thetas) kernels.emplace_back(&view, theta);
  const BaseKernelRows rows = [&](Index k, Index first, Index count) {
    const auto& [view, theta] = kernels[static_cast<std::size_t>(k)];
    Matrix values = view->squared.middleRows(first, count);
    exponential_in_place(values, -theta, 1);
    return values;
  };
  alignment_ =
      align_kernels(static_cast<Index>(kernels.size()), rows, seen.labels(), seen.weights(), options.pairs.threads);
  for (View& view : views_) view.squared.resize(0, 0);
}

void BaseKernels::add_view(Candidate view, CandidateTransforms& transforms, const Dataset& seen,
                           const SelectionOptions& options) {
  View result{comparison_of(view, transforms.before(view), seen.dim()), {}, {}, {}};
  result.squared = pairwise_squared_distances(result.comparison, seen.matrices(), options.pairs);
  check_kernel_values(result.squared);
  const double median = median_above_diagonal(result.squared);
  const Index dim = result.comparison.learned ? result.comparison.learned->result_dim() : seen.dim();
  for (const double relative : relative_thetas) {
    view.relative_theta = relative;
    const double theta = theta_of(view, median, dim);
    // Several may be moved to the same valid one.
    if (std::find(result.thetas.begin(), result.thetas.end(), theta) != result.thetas.end()) continue;
    result.thetas.push_back(theta);
    result.names.push_back(name_of(view));
  }
  views_.push_back(std::move(result));
}

CombinedKernel BaseKernels::combined(Combining how) const {
  const double equal = 1 / static_cast<double>((alignment_.variances.array() > 0).count());
  std::vector<CombinedKernel::Part> parts;
  Index k = 0;
  for (const View& view : views_) {
    CombinedKernel::Part part{view.comparison, {}};
    for (std::size_t w = 0; w < view.thetas.size(); ++w, ++k) {
      const double variance = alignment_.variances[k],
                   weight = how == Combining::average ? equal : alignment_.weights[k];
      if (variance > 0 && weight > 0) part.widths.push_back({view.thetas[w], weight, variance, view.names[w]});
    }
    if (!part.widths.empty()) parts.push_back(std::move(part));
  }
  return CombinedKernel(std::move(parts));
}

}  // namespace dsk::detail

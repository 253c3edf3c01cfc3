#include "report/subspace_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/kernel_figures.hpp"

namespace dsk::pages {
namespace {

/// Larger subspaces are chosen rarely, and more patterns than this are hard to read.
constexpr Index most_panels = 12;

void add_patterns(Page& page, const Matrix& patterns) {
  const Index shown = std::min(patterns.cols(), most_panels);
  BarPanels panels{
      .caption = fmt::format("The pattern of each component: how strongly each feature takes part in it. Only the "
                             "shape counts; turning all bars of a pattern upside down changes nothing.{}",
                             shown < patterns.cols()
                                 ? fmt::format(" The first {} of {} components are drawn.", shown, patterns.cols())
                                 : ""),
      .x_axis = "feature",
      .y_axis = "weight"};
  for (Index c = 0; c < shown; ++c) {
    panels.titles.push_back(fmt::format("component {}", c + 1));
    panels.values.emplace_back(patterns.col(c).begin(), patterns.col(c).end());
  }
  page.add_bar_panels(panels);
}

}  // namespace

void add_subspace_figures(Page& page, const EvaluatedSubspace& subspace, const std::vector<std::string>& class_names) {
  const Index whole = subspace.projection.dim(), components = subspace.projection.result_dim();
  page.add_heading("The learned subspace");
  std::string text = fmt::format("{} on split {} compares matrices ", subspace.method, subspace.split + 1);
  text += subspace.sizes.size() == 1
              ? fmt::format("in a subspace of {} of {} dimensions.", components, whole)
              : fmt::format(
                    "as a whole and in subspaces of {} of {} dimensions, and adds the scores. The figures show "
                    "the subspace of {}.",
                    fmt::join(subspace.sizes, ", "), whole, components);
  page.add_text(text +
                " Each component is a weighted sum of the features, learned from the training part so that matrices "
                "of the same class become more alike.");
  add_patterns(page, subspace.patterns);
  if (subspace.shown.empty()) return;
  page.add_scatter_pair(
      {"Test matrices of that split in the first two principal components of the kernel, before and after the "
       "projection.",
       class_names, scatter(fmt::format("before: all {} dimensions", whole), subspace.whole_components, subspace.shown),
       scatter(fmt::format("after: {} component{}", components, components == 1 ? "" : "s"),
               subspace.projected_components, subspace.shown)});
}

}  // namespace dsk::pages

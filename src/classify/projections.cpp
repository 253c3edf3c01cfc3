// The subspaces that a model compares matrices in.

#include <dsk/model.hpp>

#include <algorithm>
#include <vector>

#include "classify/classify.hpp"

namespace dsk {
namespace {

void add_projection(const Transform& before, std::vector<Projection>& found) {
  if (before.is_identity()) return;
  const auto* const first = std::get_if<Projection>(&before.steps().front());
  if (first == nullptr || first->result_dim() == first->dim()) return;
  const bool known =
      std::any_of(found.begin(), found.end(), [&](const Projection& other) { return other.w == first->w; });
  if (!known) found.push_back(*first);
}

/// Of the kernels of a classifier.
template <class Classifier>
void add_projections(const Classifier& classifier, std::vector<Projection>& found) {
  const auto add = [&](const Comparison& comparison) {
    if (comparison.learned) add_projection(comparison.learned->before(), found);
  };
  if constexpr (requires { classifier.combined(); }) {
    if (classifier.combined() != nullptr) {
      for (const CombinedKernel::Part& part : classifier.combined()->parts()) add(part.comparison);
      return;
    }
  }
  if constexpr (requires { classifier.comparison(); }) add(classifier.comparison());
}

}  // namespace

std::vector<Projection> projections(const Model& model) {
  std::vector<Projection> found;
  const auto add = [&](const auto& classifier) { add_projections(classifier, found); };
  if (const auto* const pipeline = std::get_if<Pipeline>(&model)) {
    for (const Pipeline::Member& member : pipeline->members()) {
      add_projection(member.before, found);
      if (member.before.is_identity()) std::visit(add, member.classifier);
    }
  } else {
    std::visit(add, model);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Projection& a, const Projection& b) { return a.result_dim() > b.result_dim(); });
  return found;
}

}  // namespace dsk

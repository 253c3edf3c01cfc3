#pragma once

#include <dsk/model.hpp>

#include <type_traits>
#include <variant>

#include "classify/classify.hpp"

namespace dsk::test {

/// The class scores of a model, centred, divided and added where it has several members.
inline Matrix scores_of(const Model& model, const SpdBatch& x) {
  if (!std::holds_alternative<Pipeline>(model))
    return std::visit(
        [&](const auto& classifier) -> Matrix {
          if constexpr (std::is_same_v<std::decay_t<decltype(classifier)>, Pipeline>)
            return {};
          else
            return class_scores(classifier, x);
        },
        model);
  const std::vector<Pipeline::Member>& members = std::get<Pipeline>(model).members();
  Matrix sum;
  for (const Pipeline::Member& member : members) {
    Matrix scores = class_scores(member.classifier, member.before.apply(x));
    if (members.size() == 1) return scores;
    scores.colwise() -= scores.rowwise().mean().eval();
    scores /= member.scale;
    sum = sum.size() == 0 ? scores : Matrix(sum + scores);
  }
  return sum;
}

}  // namespace dsk::test

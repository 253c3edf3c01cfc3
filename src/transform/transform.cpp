// Transforms in several steps, of a batch or of one matrix at a time.

#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <utility>

#include "transform/step.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace {

Index dim_of(const Transform::Step& step) {
  return std::visit([](const auto& one) { return one.dim(); }, step);
}

Index result_dim_of(const Transform::Step& step) {
  return std::visit([](const auto& one) { return one.result_dim(); }, step);
}

}  // namespace

Transform Transform::then(const Transform& next) const {
  if (!steps_.empty() && !next.steps_.empty() && result_dim_of(steps_.back()) != dim_of(next.steps_.front()))
    throw InvalidInput(
        fmt::format("a transform of matrices of size {} cannot follow one that makes matrices of size {}",
                    dim_of(next.steps_.front()), result_dim_of(steps_.back())));
  Transform result = *this;
  result.steps_.insert(result.steps_.end(), next.steps_.begin(), next.steps_.end());
  return result;
}

bool Transform::is_identity() const {
  for (const Step& step : steps_)
    if (!std::visit([](const auto& one) { return one.is_none(); }, step)) return false;
  return true;
}

SpdBatch Transform::apply(const SpdBatch& x, int threads) const {
  return detail::apply_steps(std::span(steps_), x, threads);
}

Index Transform::result_dim(Index dim) const {
  return steps_.empty() ? dim : result_dim_of(steps_.back());
}

Eigen::VectorXd Transform::parameters() const {
  return detail::parameters_of(std::span(steps_));
}

Eigen::VectorXd Transform::pull_back(const SpdBatch& x, const MatrixStack& by_result, int threads) const {
  return detail::pull_back_steps(std::span(steps_), x, by_result, threads);
}

}  // namespace dsk

namespace dsk::detail {

void check_derivatives(const MatrixStack& by_result, const SpdBatch& result) {
  if (by_result.count != result.size() || by_result.dim != result.dim())
    throw InvalidInput(fmt::format("derivatives of {} matrices of size {} do not fit {} transformed ones of size {}",
                                   by_result.count, by_result.dim, result.size(), result.dim()));
}

MatrixTransform::MatrixTransform(const Transform& transform) {
  for (const Transform::Step& step : transform.steps())
    if (!std::visit([](const auto& one) { return one.is_none(); }, step))
      steps_.push_back(std::visit([](const auto& one) { return make_step(one); }, step));
}

MatrixTransform::~MatrixTransform() = default;
MatrixTransform::MatrixTransform(MatrixTransform&&) noexcept = default;

const double* MatrixTransform::operator()(const double* matrix) {
  for (const auto& step : steps_)
    if (matrix != nullptr) matrix = step->apply(matrix);
  return matrix;
}

}  // namespace dsk::detail

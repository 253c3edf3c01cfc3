#pragma once

#include <dsk/transform.hpp>

#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "transform/transform.hpp"

namespace dsk {

/// What a step makes of dJ/dZ: dJ/d(its parameters), and dJ/dX for the step before it.
struct PulledBack {
  Eigen::VectorXd by_parameters;
  MatrixStack by_input;
};

// A kind of step has the members dim, result_dim, check and is_none, and these functions in its own namespace. The
// derivatives dJ/dZ are symmetric.
SpdBatch apply_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, int threads);
Eigen::VectorXd step_parameters(const EigenvalueAdjustment& adjustment);
PulledBack pull_back_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, const MatrixStack& by_result,
                          int threads);
std::unique_ptr<detail::MatrixTransform::Step> make_step(const EigenvalueAdjustment& adjustment);

SpdBatch apply_step(const Projection& projection, const SpdBatch& x, int threads);
Eigen::VectorXd step_parameters(const Projection& projection);
PulledBack pull_back_step(const Projection& projection, const SpdBatch& x, const MatrixStack& by_result, int threads);
std::unique_ptr<detail::MatrixTransform::Step> make_step(const Projection& projection);

}  // namespace dsk

namespace dsk::detail {

/// A step for one matrix after the other, with its memory.
class MatrixTransform::Step {
 public:
  virtual ~Step() = default;
  /// As for the transform.
  virtual const double* apply(const double* matrix) = 0;
};

/// Throws InvalidInput unless there is one derivative for each matrix, of its size.
void check_derivatives(const MatrixStack& by_result, const SpdBatch& result);

// Several steps in a row, `Step` being a variant of their kinds.

template <class Step>
SpdBatch apply_steps(std::span<const Step> steps, const SpdBatch& x, int threads) {
  SpdBatch result = x;
  for (const Step& step : steps)
    result = std::visit([&](const auto& one) { return apply_step(one, result, threads); }, step);
  return result;
}

template <class Step>
Eigen::VectorXd parameters_of(std::span<const Step> steps) {
  Eigen::VectorXd all;
  for (const Step& step : steps) {
    const Eigen::VectorXd own = std::visit([](const auto& one) { return step_parameters(one); }, step);
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
  }
  return all;
}

/// dJ/d(parameters) of all steps, from dJ/dZ of their result. Throws InvalidInput for derivatives of another size.
template <class Step>
Eigen::VectorXd pull_back_steps(std::span<const Step> steps, const SpdBatch& x, const MatrixStack& by_result,
                                int threads) {
  std::vector<SpdBatch> inputs;
  SpdBatch input = x;
  for (const Step& step : steps) {
    inputs.push_back(input);
    input = std::visit([&](const auto& one) { return apply_step(one, input, threads); }, step);
  }
  check_derivatives(by_result, input);
  Eigen::VectorXd all(parameters_of(steps).size());
  Index end = all.size();
  MatrixStack derivatives = by_result;
  for (std::size_t k = steps.size(); k-- > 0;) {
    PulledBack back =
        std::visit([&](const auto& one) { return pull_back_step(one, inputs[k], derivatives, threads); }, steps[k]);
    end -= back.by_parameters.size();
    all.segment(end, back.by_parameters.size()) = back.by_parameters;
    derivatives = std::move(back.by_input);
  }
  return all;
}

}  // namespace dsk::detail

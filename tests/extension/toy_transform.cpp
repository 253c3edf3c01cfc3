// A toy transform: Z = X + ridge I.

#include <cmath>
#include <memory>
#include <vector>

#include "transform/step.hpp"

namespace dsk {
namespace {

class RidgeStep : public detail::MatrixTransform::Step {
 public:
  explicit RidgeStep(const Ridge& step) : step_(step), result_(step.size, step.size) {}
  const double* apply(const double* matrix) override {
    result_ = MatrixView(matrix, step_.size, step_.size);
    result_.diagonal().array() += step_.ridge;
    return result_.data();
  }

 private:
  Ridge step_;
  Matrix result_;
};

}  // namespace

void Ridge::check() const {
  if (size < 1 || !(ridge >= 0 && std::isfinite(ridge))) throw InvalidInput("a ridge must be finite and 0 or more");
}

SpdBatch apply_step(const Ridge& step, const SpdBatch& x, int) {
  std::vector<Matrix> shifted;
  for (const MatrixView one : x) shifted.emplace_back(one + step.ridge * Matrix::Identity(step.size, step.size));
  return SpdBatch(shifted);
}

Eigen::VectorXd step_parameters(const Ridge& step) {
  return Eigen::VectorXd::Constant(1, step.ridge);
}

PulledBack pull_back_step(const Ridge&, const SpdBatch&, const MatrixStack& by_result, int) {
  double sum = 0;
  for (Index i = 0; i < by_result.count; ++i) sum += by_result[i].trace();
  return {Eigen::VectorXd::Constant(1, sum), by_result};
}

std::unique_ptr<detail::MatrixTransform::Step> make_step(const Ridge& step) {
  return std::make_unique<RidgeStep>(step);
}

}  // namespace dsk

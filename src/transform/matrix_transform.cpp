#include <algorithm>
#include <cmath>

#include "machine/aligned.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk::detail {

/// One step of a transform, with its memory.
class MatrixTransform::Step {
 public:
  virtual ~Step() = default;
  /// As for the transform.
  virtual const double* apply(const double* matrix) = 0;
};

namespace {

class AdjustStep : public MatrixTransform::Step {
 public:
  explicit AdjustStep(const EigenvalueAdjustment& adjustment)
      : dim_(adjustment.dim()),
        slope_(adjustment.slope()),
        intercept_(adjustment.intercept()),
        log_scale_(std::log(adjustment.scale)),
        scratch_(eigen_scratch(std::min(dim_, largest_in_lanes))),
        values_(dim_),
        vectors_(dim_, dim_),
        adjusted_(dim_, dim_) {}

  const double* apply(const double* matrix) override {
    if (!decompose_one({matrix, dim_, dim_}, scratch_.data(), values_.data(), vectors_.data())) return nullptr;
    for (Index z = 0; z < dim_; ++z) values_[z] = slope_[z] * (std::log(values_[z]) - log_scale_) + intercept_[z];
    const double lowest = values_.maxCoeff() + std::log(smallest_adjusted_ratio(dim_));
    for (double& value : values_) value = std::exp(std::max(value, lowest));
    recompose_group(values_.data(), vectors_.data(), 1, dim_, scratch_.data(), adjusted_.data());
    return adjusted_.allFinite() ? adjusted_.data() : nullptr;
  }

 private:
  Index dim_;
  Eigen::VectorXd slope_;
  Eigen::VectorXd intercept_;
  double log_scale_;
  AlignedArray<double> scratch_;
  Eigen::VectorXd values_;
  Matrix vectors_;
  Matrix adjusted_;
};

class ProjectStep : public MatrixTransform::Step {
 public:
  explicit ProjectStep(const Projection& projection)
      : w_(projection.w),
        half_(w_.rows(), w_.cols()),
        product_(w_.cols(), w_.cols()),
        result_(product_),
        scratch_(product_),
        inverse_(product_) {}

  const double* apply(const double* matrix) override {
    half_.noalias() = MatrixView(matrix, w_.rows(), w_.rows()) * w_;
    product_.noalias() = w_.transpose() * half_;
    result_ = (product_ + product_.transpose()) / 2;
    const MatrixView result(result_.data(), result_.rows(), result_.cols());
    return result_.allFinite() && is_positive_definite(result, scratch_, inverse_) ? result_.data() : nullptr;
  }

 private:
  Matrix w_;
  Matrix half_;
  Matrix product_;
  Matrix result_;
  Matrix scratch_;
  Matrix inverse_;
};

std::unique_ptr<MatrixTransform::Step> make_step(const EigenvalueAdjustment& adjustment) {
  return std::make_unique<AdjustStep>(adjustment);
}

std::unique_ptr<MatrixTransform::Step> make_step(const Projection& projection) {
  return std::make_unique<ProjectStep>(projection);
}

}  // namespace

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

// Transforms in several steps, of a batch or of one matrix at a time.

#include <dsk/transform.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "machine/aligned.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace {

SpdBatch apply_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, int threads) {
  if (x.dim() == adjustment.dim() && adjustment.is_none()) return x;
  return adjust(x, adjustment, threads);
}

Eigen::VectorXd step_parameters(const EigenvalueAdjustment& adjustment) {
  if (adjustment.kind != Adjustment::affine) return adjustment.alpha;
  Eigen::VectorXd result(2 * adjustment.dim());
  result << adjustment.alpha, adjustment.beta;
  return result;
}

/// What a step makes of dJ/dZ: dJ/d(its parameters), and dJ/dX for the step before it.
struct PulledBack {
  Eigen::VectorXd by_parameters;
  MatrixStack by_input;
};

/// With X = U diag(lam) U', Z = U diag(f(lam)) U' and G = U' dJ/dZ U: dJ/dlog f_z = f_z G_zz, and by Daleckii and Krein
/// dJ/dX = U (G o D) U' with the divided differences D_yz = (f_y - f_z) / (lam_y - lam_z).
PulledBack pull_back_step(const EigenvalueAdjustment& adjustment, const SpdBatch& x, const MatrixStack& by_result,
                          int threads) {
  const EigenBatch eigen = eigen_decompose(x, threads);
  const Matrix logs = detail::adjusted_log_eigenvalues(eigen.values, adjustment);
  const Index n = x.size(), dim = x.dim();
  const Eigen::VectorXd slope = adjustment.slope();
  const double lowest = std::log(detail::smallest_adjusted_ratio(dim));
  Matrix by_logs(n, dim);
  PulledBack result{{}, {n, dim, std::vector<double>(static_cast<std::size_t>(n * dim * dim))}};
  detail::for_ranges(n, threads, detail::cubic_cost(dim, 2), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const MatrixView vectors = eigen.vectors[i];
      Matrix along = vectors.transpose() * by_result[i] * vectors;
      by_logs.row(i) = along.diagonal().transpose().array() * logs.row(i).array().exp();
      for (Index y = 0; y < dim; ++y)
        for (Index z = 0; z < dim; ++z) {
          if (y == z) continue;
          const double a = eigen.values(i, y), b = eigen.values(i, z);
          const double f = std::exp(logs(i, y)), g = std::exp(logs(i, z));
          along(y, z) *= a == b ? slope[z] * g / b : (f - g) / (a - b);
        }
      // An eigenvalue that was raised to a part of the largest moves with that one.
      Index top = 0;
      const double raised_to = logs.row(i).maxCoeff(&top) + lowest;
      for (Index z = 0; z < dim; ++z) {
        if (logs(i, z) > raised_to) continue;
        by_logs(i, top) += by_logs(i, z);
        by_logs(i, z) = 0;
      }
      for (Index z = 0; z < dim; ++z) along(z, z) = by_logs(i, z) * slope[z] / eigen.values(i, z);
      Eigen::Map<Matrix>(result.by_input.values.data() + i * dim * dim, dim, dim) =
          vectors * along * vectors.transpose();
    }
  });
  const Eigen::RowVectorXd origin = adjustment.centre.transpose().array() + std::log(adjustment.scale);
  const Matrix moved = Matrix(eigen.values.array().log()).rowwise() - origin;
  const Eigen::VectorXd by_slope = moved.cwiseProduct(by_logs).colwise().sum().transpose();
  const Eigen::VectorXd by_intercept = by_logs.colwise().sum().transpose();
  if (adjustment.kind == Adjustment::power) result.by_parameters = by_slope;
  if (adjustment.kind == Adjustment::coefficient) result.by_parameters = by_intercept.cwiseQuotient(adjustment.alpha);
  if (adjustment.kind == Adjustment::affine) {
    result.by_parameters.resize(2 * dim);
    result.by_parameters << by_slope, by_intercept;
  }
  return result;
}

SpdBatch apply_step(const Projection& projection, const SpdBatch& x, int threads) {
  return projection.is_none() && x.dim() == projection.dim() ? x : project(x, projection, threads);
}

Eigen::VectorXd step_parameters(const Projection& projection) {
  return Eigen::Map<const Eigen::VectorXd>(projection.w.data(), projection.w.size());
}

/// With Z = W' X W and symmetric G = dJ/dZ: dJ/dW = 2 X W G, summed over the matrices, and dJ/dX = W G W'.
PulledBack pull_back_step(const Projection& projection, const SpdBatch& x, const MatrixStack& by_result, int threads) {
  const Index n = x.size(), dim = x.dim();
  const Matrix by_w = detail::pull_back_projection(projection.w, x, by_result, threads);
  PulledBack result{Eigen::Map<const Eigen::VectorXd>(by_w.data(), by_w.size()),
                    {n, dim, std::vector<double>(static_cast<std::size_t>(n * dim * dim))}};
  detail::for_ranges(n, threads, detail::cubic_cost(dim, 0.5), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      Eigen::Map<Matrix>(result.by_input.values.data() + i * dim * dim, dim, dim) =
          projection.w * by_result[i] * projection.w.transpose();
  });
  return result;
}

Index dim_of(const Transform::Step& step) {
  return std::visit([](const auto& one) { return one.dim(); }, step);
}

Index result_dim_of(const Transform::Step& step) {
  if (const auto* const projection = std::get_if<Projection>(&step)) return projection->result_dim();
  return dim_of(step);
}

}  // namespace

Transform::Transform(EigenvalueAdjustment adjustment) {
  adjustment.check();
  steps_.emplace_back(std::move(adjustment));
}

Transform::Transform(Projection projection) {
  projection.check();
  steps_.emplace_back(std::move(projection));
}

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
  SpdBatch result = x;
  for (const Step& step : steps_)
    result = std::visit([&](const auto& one) { return apply_step(one, result, threads); }, step);
  return result;
}

Index Transform::result_dim(Index dim) const {
  return steps_.empty() ? dim : result_dim_of(steps_.back());
}

Eigen::VectorXd Transform::parameters() const {
  Eigen::VectorXd all;
  for (const Step& step : steps_) {
    const Eigen::VectorXd own = std::visit([](const auto& one) { return step_parameters(one); }, step);
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
  }
  return all;
}

Eigen::VectorXd Transform::pull_back(const SpdBatch& x, const MatrixStack& by_result, int threads) const {
  std::vector<SpdBatch> inputs;
  SpdBatch input = x;
  for (const Step& step : steps_) {
    inputs.push_back(input);
    input = std::visit([&](const auto& one) { return apply_step(one, input, threads); }, step);
  }
  if (by_result.count != input.size() || by_result.dim != input.dim())
    throw InvalidInput(fmt::format("derivatives of {} matrices of size {} do not fit {} transformed ones of size {}",
                                   by_result.count, by_result.dim, input.size(), input.dim()));
  Eigen::VectorXd all(parameters().size());
  Index end = all.size();
  MatrixStack derivatives = by_result;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    PulledBack back =
        std::visit([&](const auto& one) { return pull_back_step(one, inputs[k], derivatives, threads); }, steps_[k]);
    end -= back.by_parameters.size();
    all.segment(end, back.by_parameters.size()) = back.by_parameters;
    derivatives = std::move(back.by_input);
  }
  return all;
}

}  // namespace dsk

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

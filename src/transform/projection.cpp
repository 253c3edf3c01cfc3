// Projections, the step of a transform, and the search for them.

#include <dsk/transform.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <utility>
#include <vector>

#include "machine/lapack.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"
#include "transform/step.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace detail {
namespace {

double projection_cost(const Matrix& w) {
  const auto dim = static_cast<double>(w.rows()), columns = static_cast<double>(w.cols());
  return 100 + 0.2 * dim * dim * columns;
}

/// to = x b, or to + x b.
void multiply(const MatrixView& x, const Matrix& b, bool add, Matrix& to) {
  if (lapack::takes(lapack::crossover().factor, x.rows()))
    lapack::multiply_columns(x.data(), b.data(), b.cols(), add, to.data(), x.rows());
  else if (add)
    to.noalias() += x * b;
  else
    to.noalias() = x * b;
}

}  // namespace

Matrix whitening_of(const Matrix& mean) {
  const SpdBatch one(std::span(mean.data(), static_cast<std::size_t>(mean.size())), 1, mean.rows(), 1);
  const EigenBatch eigen = eigen_decompose(one, 1);
  return recompose(eigen.values.array().rsqrt(), eigen.vectors, 1)[0];
}

MatrixStack congruences(const Matrix& w, const SpdBatch& x, int threads) {
  const Index n = x.size(), columns = w.cols();
  MatrixStack result{n, columns, std::vector<double>(static_cast<std::size_t>(n * columns * columns))};
  for_ranges(n, threads, projection_cost(w), [&](Index first, Index last) {
    Matrix half(w.rows(), columns), product(columns, columns);
    for (Index i = first; i < last; ++i) {
      multiply(x[i], w, false, half);
      product.noalias() = w.transpose() * half;
      Eigen::Map<Matrix>(result.values.data() + i * columns * columns, columns, columns) =
          (product + product.transpose()) / 2;
    }
  });
  return result;
}

Matrix pull_back_projection(const Matrix& w, const SpdBatch& x, const MatrixStack& by_result, int threads) {
  const Index n = x.size(), dim = x.dim(), columns = w.cols();
  // Sums over fixed blocks of matrices, added in order: the bits do not depend on the threads.
  constexpr Index block = 32;
  const Index blocks = (n + block - 1) / block;
  std::vector<Matrix> parts(static_cast<std::size_t>(blocks));
  for_ranges(blocks, threads, block * projection_cost(w), [&](Index first, Index last) {
    Matrix half(dim, columns);
    for (Index b = first; b < last; ++b) {
      Matrix& sum = parts[static_cast<std::size_t>(b)];
      sum = Matrix::Zero(dim, columns);
      for (Index i = b * block; i < std::min(n, (b + 1) * block); ++i) {
        half.noalias() = w * by_result[i].transpose();
        multiply(x[i], half, true, sum);
      }
    }
  });
  Matrix total = Matrix::Zero(dim, columns);
  for (const Matrix& part : parts) total += part;
  return 2 * total;
}

}  // namespace detail

void Projection::check() const {
  if (w.cols() < 1 || w.cols() > w.rows())
    throw InvalidInput(
        fmt::format("a projection has 1 to {} columns for {} rows, not {}", w.rows(), w.rows(), w.cols()));
  if (!w.allFinite()) throw InvalidInput("a projection contains NaN or Inf");
  // Of the columns at unit length: their units do not matter.
  const Matrix unit = w.array().rowwise() / w.colwise().norm().array().max(1e-300);
  if (Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(unit).rank() < w.cols())
    throw InvalidInput(fmt::format("the {} columns of a projection are not linearly independent", w.cols()));
}

bool Projection::is_none() const {
  return w.rows() == w.cols() && w == Matrix::Identity(w.rows(), w.cols());
}

SpdBatch project(const SpdBatch& x, const Projection& projection, int threads) {
  if (x.dim() != projection.dim())
    throw InvalidInput(
        fmt::format("a projection for matrices of size {} cannot take matrices of size {}", projection.dim(), x.dim()));
  try {
    return SpdBatch(detail::congruences(projection.w, x, threads), threads);
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("after projection: {}", error.what()));
  }
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

namespace detail {
namespace {

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

}  // namespace
}  // namespace detail

std::unique_ptr<detail::MatrixTransform::Step> make_step(const Projection& projection) {
  return std::make_unique<detail::ProjectStep>(projection);
}

}  // namespace dsk

namespace dsk::detail {

ProjectionSearch::ProjectionSearch(const SpdBatch& x, Matrix start, int threads, const PairSpace& space)
    : x_(x), start_(std::move(start)), threads_(threads), space_(space), w_(start_), z_(projected(start_)) {}

SpdBatch ProjectionSearch::projected(const Matrix& w) const {
  try {
    return trust(congruences(w, x_, threads_));
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("after projection: {}", error.what()));
  }
}

PairSums ProjectionSearch::sweep(const PairOptions& options) const {
  return space_.is_flat() ? PairSums(map().rows(z_), options) : PairSums(z_, options);
}

Eigen::VectorXd ProjectionSearch::start() const {
  return Eigen::Map<const Eigen::VectorXd>(start_.data(), start_.size());
}

void ProjectionSearch::apply(const Eigen::VectorXd& parameters, PairSums& sweep) {
  w_ = Eigen::Map<const Matrix>(parameters.data(), start_.rows(), start_.cols());
  z_ = projected(w_);
  space_.is_flat() ? sweep.replace_rows(map().rows(z_)) : sweep.replace(z_);
}

MatrixStack ProjectionSearch::by_projected(const WeightedInverses& found, double theta) const {
  if (space_.is_flat()) return map().pull_back(z_, by_rows(found, theta));
  MatrixStack by_z = found.sums;
  for_ranges(z_.size(), threads_, cubic_cost(z_.dim(), 1), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      Eigen::Map<Matrix> sum(by_z.values.data() + i * z_.dim() * z_.dim(), z_.dim(), z_.dim());
      const Matrix inverse = z_[i].llt().solve(Matrix::Identity(z_.dim(), z_.dim()));
      const Matrix gradient = -theta * (sum - found.weight_sums[i] * inverse);
      sum = (gradient + gradient.transpose()) / 2;
    }
  });
  return by_z;
}

Eigen::VectorXd ProjectionSearch::pull_back(const WeightedInverses& found, double theta) const {
  const Matrix by_w = pull_back_projection(w_, x_, by_projected(found, theta), threads_);
  return Eigen::Map<const Eigen::VectorXd>(by_w.data(), by_w.size());
}

double ProjectionSearch::penalty(const Eigen::VectorXd& parameters, double factor, Eigen::VectorXd& gradient) const {
  const Eigen::VectorXd moved = parameters - start();
  gradient.head(parameters.size()) += 2 * factor * moved;
  return moved.squaredNorm();
}

Transform ProjectionSearch::at(const Eigen::VectorXd& parameters) const {
  return Transform(Projection{Eigen::Map<const Matrix>(parameters.data(), start_.rows(), start_.cols())});
}

}  // namespace dsk::detail

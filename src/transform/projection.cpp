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
#include "transform/products.hpp"
#include "transform/step.hpp"
#include "transform/transform.hpp"

namespace dsk {
namespace detail {
namespace {

double projection_cost(const Matrix& w) {
  const auto dim = static_cast<double>(w.rows()), columns = static_cast<double>(w.cols());
  return 100 + 0.05 * dim * dim * columns;
}

/// X W of a symmetric X; W and the result are padded.
void multiply(const MatrixView& x, const double* w, Index stride, double* product) {
  constexpr Index few = 64;
  if (stride > few && lapack::takes(lapack::crossover().factor, x.rows()))
    lapack::multiply_columns(x.data(), w, stride, product, x.rows());
  else
    multiply_symmetric(x.data(), x.rows(), w, stride, product);
}

/// W' X_i W of every matrix. X_i W, padded, stays at halves(i).
template <class Halves>
MatrixStack congruences_by_halves(const Matrix& w, const SpdBatch& x, int threads, const Halves& halves) {
  const Index n = x.size(), columns = w.cols(), stride = padded(columns);
  const AlignedArray<double> columns_of_w = padded_rows(w);
  MatrixStack result{n, columns, std::vector<double>(static_cast<std::size_t>(n * columns * columns))};
  for_ranges(n, threads, projection_cost(w), [&](Index first, Index last) {
    AlignedArray<double> product(columns * stride);
    auto half_of = halves();
    for (Index i = first; i < last; ++i) {
      double* const half = half_of(i);
      multiply(x[i], columns_of_w.data(), stride, half);
      multiply_transposed(columns_of_w.data(), half, w.rows(), columns, stride, product.data());
      double* const z = result.values.data() + i * columns * columns;
      for (Index r = 0; r < columns; ++r)
        for (Index c = 0; c <= r; ++c)
          z[r * columns + c] = z[c * columns + r] = (product[r * stride + c] + product[c * stride + r]) / 2;
    }
  });
  return result;
}

/// 2 sum_i H_i G_i from the padded H_i = X_i W at halves(i).
template <class Halves>
Matrix sum_of_products(const Matrix& w, const MatrixStack& by_result, int threads, const Halves& halves) {
  const Index n = by_result.count, dim = w.rows(), columns = w.cols(), stride = padded(columns);
  // Sums over fixed blocks of matrices, added in order: the bits do not depend on the threads.
  constexpr Index block = 32;
  const Index blocks = (n + block - 1) / block;
  AlignedArray<double> parts(blocks * dim * stride);
  for_ranges(blocks, threads, block * projection_cost(w), [&](Index first, Index last) {
    AlignedArray<double> gradient(columns * stride);
    auto half_of = halves();
    for (Index b = first; b < last; ++b) {
      double* const sum = parts.data() + b * dim * stride;
      std::fill_n(sum, dim * stride, 0.0);
      for (Index i = b * block; i < std::min(n, (b + 1) * block); ++i) {
        pad_rows(by_result[i], gradient.data());
        add_product(half_of(i), gradient.data(), dim, columns, stride, sum);
      }
    }
  });
  Matrix total = Matrix::Zero(dim, columns);
  for (Index b = 0; b < blocks; ++b)
    total += Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(parts.data() + b * dim * stride, dim, columns,
                                                               Eigen::OuterStride<>(stride));
  return 2 * total;
}

/// What `work` returns, which it may refuse.
template <class Work>
SpdBatch after_projection(const Work& work) {
  try {
    return work();
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("after projection: {}", error.what()));
  }
}

}  // namespace

Matrix whitening_of(const Matrix& mean) {
  const SpdBatch one(std::span(mean.data(), static_cast<std::size_t>(mean.size())), 1, mean.rows(), 1);
  const EigenBatch eigen = eigen_decompose(one, 1);
  return recompose(eigen.values.array().rsqrt(), eigen.vectors, 1)[0];
}

MatrixStack congruences(const Matrix& w, const SpdBatch& x, int threads) {
  return congruences_by_halves(w, x, threads, [&] {
    return [half = AlignedArray<double>(w.rows() * padded(w.cols()))](Index) mutable { return half.data(); };
  });
}

Matrix pull_back_projection(const Matrix& w, const SpdBatch& x, const MatrixStack& by_result, int threads) {
  const Index stride = padded(w.cols());
  const AlignedArray<double> columns_of_w = padded_rows(w);
  return sum_of_products(w, by_result, threads, [&] {
    return [&, half = AlignedArray<double>(w.rows() * stride)](Index i) mutable {
      multiply(x[i], columns_of_w.data(), stride, half.data());
      return half.data();
    };
  });
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
  return detail::after_projection([&] { return SpdBatch(detail::congruences(projection.w, x, threads), threads); });
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
    : x_(x),
      start_(std::move(start)),
      threads_(threads),
      space_(space),
      w_(start_),
      halves_(x.size() * x.dim() * padded(w_.cols())),
      z_(after_projection([&] { return trust(congruences_of_all()); })) {}

MatrixStack ProjectionSearch::congruences_of_all() {
  const Index size = x_.dim() * padded(w_.cols());
  return congruences_by_halves(w_, x_, threads_,
                               [&] { return [&, size](Index i) { return halves_.data() + i * size; }; });
}

SpdBatch ProjectionSearch::projected() const {
  return after_projection([&] { return SpdBatch(z_.values(), z_.size(), z_.dim(), threads_); });
}

PairSums ProjectionSearch::sweep(const PairOptions& options) const {
  return space_.is_flat() ? PairSums(map().rows(z_), options) : PairSums(z_, options);
}

Eigen::VectorXd ProjectionSearch::start() const {
  return Eigen::Map<const Eigen::VectorXd>(start_.data(), start_.size());
}

void ProjectionSearch::apply(const Eigen::VectorXd& parameters, PairSums& sweep) {
  const Eigen::Map<const Matrix> w(parameters.data(), start_.rows(), start_.cols());
  if (w != w_) {
    w_ = w;
    z_ = after_projection([&] { return trust(congruences_of_all()); });
  }
  space_.is_flat() ? sweep.replace_rows(map().rows(z_)) : sweep.replace(z_);
}

MatrixStack ProjectionSearch::by_projected(const WeightedInverses& found, double theta) const {
  if (space_.is_flat()) return map().pull_back(z_, by_rows(found, theta));
  MatrixStack by_z = engine::inverses(z_, threads_);
  for (Index i = 0; i < z_.size(); ++i) {
    Eigen::Map<Matrix> gradient(by_z.values.data() + i * z_.dim() * z_.dim(), z_.dim(), z_.dim());
    gradient = -theta * (found.sums[i] - found.weight_sums[i] * gradient);
  }
  return by_z;
}

Eigen::VectorXd ProjectionSearch::pull_back(const WeightedInverses& found, double theta) const {
  const Index size = x_.dim() * padded(w_.cols());
  const Matrix by_w = sum_of_products(w_, by_projected(found, theta), threads_,
                                      [&] { return [&, size](Index i) { return halves_.data() + i * size; }; });
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

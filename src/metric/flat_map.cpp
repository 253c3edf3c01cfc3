#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "machine/parallel.hpp"
#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

void unflatten(const double* row, Index dim, Matrix& symmetric) {
  for (Index r = 0; r < dim; ++r) {
    for (Index c = 0; c < r; ++c) symmetric(r, c) = symmetric(c, r) = *row++ / std::numbers::sqrt2;
    symmetric(r, r) = *row++;
  }
}

/// What throws InvalidInput for matrices that a step of learning took out of the range of double.
template <class Work>
auto in_range(const Work& work) {
  try {
    return work();
  } catch (const InvalidInput& error) {
    throw NumericalFailure(fmt::format("under the map of the metric: {}", error.what()));
  }
}

}  // namespace

FlatMap::FlatMap(Metric metric, double zeta, int threads)
    : derivatives_(map_derivatives_of(metric)),
      options_{.metric = metric, .zeta = zeta, .pairs = {.threads = threads}} {
  if (!derivatives_.is_known())
    throw InvalidInput(fmt::format("kernels by the metric {} cannot be learned", name(metric)));
}

Matrix FlatMap::rows(const SpdBatch& z) const {
  return in_range([&] { return *flat_coordinates(z, options_); });
}

Matrix FlatMap::rows(const Matrix& logs, const MatrixStack& vectors) const {
  const int threads = options_.pairs.threads;
  const SpectralMap* const map = derivatives_.spectral;
  if (map == nullptr) return rows(in_range([&] { return trust(recompose(logs.array().exp(), vectors, threads)); }));
  const Matrix values = logs.unaryExpr([&](double log) { return map->value(log, options_.zeta); });
  Matrix rows = flatten(recompose(values, vectors, threads), threads);
  for (Index i = 0; i < rows.rows(); ++i)
    if (!rows.row(i).allFinite())
      throw NumericalFailure(fmt::format("matrix {} leaves the range of double under the map of the metric", i));
  return rows;
}

FlatMap::ByEigenvalues FlatMap::pull_back(const Matrix& logs, const MatrixStack& vectors, const Matrix& by_rows) const {
  const Index n = logs.rows(), dim = logs.cols();
  const SpectralMap* const map = derivatives_.spectral;
  MatrixStack by_z;
  if (map == nullptr)
    by_z = pull_back(in_range([&] { return trust(recompose(logs.array().exp(), vectors, options_.pairs.threads)); }),
                     by_rows);
  ByEigenvalues result{Matrix(n, dim), 0};
  for_ranges(n, options_.pairs.threads, cubic_cost(dim, 0.15), [&](Index first, Index last) {
    Matrix gradient(dim, dim);
    std::vector<double> scratch(static_cast<std::size_t>(quadratic_forms_scratch(dim)));
    for (Index i = first; i < last; ++i) {
      if (map != nullptr) unflatten(&by_rows(i, 0), dim, gradient);
      quadratic_forms(map != nullptr ? gradient.data() : by_z[i].data(), vectors[i].data(), dim, scratch.data(),
                      &result.by_logs(i, 0));
    }
  });
  if (map == nullptr) {
    result.by_logs.array() *= logs.array().exp();
    return result;
  }
  const double zeta = options_.zeta;
  if (map->by_zeta != nullptr)
    for (Index i = 0; i < n; ++i)
      for (Index z = 0; z < dim; ++z) result.by_zeta += result.by_logs(i, z) * map->by_zeta(logs(i, z), zeta);
  result.by_logs.array() *= logs.unaryExpr([&](double log) { return map->derivative(log, zeta); }).array();
  return result;
}

MatrixStack FlatMap::pull_back(const SpdBatch& z, const Matrix& by_rows) const {
  const Index n = z.size(), dim = z.dim();
  const SpectralMap* const map = derivatives_.spectral;
  MatrixStack result{n, dim, std::vector<double>(static_cast<std::size_t>(n * dim * dim))};
  const EigenBatch eigen = map != nullptr ? eigen_decompose(z, options_.pairs.threads) : EigenBatch();
  for_ranges(n, options_.pairs.threads, cubic_cost(dim, 2), [&](Index first, Index last) {
    Matrix gradient(dim, dim);
    for (Index i = first; i < last; ++i) {
      Eigen::Map<Matrix> by_z(result.values.data() + i * dim * dim, dim, dim);
      if (map == nullptr) {
        derivatives_.pull_back(z[i], by_rows.row(i), by_z);
        continue;
      }
      unflatten(&by_rows(i, 0), dim, gradient);
      const MatrixView vectors = eigen.vectors[i];
      Matrix along = vectors.transpose() * gradient * vectors;
      for (Index y = 0; y < dim; ++y)
        for (Index x = 0; x < dim; ++x)
          along(y, x) *= map->divided(std::log(eigen.values(i, y)), std::log(eigen.values(i, x)), options_.zeta);
      gradient.noalias() = vectors * along * vectors.transpose();
      by_z = (gradient + gradient.transpose()) / 2;
    }
  });
  return result;
}

}  // namespace dsk::detail

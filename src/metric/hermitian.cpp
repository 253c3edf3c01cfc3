#include <dsk/metric.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "metric/metric.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace {

using ComplexView = std::span<const std::complex<double>>;

/// Entries that are not finite are left for the check of the real matrices to report.
void require_hermitian(const ComplexView& matrix, Index index, Index dim, double tolerance) {
  double largest = 0;
  for (const std::complex<double>& entry : matrix) largest = std::max(largest, std::abs(entry));
  if (!std::isfinite(largest)) return;
  for (Index r = 0; r < dim; ++r)
    for (Index c = 0; c <= r; ++c) {
      const auto entry = matrix[static_cast<std::size_t>(r * dim + c)];
      const auto mirrored = matrix[static_cast<std::size_t>(c * dim + r)];
      if (std::abs(entry - std::conj(mirrored)) > tolerance * largest)
        throw InvalidInput(
            fmt::format("matrix {} is not Hermitian: entry ({}, {}) is {:g}{:+g}i, but entry ({}, {}) is {:g}{:+g}i",
                        index, r, c, entry.real(), entry.imag(), c, r, mirrored.real(), mirrored.imag()));
    }
}

}  // namespace

MatrixStack embed_hermitian(std::span<const std::complex<double>> values, Index count, Index dim, double tolerance) {
  detail::check_shape(values.size(), count, dim);
  MatrixStack result{count, 2 * dim, std::vector<double>(4 * values.size())};
  const auto entries = static_cast<std::size_t>(dim * dim);
  for (Index i = 0; i < count; ++i) {
    const ComplexView matrix = values.subspan(static_cast<std::size_t>(i) * entries, entries);
    require_hermitian(matrix, i, dim, tolerance);
    Eigen::Map<Matrix> real(result.values.data() + 4 * i * dim * dim, 2 * dim, 2 * dim);
    for (Index r = 0; r < dim; ++r)
      for (Index c = 0; c < dim; ++c) {
        const std::complex<double> entry = matrix[static_cast<std::size_t>(r * dim + c)];
        real(2 * r, 2 * c) = real(2 * r + 1, 2 * c + 1) = entry.real();
        real(2 * r + 1, 2 * c) = entry.imag();
        real(2 * r, 2 * c + 1) = -entry.imag();
      }
  }
  return result;
}

}  // namespace dsk

#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace dsk::test {

/// Bit patterns, so that not even the sign of a zero goes unnoticed.
inline std::vector<std::uint64_t> bits(std::span<const double> values) {
  std::vector<std::uint64_t> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](double v) { return std::bit_cast<std::uint64_t>(v); });
  return result;
}

/// Matrices that take the solver different ways: full, diagonal, block diagonal, with equal eigenvalues, tiny, graded.
inline SpdBatch assorted(Index dim) {
  const SpdBatch full = random_spd({.count = 6, .dim = dim, .condition = 1e5});
  std::vector<double> values;
  for (Index i = 0; i < 12; ++i) {
    Matrix x = full[i % 6];
    if (i == 1) x = Matrix(x.diagonal().asDiagonal());
    if (i == 3) x = 2 * Matrix::Identity(dim, dim);
    if (i == 4) x *= 1e-200;
    if (i == 6) x.topRightCorner(dim / 2, dim - dim / 2).setZero();
    if (i == 6) x.bottomLeftCorner(dim - dim / 2, dim / 2).setZero();
    if (i == 9) x = Matrix::Identity(dim, dim) + Matrix::Ones(dim, dim);
    if (i == 10) {
      const Eigen::VectorXd units =
          Eigen::VectorXd::LinSpaced(dim, 0, -40).unaryExpr([](double e) { return std::exp2(e); });
      x = Matrix(units.asDiagonal() * x * units.asDiagonal());
      x = Matrix(0.5 * (x + x.transpose()));
    }
    values.insert(values.end(), x.data(), x.data() + x.size());
  }
  return SpdBatch(values, 12, dim);
}

}  // namespace dsk::test

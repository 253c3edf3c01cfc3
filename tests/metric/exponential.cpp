#include <gtest/gtest.h>

#include <cmath>

#include "metric/mean.hpp"
#include "support/tolerance.hpp"

namespace dsk::test {
namespace {

/// U diag(values) U' with a fixed rotation U.
Matrix with_eigenvalues(const Eigen::VectorXd& values) {
  const Index dim = values.size();
  // A reflection is orthogonal, symmetric, and exact up to rounding.
  Eigen::VectorXd direction(dim);
  for (Index k = 0; k < dim; ++k) direction[k] = std::sin(1.0 + 2.0 * static_cast<double>(k));
  direction.normalize();
  const Matrix reflection = Matrix::Identity(dim, dim) - 2 * direction * direction.transpose();
  return reflection * values.asDiagonal() * reflection;
}

TEST(Exponential, MeetsItsDefinitionForNormsFromTinyToLarge) {
  // Where the series takes more terms, is squared, or gives way to eigenvalues, sizes are on either side.
  for (const Index dim : {1, 2, 5, 12, 13, 31, 32, 40})
    for (const double norm :
         {0.0, 1e-9, 3.9e-4, 4.1e-4, 0.011, 0.013, 0.059, 0.061, 0.49, 0.51, 0.99, 1.01, 3.0, 20.0}) {
      Eigen::VectorXd values(dim);
      for (Index k = 0; k < dim; ++k) values[k] = std::cos(3.0 * static_cast<double>(k));
      values *= norm / values.norm();
      const detail::Exponential found = detail::exponential(with_eigenvalues(values));
      const auto error = [&](const Matrix& power, double factor) {
        const Eigen::VectorXd expected = (factor * values).array().exp();
        return (power - with_eigenvalues(expected)).norm() / expected.norm();
      };
      const double allowed = tolerance(dim, 1);
      EXPECT_LE(error(found.whole, 1), allowed) << "d = " << dim << ", norm " << norm;
      EXPECT_LE(error(found.root, 0.5), allowed) << "d = " << dim << ", norm " << norm;
      EXPECT_LE(error(found.inverse_root, -0.5), allowed) << "d = " << dim << ", norm " << norm;
      EXPECT_NEAR(found.norm, norm, allowed * norm);
    }
}

}  // namespace
}  // namespace dsk::test

#pragma once

#include <random>
#include <vector>

#include "support/oracle.hpp"

namespace dsk::test {

/// Three classes of different sizes, out of order.
inline std::vector<int> some_classes(Index count) {
  std::vector<int> classes;
  for (Index i = 0; i < count; ++i) classes.push_back(i % 7 == 0 ? 2 : static_cast<int>(i % 2));
  return classes;
}

inline Matrix symmetric_weights(Index count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix weights = Matrix::Zero(count, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = i + 1; j < count; ++j) weights(i, j) = weights(j, i) = uniform(random);
  return weights;
}

inline Matrix normal_rows(Index count, Index width, unsigned seed = 11) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(3, 1);
  return Matrix::NullaryExpr(count, width, [&] { return normal(random); });
}

/// Squared distances of rows, in long double.
inline Matrix oracle_squared_distances(const Matrix& x, const Matrix& y) {
  return Matrix::NullaryExpr(x.rows(), y.rows(), [&](Index i, Index j) {
    Real sum = 0;
    for (Index e = 0; e < x.cols(); ++e) {
      const Real difference = static_cast<Real>(x(i, e)) - static_cast<Real>(y(j, e));
      sum += difference * difference;
    }
    return static_cast<double>(sum);
  });
}

/// sum over j of weights_ij (p_i - p_j), in long double.
inline Matrix oracle_differences(const Matrix& rows, const Matrix& weights) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index e = 0; e < rows.cols(); ++e) {
      Real sum = 0;
      for (Index j = 0; j < rows.rows(); ++j)
        sum += static_cast<Real>(weights(i, j)) * (static_cast<Real>(rows(i, e)) - static_cast<Real>(rows(j, e)));
      result(i, e) = static_cast<double>(sum);
    }
  return result;
}

}  // namespace dsk::test

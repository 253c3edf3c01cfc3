#pragma once

#include <dsk/matrices.hpp>

#include "machine/aligned.hpp"

namespace dsk::detail {

/// The numbers from one row to the next of a matrix whose rows are padded with zeros to whole vectors of any target.
inline Index padded(Index columns) {
  constexpr Index widest_vector = 8;
  return (columns + widest_vector - 1) / widest_vector * widest_vector;
}

/// Copies a matrix, padding its rows.
void pad_rows(const Eigen::Ref<const Matrix>& from, double* to);
AlignedArray<double> padded_rows(const Matrix& from);

/// product = X W for a symmetric X, of which the lower triangle is read, and W of `stride` columns.
void multiply_symmetric(const double* x, Index dim, const double* w, Index stride, double* product);

/// product = A' B for A of `columns` columns, both of `rows` rows and padded to `stride`.
void multiply_transposed(const double* a, const double* b, Index rows, Index columns, Index stride, double* product);

/// sum = sum + A B for A of `rows` rows and B of `columns` rows, all padded to `stride`.
void add_product(const double* a, const double* b, Index rows, Index columns, Index stride, double* sum);

}  // namespace dsk::detail

#pragma once

#include <cstddef>
#include <string>

/// LAPACK, where dsk was built with it. All matrices are row-major, square and contiguous; of symmetric ones the lower
/// triangle is read. Every call runs on the calling thread alone, so that results do not depend on threads.
namespace dsk::detail::lapack {

using Size = std::ptrdiff_t;

/// From this size on, one matrix at a time is faster by LAPACK than by our own code. 0 in a build without LAPACK, which
/// must not call any of the functions below.
struct Crossover {
  Size factor = 0;    ///< Cholesky factors, their inverses, and products
  Size function = 0;  ///< eigenvectors and functions of a matrix
  Size stein = 0;     ///< Stein divergences of pairs
  Size spectrum = 0;  ///< eigenvalues of pairs
};
const Crossover& crossover();
/// For measurements and tests, before anything is computed; 0 for our own code at all sizes.
void set_crossover(const Crossover& from);

/// Whether a matrix of this size is one for LAPACK.
inline bool takes(Size from, Size dim) {
  return from > 0 && dim >= from;
}

/// The library and the processor that its kernels are made for, or what is used instead.
std::string description();

/// The lower triangle becomes the Cholesky factor; the rest stays. False unless the matrix is positive definite.
bool factor(double* matrix, Size dim);
/// The same for a block of a matrix whose rows are `stride` apart.
bool factor_block(double* block, Size rows, Size stride);
/// B becomes B L'^-1, both blocks of one matrix; of L, the lower triangle is read.
void solve_block(const double* lower, Size columns, double* b, Size rows, Size stride);
/// A B' is subtracted from C, all blocks of one matrix; where A is B, the lower triangle alone.
void subtract_product(const double* a, Size rows, const double* b, Size columns, Size inner, double* c, Size stride);
/// The lower triangle becomes its inverse; the rest stays.
void invert_lower(double* lower, Size dim);
/// The lower triangle N becomes that of N' N; the rest stays.
void square_transposed(double* lower, Size dim);
/// The Cholesky factor L becomes the lower triangle of (L L')^-1; the rest stays.
void invert_from_factor(double* lower, Size dim);

/// result = L B or L' B with a lower triangle L, of which only that triangle is read.
void multiply_lower(const double* lower, bool transposed, const double* b, double* result, Size dim);
/// The lower triangle of L R, both lower triangles with zeros above the diagonal; some of what is above it too.
void multiply_triangles(const double* left, const double* right, double* result, Size dim);
/// result = A B or A B'.
void multiply(const double* a, const double* b, bool transposed, double* result, Size dim);
/// result = A B for any B of `columns` columns.
void multiply_columns(const double* a, const double* b, Size columns, double* result, Size dim);

/// Eigenvalues in ascending order; the rows of the matrix become the eigenvectors. False if it did not converge.
bool decompose(double* matrix, Size dim, double* values);
/// The lower triangle of sum_k weights[k] v_k v_k', v_k being the rows.
void recompose(const double* rows, const double* weights, double* result, Size dim);

/// Squared singular values of any matrix as eigenvalues of A'A, ascending. Errors are relative to the largest. `work`
/// is a matrix. False if it did not converge.
bool squared_singular_values(const double* a, Size dim, double* work, double* values);
/// The same of a lower triangle, which is all that is read.
bool squared_singular_values_of_triangle(const double* lower, Size dim, double* work, double* values);
/// Singular values, descending; destroys the matrix. False if it did not converge.
bool singular_values(double* a, Size dim, double* values);

/// X = Q T Q' with a tridiagonal matrix T.
struct Tridiagonal {
  double* diagonal;
  double* off;      ///< dim - 1
  double* factors;  ///< of the reflections that Q is made of; their vectors take the place of the matrix
};
void tridiagonalise(double* matrix, Size dim, const Tridiagonal& to);
/// The whole of symmetric F becomes that of Q F Q'. `matrix` and `factors` are as tridiagonalise left them.
void transform_back(const double* matrix, const double* factors, double* f, Size dim);

/// Copies the lower triangle to the upper one.
void mirror(double* matrix, Size dim);

}  // namespace dsk::detail::lapack

#pragma once

#include <dsk/matrices.hpp>
#include <dsk/metric.hpp>

#include <complex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace dsk {

/// Functions of the eigenvalues of symmetric matrices. "inverse_root" is X^-1/2.
enum class MatrixFunction { exponential, inverse_root, logarithm, power, root };

/// Reads "exponential", "inverse_root", "logarithm", "power" or "root". Throws InvalidInput, listing all of them.
MatrixFunction parse_matrix_function(std::string_view text);

struct MatrixFunctionOptions {
  MatrixFunction function = MatrixFunction::logarithm;
  double exponent = 1;  ///< of `power`
  int threads = 0;
};

/// U f(lam) U' of every symmetric matrix U lam U'. A matrix that is symmetric up to 1e-8 of its largest entry counts as
/// symmetric. Throws InvalidInput, naming the matrix, if one is not symmetric, is not finite or, for all functions but
/// the exponential, has eigenvalues that are not positive beyond rounding.
MatrixStack matrix_function(MatrixStack&& symmetric, const MatrixFunctionOptions& options);

/// The rows that TangentSpace(reference).map makes of these matrices (dsk/mean.hpp), which are checked along the way
/// instead of beforehand. Throws InvalidInput as `matrix_function` does, and if sizes differ.
Matrix tangent_rows(const Matrix& reference, MatrixStack&& symmetric, int threads = 0);

struct FixedPointOptions {
  Metric metric = Metric::airm;      ///< airm or stein
  std::vector<double> weights = {};  ///< one per matrix, none negative, not all 0; empty: all equal
  std::optional<Matrix> start = {};  ///< without it, the arithmetic mean
  double tolerance = 1e-8;           ///< absolute: of |J| for airm, of the change of the mean for stein
  int max_iterations = 50;
  int threads = 0;
};

struct FixedPointMean {
  Matrix matrix;
  bool converged = false;
};

/// The mean after the iterations of pyRiemann's `mean_riemann` and `mean_logdet`, with their steps and stopping rules:
/// the same numbers also where they stop early. `mean` needs fewer iterations, is more accurate and does not depend on
/// units. For airm, M becomes M^1/2 exp(nu J) M^1/2 with J = sum_i w_i log(M^-1/2 X_i M^-1/2) and shrinking nu; for
/// stein, M becomes (sum_i w_i ((X_i + M)/2)^-1)^-1. Throws as `mean`, and InvalidInput for other metrics.
FixedPointMean fixed_point_mean(const SpdBatch& x, const FixedPointOptions& options = {});

/// Complex Hermitian matrices as real symmetric ones of twice the size: each entry a + ib becomes the block
/// [[a, -b], [b, a]]. Products, inverses, functions, Cholesky factors and means of the real matrices are those of the
/// complex ones; eigenvalues come in pairs. `values` holds `count` matrices of `dim` x `dim`, row by row. Throws
/// InvalidInput, naming the matrix, if one is not Hermitian up to `tolerance` of its largest entry.
MatrixStack embed_hermitian(std::span<const std::complex<double>> values, Index count, Index dim,
                            double tolerance = symmetry_tolerance);

/// Distances, or squared ones, of embedded matrices are this many times those of the complex ones: squares of most
/// metrics are doubled, and so are the Kullback-Leibler divergences.
double embedding_factor(Metric metric, bool squared);

}  // namespace dsk

#pragma once

#include <dsk/matrices.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "machine/aligned.hpp"

namespace dsk {

/// X_i = U_i diag(lam_i) U_i' with positive eigenvalues in descending order.
struct EigenBatch {
  Matrix values;        ///< (n, d), row i holds the eigenvalues of matrix i
  MatrixStack vectors;  ///< columns of matrix i are its eigenvectors
};

/// The eigendecomposition of every matrix. `threads` = 0 uses all cores; the result does not depend on it.
EigenBatch eigen_decompose(const SpdBatch& batch, int threads = 0);

/// U_i diag(values_i) U_i' for every i, exactly symmetric.
MatrixStack recompose(const Matrix& values, const MatrixStack& vectors, int threads = 0);

enum class Defect { none, not_finite, asymmetric, indefinite, rank_deficient };

std::string_view name(Defect defect);

/// What is wrong with one matrix, if anything. The numbers are NaN or 0 if the matrix is not finite. Definiteness and
/// rank are determined after scaling to unit diagonal, so that features may have very different units.
struct Diagnosis {
  Index index = 0;
  Index dim = 0;
  Defect defect = Defect::none;
  double asymmetry = 0;                        ///< largest |x_ij - x_ji| over the largest |x_ij|
  double symmetry_limit = symmetry_tolerance;  ///< largest accepted asymmetry
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  double condition = 0;  ///< largest / smallest eigenvalue; infinite if the smallest is not positive
  Index numerical_rank = 0;

  /// One line that says what is wrong with the matrix and which repair to use.
  std::string message() const;
};

/// Examines every matrix. Returns one diagnosis per matrix, in order.
std::vector<Diagnosis> diagnose(const MatrixStack& stack, int threads = 0);

/// `count` of the indices 0 to size - 1, drawn at random without replacement, in ascending order; all of them if
/// `count` is at least `size`. The same seed gives the same sample on every machine. Throws InvalidInput if `count` is
/// below 1.
std::vector<Index> random_sample(Index size, Index count, std::uint64_t seed);

/// The same, with as equal a number of indices from every class as the class sizes allow.
std::vector<Index> balanced_sample(const Labels& labels, Index count, std::uint64_t seed);

}  // namespace dsk

namespace dsk::detail {

/// Throws InvalidInput unless `values` is count * dim * dim, with `count` and `dim` at least 1.
void check_shape(std::size_t values, Index count, Index dim);

/// Replaces x by the mean of x and its transpose. Returns false if x contains NaN or Inf, or if its asymmetry exceeds
/// the tolerance.
bool symmetrise(Eigen::Map<Matrix> x, double tolerance);

/// A square matrix beside its mirror image.
struct SymmetryScan {
  double largest = 0;    ///< |x_rc|
  double asymmetry = 0;  ///< |x_rc - x_cr|
  bool finite = true;    ///< the other two mean nothing otherwise
};

/// Adds the rows `first`, a multiple of 8, to `last` - 1 of the lower triangle, and their mirror image, to a scan.
void scan_symmetry(const double* x, Index dim, Index first, Index last, SymmetryScan& scan);

/// Scans the matrix and writes the lower triangle of S (X + X')/2 S, S being diagonal and such that the result has ones
/// on the diagonal; what is above it is undefined.
SymmetryScan scan_and_scale(const double* x, Index dim, const double* scales, double* lower);

/// D^-1/2 X D^-1/2, where D is the diagonal of X, which must be positive. The result does not depend on units.
void scale_to_unit_diagonal(const MatrixView& x, Matrix& scaled);

/// Whether the matrix, scaled to unit diagonal, has a Cholesky factor and its smallest eigenvalue is above about
/// dim * epsilon. `scratch` and `inverse` are work space that can be reused.
bool is_positive_definite(const MatrixView& x, Matrix& scratch, Matrix& inverse);

Diagnosis diagnose_matrix(const MatrixView& x, Index index, double tolerance);

/// A batch of matrices that are exactly symmetric and positive definite by construction. Only checks that the entries
/// are finite; throws InvalidInput otherwise.
SpdBatch trust(MatrixStack&& stack);

/// Lower Cholesky factor of a matrix that passed the check of SpdBatch, with zeros above the diagonal. Factors the
/// matrix scaled to unit diagonal, so that the factorisation succeeds for any units.
void cholesky_factor(const MatrixView& x, Matrix& lower);

/// Whether LAPACK factors matrices of this size.
bool factored_by_lapack(Index dim);

/// The check of SpdBatch for one matrix after the other, with the Cholesky factor that it takes.
class CheckedFactor {
 public:
  explicit CheckedFactor(Index dim);

  /// Whether the row-major matrix is finite, symmetric and numerically positive definite.
  bool check(const double* x, double tolerance);
  /// The following are about a matrix that passed.
  bool is_exactly_symmetric() const { return is_exactly_symmetric_; }
  /// The factor as `cholesky_factor` computes it: its lower triangle row by row, or with zeros above the diagonal.
  void write_packed(double* row) const;
  void write_lower(Matrix& lower) const;

 private:
  Index dim_;
  Matrix scaled_;  ///< factor of the matrix scaled to unit diagonal
  Matrix inverse_;
  Eigen::VectorXd roots_;  ///< of the diagonal
  bool is_exactly_symmetric_ = false;
};

/// An estimate of the trace of the inverse of D^-1 L L' D^-1 from a lower triangle L, D being diagonal with these sizes
/// (null: the identity). It is the largest of |L^-1 D z|^2 for eight vectors z of signs, each of which is the trace on
/// average; that all are below a hundredth of it happens once in 10^8 matrices.
double estimate_inverse_trace(const double* lower, Index dim, const double* sizes = nullptr);

/// Whether a hundred times that is within the limit that the check of SpdBatch sets.
bool is_surely_well_conditioned(const double* lower, Index dim, const double* sizes = nullptr);

/// The lower triangle of a symmetric matrix becomes its Cholesky factor; the rest is undefined. False unless the matrix
/// is positive definite.
bool factor_in_place(Matrix& x);

/// The inverse of a lower triangular matrix that has zeros above the diagonal.
void invert_factor(const Matrix& lower, Matrix& inverse);

/// (L L')^-1, symmetric up to rounding, of such a matrix. `inverse_factor` is work space.
void invert_from_factor(const Matrix& lower, Matrix& inverse_factor, Matrix& inverse);

/// Eigenvalues (descending) and eigenvectors (columns) of a numerically positive definite matrix, by one-sided Jacobi
/// on the Cholesky factor (Demmel & Veselic 1992). Slower than tridiagonalisation, but small eigenvalues are accurate
/// and positive for any scaling of the rows.
void positive_eigen(const MatrixView& x, Eigen::VectorXd& values, Eigen::MatrixXd& vectors);

/// What is said of `count` matrices that are all of the class `name`.
InvalidInput one_class_only(Index count, std::string_view name);
/// Throws that unless there are matrices of two classes or more.
void require_two_classes(const Labels& labels);

/// Largest number of matrices per call: the number of doubles in the widest vector of any target.
inline constexpr Index eigen_group = 8;

/// Larger matrices are decomposed one at a time. Measured with AVX-512 against Eigen's solver: a full group takes a
/// fifth of the time at d = 5 and 16, a third at 43 and 40 % at 100 and 200. A single matrix in a group takes twice as
/// long at 100 and three times as long at 200, where a group also exceeds the cache and leaves threads idle.
inline constexpr Index largest_in_lanes = 128;

/// Of a few matrices, bit i for matrix i.
struct GroupCheck {
  unsigned valid = 0;  ///< finite, symmetric and numerically positive definite; of the others that is not known
  unsigned exact = 0;  ///< exactly symmetric
};

/// Larger matrices are checked one at a time.
inline constexpr Index largest_checked_in_lanes = 64;

/// Size, in doubles, of the cache-line aligned scratch memory that check_group needs.
Index check_scratch(Index dim);

/// The check of SpdBatch for `count` <= eigen_group matrices at a time, one per vector lane. What does not pass its
/// bounds may still pass CheckedFactor, which also computes the inverse where it must.
GroupCheck check_group(const double* matrices, Index count, Index dim, double tolerance, double* scratch);

/// How `invert_group` writes inverses.
struct InverseForm {
  /// Element (r, c), r >= c, of the inverse of matrix i is at (r (r + 1)/2 + c) * eigen_group + i.
  double* inverses = nullptr;
  double off_diagonal = 1;        ///< what entries beside the diagonal are multiplied by
  const double* units = nullptr;  ///< matrices are divided by the squares of these powers of two; null: they are not
};

/// What it finds of each matrix.
struct GroupInverse {
  GroupCheck check;
  unsigned factored = 0;        ///< all pivots are positive; of the others, the inverse is undefined
  double logdets[eigen_group];  ///< of the divided matrices
};

/// The check and the inverse of `count` <= eigen_group matrices at a time, of at most largest_checked_in_lanes rows.
/// The result of a matrix does not depend on the others. scratch: as check_group.
GroupInverse invert_group(const double* matrices, Index count, Index dim, double tolerance, const InverseForm& form,
                          double* scratch);

/// Size, in doubles, of the cache-line aligned scratch memory that the functions below need.
Index eigen_scratch(Index dim);

/// Eigenvalues (descending) and eigenvectors (columns) of `count` <= eigen_group symmetric matrices of at most
/// largest_in_lanes rows, row-major and contiguous, by tridiagonalisation and implicit QL, one matrix per vector lane.
/// Errors are relative to the largest eigenvalue. The result of a matrix does not depend on the others. Bit i of the
/// return value is set if matrix i did not converge.
unsigned decompose_group(const double* matrices, Index count, Index dim, double* scratch, double* values,
                         double* vectors);

/// The same for one positive definite matrix. False for one that needs positive_eigen, or is too large.
bool decompose_one(const MatrixView& x, double* scratch, double* values, double* vectors);

/// U diag(values) U' for `count` <= eigen_group matrices, exactly symmetric.
void recompose_group(const double* values, const double* vectors, Index count, Index dim, double* scratch,
                     double* matrices);

/// Those of the functions of a positive definite matrix that are sums of shifted inverses (X + t)^-1.
enum class SpectralFunction { logarithm, root, inverse_root };

/// Below this size, eigenvectors are as fast.
inline constexpr Index smallest_function_in_lanes = 4;

/// f(X) of every matrix, exactly symmetric. The result of a matrix does not depend on the others or on `threads`.
MatrixStack spectral_function(SpectralFunction function, const SpdBatch& batch, int threads = 0);

/// f(W X W') of runs of matrices, with the memory for it.
class GroupFunction {
 public:
  /// `congruence`: W, which must outlive this object, or null for the identity.
  GroupFunction(SpectralFunction function, Index dim, const Matrix* congruence = nullptr);

  /// Writes the functions of `count` <= eigen_group positive definite matrices, exactly symmetric, to `results`.
  /// conditions[i] becomes at least the condition number of W X_i W' and at most about sqrt(3 dim) times as large.
  void operator()(const double* matrices, Index count, double* results, double* conditions);

 private:
  void by_eigenvectors(const double* matrix, double* result, double& condition) const;

  SpectralFunction function_;
  Index dim_;
  const Matrix* congruence_;
  AlignedArray<double> scratch_;
};

/// Size, in doubles, of the cache-line aligned scratch memory that function_group needs.
Index function_scratch(Index dim);

/// f(W X W') of `count` <= eigen_group symmetric matrices of at most largest_in_lanes rows, W = I if it is null. Needs
/// no eigenvectors and a third of the time of decompose_group. Bit i of the return value is set if W X_i W' is not
/// positive definite, too ill-conditioned or diagonal; its result is then to be computed from eigenvectors.
unsigned function_group(SpectralFunction function, const double* matrices, Index count, Index dim,
                        const double* congruence, double* scratch, double* results, double* conditions);

/// About one logarithm.
struct LogarithmFacts {
  double condition = 0;  ///< of the matrix, as bounded by GroupFunction
  double trace = 0;
  double squared_norm = 0;
};

/// sum_k weights_k log(L X_k L') of runs of matrices, with the memory for it. A logarithm is added while it is in
/// vector lanes, and a triangular L takes a third of the products of a full one.
class LogarithmSum {
 public:
  /// `lower`: L, with zeros above the diagonal; it must outlive this object.
  explicit LogarithmSum(const Matrix& lower);

  /// Adds `count` <= eigen_group positive definite matrices with positive weights.
  void add(const double* matrices, Index count, const double* weights, LogarithmFacts* facts);
  /// The sum so far, exactly symmetric.
  Matrix total() const;

 private:
  Index dim() const { return lower_.rows(); }

  const Matrix& lower_;
  GroupFunction one_by_one_;
  AlignedArray<double> scratch_;
  AlignedArray<double> in_lanes_;
  Matrix others_;  ///< those that are computed from eigenvectors
};

/// Adds weights_k log(L X_k L') to `sums`, interleaved lower triangles with as many doubles as eigen_group of them
/// have, for at most eigen_group matrices. scratch: as function_group. Bit k of the return value is set where it would
/// be there; nothing is added for such a matrix.
unsigned add_logarithms(const double* matrices, Index count, Index dim, const double* lower, const double* weights,
                        double* scratch, double* sums, LogarithmFacts* facts);
/// Adds interleaved triangles to the lower triangle of a matrix.
void add_lanes(Index dim, const double* sums, double* matrix);

/// Size, in doubles, of the scratch memory that quadratic_forms needs.
Index quadratic_forms_scratch(Index dim);

/// forms[z] = u_z' A u_z for all columns u_z of `columns`. Both matrices are dim x dim and row-major; A is symmetric.
void quadratic_forms(const double* a, const double* columns, Index dim, double* scratch, double* forms);

}  // namespace dsk::detail

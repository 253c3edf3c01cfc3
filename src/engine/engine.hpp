#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spd/spd.hpp"

namespace dsk {

/// The rows of one rank: as many as the others have, up to one. If there are any, rank 0 has some.
RowRange share_of_rows(Index rows, int rank, int ranks);

/// Whether computations with these options take turns on a device, so that running several at once gains nothing.
bool takes_turns(const PairOptions& options);

/// Squared affine invariant distances, sum of log^2 of the eigenvalues of X^-1 Y, of all pairs of x with x (symmetric
/// to the bit, zero diagonal) or of x with y; exactly 0 for equal matrices. Always in double precision.
Matrix pairwise_squared_airm(const SpdBatch& x, const PairOptions& options = {});
Matrix pairwise_squared_airm(const SpdBatch& x, const SpdBatch& y, const PairOptions& options = {});

/// Thompson distances, the largest |log| of the eigenvalues of X^-1 Y, of all pairs of x with x if y is null.
Matrix pairwise_thompson(const SpdBatch& x, const SpdBatch* y, const PairOptions& options = {});

/// Squared Bures-Wasserstein distances, tr X + tr Y - 2 tr (X^1/2 Y X^1/2)^1/2. Errors are relative to the traces: the
/// distance of nearly equal matrices has half the digits.
Matrix pairwise_squared_wasserstein(const SpdBatch& x, const SpdBatch* y, const PairOptions& options = {});

/// Replaces every entry v of the matrix by exp(factor v), for factor v up to 700. `threads` = 0 uses all cores.
void exponential_in_place(Matrix& matrix, double factor, int threads = 0);

/// The same for a run of numbers, on the calling thread.
void exponential_in_place(std::span<double> values, double factor);

/// Replaces numbers, none negative, by their square roots, on the calling thread.
void square_roots_in_place(std::span<double> values);

/// Squared Euclidean distances of all pairs of rows of x (symmetric to the bit, zero diagonal) or of rows of x with
/// rows of y. Sums squares of differences, so that close rows lose no digits and equal rows give exactly 0.
Matrix pairwise_squared_distances(const Matrix& x, const PairOptions& options = {});
Matrix pairwise_squared_distances(const Matrix& x, const Matrix& y, const PairOptions& options = {});

/// Squared Frobenius distances of all pairs of a few large symmetric matrices, of x with
/// itself if y is null: to the bit those of rows of their lower triangles, which are not stored. On the calling thread.
/// Nothing for matrices that are not finite and exactly symmetric, that are too many or small, whose squares may
/// leave the range of double, or other options than the CPU and double precision.
std::optional<Matrix> squared_distances_of_few(const StackView& x, const StackView* y, const PairOptions& options = {});

/// Stein divergences of large matrices that nobody has checked, to the bit those of batches: the Cholesky factor of
/// each is taken once, for the check too. Nothing for matrices that are not certainly valid and exactly symmetric, that
/// are small, or for other options than the CPU, double precision and no team.
std::optional<Matrix> stein_of_large(const StackView& x, const StackView* y, const PairOptions& options = {});

/// The same of squared affine invariant, Thompson and squared Bures-Wasserstein distances, in double precision anyway.
std::optional<Matrix> airm_of_large(const StackView& x, const StackView* y, const PairOptions& options = {});
std::optional<Matrix> thompson_of_large(const StackView& x, const StackView* y, const PairOptions& options = {});
std::optional<Matrix> wasserstein_of_large(const StackView& x, const StackView* y, const PairOptions& options = {});

/// The squared distances of one point after the other from a set, in the calling thread and without allocating memory.
class DistanceQuery {
 public:
  virtual ~DistanceQuery() = default;
  /// Writes the squared distance from each member of the set. False for a point that only the functions for all pairs
  /// can deal with: one in other units than the set, for example.
  virtual bool operator()(const double* point, double* squared) = 0;
};

/// By the Stein divergence and the affine invariant metric. Points are symmetric positive definite matrices.
std::unique_ptr<DistanceQuery> stein_query(const SpdBatch& known);
std::unique_ptr<DistanceQuery> airm_query(const SpdBatch& known);
/// Squared Euclidean distances of rows.
std::unique_ptr<DistanceQuery> row_query(const Matrix& known);

/// A function of the kernel value K = exp(-theta S) of a pair: `same[c]` K for two matrices of class c, `other` K for
/// matrices of two classes, plus `square` K^2.
struct PairForm {
  std::vector<double> same;
  double other = 0;
  double square = 0;
};

/// Weights c_ij = sum_m forms[m] f_m(i, j) + (rows[i] + rows[j]) K_ij of pairs, f_m being forms.
struct FormWeights {
  std::vector<double> forms;
  Eigen::VectorXd rows = {};  ///< empty: none
};

/// Weights that depend on sums over all pairs.
struct SummedForms {
  std::vector<PairForm> forms;
  /// From the sums over j != i of each form, (forms, n), to the weights.
  std::function<FormWeights(const Matrix& sums)> weigh;
  bool weighs_rows = false;  ///< whether `weigh` returns weights of rows: the pairs are then visited twice
};

/// Weights c_ij = factor (exp(same_i - theta S_ij) + exp(same_j - theta S_ij)) for two matrices of one class, and
/// -factor (exp(other_i - theta S_ij) + exp(other_j - theta S_ij)) for two classes. They stay in range where K
/// underflows.
struct LogWeights {
  double theta = 1;
  double factor = 1;
  Eigen::VectorXd same;
  Eigen::VectorXd other;
};

/// log of the sum over j != i of exp(-theta S_ij), for each i; -infinity where there is no such j.
struct LogRowSums {
  Eigen::VectorXd same;   ///< j of i's class
  Eigen::VectorXd other;  ///< j of other classes
};

/// What gradients are made of: with A_i = sum over j != i of c_ij M_ij^-1, M_ij = (X_i + X_j)/2, and symmetric weights
/// c; for a sweep over rows, differences in place of inverses.
struct WeightedInverses {
  MatrixStack sums;             ///< A_i; empty for a sweep over eigenvalues, which has
  Matrix forms;                 ///< u_iz' A_i u_iz for the eigenvectors u_iz of X_i, (n, d)
  Eigen::VectorXd weight_sums;  ///< sum over j of c_ij
  /// sum over j of c_ij S_ij, of which the derivative by theta is made; empty for weights given as a matrix.
  Eigen::VectorXd divergence_sums = {};
  /// Of a sweep over rows p: sum over j of c_ij (p_i - p_j), (n, width); it has neither sums nor forms.
  Matrix differences = {};
};

/// The sums over the pairs of one batch that learning is made of.
class PairSums : public PairSweep {
 public:
  explicit PairSums(const SpdBatch& x, const PairOptions& where = {});
  /// A sweep over x, decomposed as X_i = U_i diag(lam_i) U_i', whose eigenvectors stay while the eigenvalues are
  /// replaced.
  PairSums(const SpdBatch& x, const EigenBatch& decomposed, const PairOptions& where = {});

  /// A sweep over rows, one for each matrix, by their squared Euclidean distances: these take the place of divergences
  /// S in all that follows. For metrics that are Euclidean after a map.
  explicit PairSums(const Matrix& rows, const PairOptions& where = {});

  /// Puts other matrices, as many and as large, in place of x. A sweep over eigenvalues only takes x itself again.
  void replace(const SpdBatch& x);
  /// The same for a sweep over eigenvalues, (n, d). Throws NumericalFailure if a matrix leaves the range of double.
  void replace_eigenvalues(const Matrix& eigenvalues);
  /// The same for a sweep over rows. Throws NumericalFailure where squares of them leave the range of double.
  void replace_rows(const Matrix& rows);

  /// The classes of the matrices, numbered from 0.
  void set_classes(std::vector<int> classes);
  /// For each theta the sums over j != i of each form, (forms, n).
  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const;
  /// For each theta.
  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const;

  /// Takes one Cholesky factor and one inverse per pair (of rows: one distance and a part of a matrix product), in
  /// memory that grows with n d^2. Each rank of a team gets the part that comes from its share of the pairs; `add_up`
  /// turns linear functions of the parts into those of the whole.
  WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const;
  WeightedInverses weighted_inverses(const LogWeights& weights) const;
  /// Weights as a symmetric n x n matrix with zeros on the diagonal; pairs of weight 0 are skipped where they are many.
  WeightedInverses weighted_inverses(const Matrix& weights) const;
  /// Replaces the values of all ranks by their sums; does nothing for one process.
  void add_up(std::span<double> values) const;
};

/// Compares all pairs of x with x, or of x with y unless y is null.
using PairFunction = std::function<Matrix(const SpdBatch& x, const SpdBatch* y)>;

/// What the function makes of x and y, to the bit, computed by all ranks: each takes some rows and gives them to rank
/// 0, which alone gets the result; the others get an empty matrix. A null team computes everything here.
Matrix gather_pairs(const SpdBatch& x, const SpdBatch* y, const PairFunction& compute, const Team* team);

namespace engine {
class NearestIndex;
class NearestWorkspace;
}  // namespace engine

/// One of the nearest matrices of a set.
struct Neighbour {
  Index index = -1;
  double divergence = 0;
};

/// How the nearest matrices are looked for; what is found is the same.
enum class NearestSearch {
  automatic,   ///< abandoning, or whole where the first matrices of a call show that to be less work
  abandoning,  ///< a pair's Cholesky factor ends as soon as its leading block is farther than the nearest so far
  whole        ///< all divergences are computed
};

struct NearestOptions {
  Index count = 5;
  NearestSearch search = NearestSearch::automatic;
  int threads = 0;  ///< 0: all cores
};

/// A set of matrices in which the nearest by the Stein divergence are looked up, exactly. The divergence of leading
/// blocks never falls when they grow, so that most far pairs need only a part of their factor.
class NearestStein {
 public:
  /// Throws InvalidInput for a matrix that is too small beside the largest one.
  explicit NearestStein(const SpdBatch& known, int threads = 0);
  /// Matrices that are neighbours in `order`, a permutation, are compared side by side: the more alike they are the
  /// earlier they are given up. Indices in answers remain those of `known`.
  NearestStein(const SpdBatch& known, std::span<const Index> order, int threads = 0);

  Index size() const;
  Index dim() const;

  /// For each matrix of x the nearest min(count, size()), nearest first and of equally near ones the one with the
  /// lower index first. Throws InvalidInput for another dimension or a count below 1, and PairFailure for a pair that
  /// was looked at and is not numerically positive definite.
  std::vector<Neighbour> find(const SpdBatch& x, const NearestOptions& options = {}) const;

  /// Whether the search computes where and as precisely as these options ask for.
  static bool computes_as(const PairOptions& options) {
    return options.precision == Precision::float64 && options.device == Device::cpu;
  }

 private:
  friend class NearestQuery;
  std::shared_ptr<const engine::NearestIndex> index_;
};

/// Looks up one matrix after the other in the calling thread, without allocating memory.
class NearestQuery {
 public:
  NearestQuery(const NearestStein& known, Index count, NearestSearch search = NearestSearch::automatic);
  ~NearestQuery();
  NearestQuery(NearestQuery&&) noexcept;
  NearestQuery& operator=(NearestQuery&&) noexcept;

  /// As NearestStein::find; reads the lower triangle. The answer is valid until the next call. Throws InvalidInput for
  /// a matrix that is not positive definite.
  std::span<const Neighbour> operator()(const MatrixView& matrix);
  /// The part of the arithmetic of all divergences that the last search took.
  double work() const;

 private:
  std::unique_ptr<engine::NearestWorkspace> workspace_;
};

}  // namespace dsk

namespace dsk::engine {

/// The inverse of every matrix, exactly symmetric. Throws NumericalFailure for a matrix that is not numerically
/// positive definite beside the others.
MatrixStack inverses(const SpdBatch& x, int threads);

/// sum_i w_i ((X_i + M)/2)^-1, with what shows how different its terms are: the sums of w_i tr(.)^2 and w_i |.|^2.
struct SumOfInverses {
  Matrix inverses;
  double squared_traces = 0;
  double squared_norms = 0;
};

/// Packs a batch and computes such sums for one M after the other. The same bits for any number of threads.
class InverseSum {
 public:
  InverseSum(const SpdBatch& x, std::span<const double> weights, int threads);
  ~InverseSum();

  /// Throws NumericalFailure if an average (X_i + M)/2 has no Cholesky factor.
  SumOfInverses at(const Matrix& m);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `height` rows of `width` numbers, one behind the other, against rows in groups of eight: number k of row 8 g + l is
/// at (g * width + k) * 8 + l. These are aligned to cache lines.
struct RowProductsTile {
  const double* rows = nullptr;
  Index height = 0;
  const double* columns = nullptr;
  Index groups = 0;
  Index width = 0;
};

/// Writes the product of row r with row c of the groups to out[r * stride + c], up to whole groups. It depends on the
/// two rows only. On the calling thread.
void row_products_tile(const RowProductsTile& tile, double* out, Index stride);

/// Throws InvalidInput for a device where `what` is computed by the CPU only.
void require_cpu(const PairOptions& options, std::string_view what);

/// Values on their way to other ranks, which run the same program on like machines.
class Parcel {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Parcel& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <class T>
  Parcel& put_all(std::span<const T> values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values out in the order in which they were put in.
class OpenParcel {
 public:
  explicit OpenParcel(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    copy_to(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> values(take<std::size_t>());
    copy_to(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string take_text() {
    const std::vector<char> text = take_all<char>();
    return {text.begin(), text.end()};
  }

 private:
  void copy_to(void* target, std::size_t size) {
    if (size > 0) std::memcpy(target, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
};

}  // namespace dsk::engine

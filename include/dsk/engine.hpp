#pragma once

#include <dsk/matrices.hpp>

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dsk {

class Team;

enum class Precision { float64, float32 };

/// Where pairs are computed. A device does the Stein divergence and what is made of it, nothing else.
enum class Device { cpu, cuda };

struct PairOptions {
  int threads = 0;                           ///< 0: all cores; few pairs run on one thread in any case
  Precision precision = Precision::float64;  ///< float32: twice the speed, 3e-6 of the largest, for condition below 1e5
  Device device = Device::cpu;
  const Team* team = nullptr;  ///< processes to share the pairs with; none: this one alone
};

/// Reads "cpu" or "cuda"; throws InvalidInput, also for a device that cannot be used here.
Device parse_device(std::string_view text);
std::string_view name(Device device);

/// Whether a device can be used.
struct DeviceStatus {
  bool built_in = false;
  bool usable = false;
  std::string text;  ///< the device's name and memory, or why there is none
};
DeviceStatus cuda_status();

/// Computes on the CUDA device of this number from here on, counted round where there are fewer: processes that share a
/// machine choose one each. Where none was chosen, it is the calling thread's.
void choose_cuda_device(int number);

/// Whether computations with these options take turns on a device, so that running several at once gains nothing.
bool takes_turns(const PairOptions& options);

/// Processes, called ranks, that compute together. Those of a team make the same calls, with the same arguments, in the
/// same order, and each does its share; what follows are the places where they meet. A null team is one process.
/// Called by one thread at a time.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Replaces the values of all ranks by their sums, added in the order of the ranks: the same bits everywhere, always.
  virtual void sum(std::span<double> values) const = 0;
  /// Replaces the values of all ranks by the smallest of each.
  virtual void smallest(std::span<double> values) const = 0;
  /// What each rank gives, in the order of the ranks, for all of them.
  virtual std::vector<std::string> gather(std::string_view mine) const = 0;
  /// Rank 0 gets what each rank gives: take(rank, values) once per rank, in order. The others only give.
  using Taker = std::function<void(int rank, std::span<const double> values)>;
  virtual void collect(std::span<const double> mine, const Taker& take) const = 0;
};

/// Does this rank's work. If any rank's throws InvalidInput, all throw the same: that of the first such rank.
void together(const Team* team, const std::function<void()>& work);

/// The same for work that rank 0 does alone, such as writing a file.
void on_rank_zero(const Team* team, const std::function<void()>& work);

/// Neighbouring rows of a result, first <= row < last.
struct RowRange {
  Index first = 0;
  Index last = 0;
};

/// The rows of one rank: as many as the others have, up to one. If there are any, rank 0 has some.
RowRange share_of_rows(Index rows, int rank, int ranks);

/// Name of the instruction set the pair engine runs on here, such as "AVX3" (AVX-512).
std::string simd_target();

/// All instruction sets it was compiled for.
std::vector<std::string> compiled_simd_targets();

/// The mean of matrices `row` and `column` is not numerically positive definite: an overflow, or a condition above
/// 1e15.
class PairFailure : public NumericalFailure {
 public:
  PairFailure(Index row, Index column);
  Index row() const { return row_; }
  Index column() const { return column_; }

 private:
  Index row_;
  Index column_;
};

/// A rectangle of the matrix of divergences: entry (r, c) belongs to the pair (row + r, column + c).
struct PairTile {
  Index row = 0;
  Index column = 0;
  Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> values;
};

/// Called once per tile, from several threads at a time. The values are valid during the call only.
using TileVisitor = std::function<void(const PairTile&)>;

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
/// c.
struct WeightedInverses {
  MatrixStack sums;             ///< A_i; empty for a sweep over eigenvalues, which has
  Matrix forms;                 ///< u_iz' A_i u_iz for the eigenvectors u_iz of X_i, (n, d)
  Eigen::VectorXd weight_sums;  ///< sum over j of c_ij
  /// sum over j of c_ij S_ij, of which the derivative by theta is made; empty for weights given as a matrix.
  Eigen::VectorXd divergence_sums = {};
};

namespace engine {
class Sweep;
}

/// All pairs of a batch with itself or with another one, computed wherever the options say: in threads, on a device, by
/// the ranks of a team. Callers cannot tell which. Results are the same to the bit for any number of threads; every
/// divergence depends on its two matrices and on the largest diagonal entries of the batches only.
/// Members throw PairFailure for the first pair (in row order) that is not numerically positive definite,
/// NumericalFailure for a matrix that is not, and DeviceError for a device that fails.
class PairSweep {
 public:
  explicit PairSweep(const SpdBatch& x, const PairOptions& where = {});
  /// Throws InvalidInput for matrices of different sizes.
  PairSweep(const SpdBatch& x, const SpdBatch& y, const PairOptions& where = {});
  /// A sweep over x, decomposed as X_i = U_i diag(lam_i) U_i', whose eigenvectors stay while the eigenvalues are
  /// replaced.
  PairSweep(const SpdBatch& x, const EigenBatch& decomposed, const PairOptions& where = {});
  PairSweep(PairSweep&&) noexcept;
  PairSweep& operator=(PairSweep&&) noexcept;
  ~PairSweep();

  /// Puts other matrices, as many and as large, in place of x. A sweep over eigenvalues only takes x itself again.
  void replace(const SpdBatch& x);
  /// The same for a sweep over eigenvalues, (n, d). Throws NumericalFailure if a matrix leaves the range of double.
  void replace_eigenvalues(const Matrix& eigenvalues);

  /// S(X, Y) = logdet((X + Y)/2) - (logdet X + logdet Y)/2 of all pairs, never negative, exactly 0 for X = Y, and
  /// symmetric to the bit for one batch. All ranks get the whole matrix.
  Matrix divergences() const;
  /// logdet((X + Y)/2) of all pairs.
  Matrix logdets() const;
  /// The divergences tile by tile, in memory that does not grow with the number of pairs. With one batch the tiles
  /// cover the pairs with row <= column (tiles on the diagonal are whole squares). Tiles visited at the same time share
  /// no row and no column, and those of a row come in the same order for any number of threads: sums per row and column
  /// need no locks. Each rank of a team visits its share of the tiles.
  void visit(const TileVisitor& visitor) const;

  // The rest is for one batch, and what learning is made of.

  /// The classes of the matrices, numbered from 0.
  void set_classes(std::vector<int> classes);
  /// For each theta the sums over j != i of each form, (forms, n).
  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const;
  /// For each theta.
  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const;

  /// Takes one Cholesky factor and one inverse per pair, in memory that grows with n d^2. Each rank of a team gets the
  /// part that comes from its share of the pairs; `add_up` turns linear functions of the parts into those of the whole.
  WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const;
  WeightedInverses weighted_inverses(const LogWeights& weights) const;
  /// Weights as a symmetric n x n matrix with zeros on the diagonal; pairs of weight 0 are skipped where they are many.
  WeightedInverses weighted_inverses(const Matrix& weights) const;
  /// Replaces the values of all ranks by their sums; does nothing for one process.
  void add_up(std::span<double> values) const;

 private:
  std::unique_ptr<engine::Sweep> sweep_;
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

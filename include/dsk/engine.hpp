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

/// What this build and this machine know of CUDA.
struct CudaStatus {
  bool built_in = false;
  bool usable = false;
  std::string text;  ///< the device's name and memory, or why there is none
};
CudaStatus cuda_status();

/// Computes on the CUDA device of this number from here on, counted round where there are fewer: processes that share a
/// machine choose one each. Where none was chosen, it is the calling thread's.
void choose_cuda_device(int number);

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
void at_first(const Team* team, const std::function<void()>& work);

/// Neighbouring rows of a result, first <= row < last.
struct RowRange {
  Index first = 0;
  Index last = 0;
};

/// The rows of one rank: as many as the others have, up to one. If there are any, rank 0 has some.
RowRange share_of_rows(Index rows, int rank, int ranks);

/// The rows of one rank where row i has the columns behind i only: of as many pairs as the others have, up to a row.
RowRange share_of_triangle(Index rows, int rank, int ranks);

/// Name of the instruction set the pair engine runs on here, such as "AVX3" (AVX-512).
std::string simd_target();

/// All instruction sets it was compiled for.
std::vector<std::string> compiled_simd_targets();

/// The mean of matrices `row` and `column` is not numerically positive definite: overflow, or condition above 1e15.
class PairFailure : public InvalidInput {
 public:
  PairFailure(Index row, Index column);
  Index row() const { return row_; }
  Index column() const { return column_; }

 private:
  Index row_;
  Index column_;
};

enum class PairQuantity {
  divergence,  ///< S(X, Y) = logdet((X + Y)/2) - (logdet X + logdet Y)/2, never negative, exactly 0 for X = Y
  logdet       ///< logdet((X + Y)/2)
};

/// A rectangle of the result: entry (r, c) belongs to the pair (row + r, column + c).
struct PairTile {
  Index row = 0;
  Index column = 0;
  Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> values;
};

/// Called once per tile, from several threads at a time. The values are gone after the call.
using TileVisitor = std::function<void(const PairTile&)>;

/// All pairs of x with x (symmetric to the bit) or of x with y, as a matrix. Every entry depends on its two matrices
/// and on the largest diagonal entries of the batches only, never on order, neighbours or threads.
/// Throws PairFailure for the first pair (in row order) that is not numerically positive definite. All ranks of a team
/// get the whole matrix.
Matrix pair_matrix(const SpdBatch& x, PairQuantity quantity, const PairOptions& options = {});
Matrix pair_matrix(const SpdBatch& x, const SpdBatch& y, PairQuantity quantity, const PairOptions& options = {});

/// The same tile by tile, in memory that does not grow with the number of pairs. With one batch the tiles cover the
/// pairs with row <= column (tiles on the diagonal are whole squares); those visited at the same time share no row and
/// no column, and those of a row come in the same order for any number of threads, so that sums kept per row and column
/// need no locks and always get the same bits. Of a team each rank visits its share of the tiles.
void visit_pairs(const SpdBatch& x, PairQuantity quantity, const TileVisitor& visit, const PairOptions& options = {});
void visit_pairs(const SpdBatch& x, const SpdBatch& y, PairQuantity quantity, const TileVisitor& visit,
                 const PairOptions& options = {});

/// Neighbouring pairs (row, first_column + l) offered to a weight function.
struct PairStrip {
  Index row = 0;
  Index first_column = 0;
  std::span<const double> divergence;  ///< S of these pairs
  std::span<const double> kernel;      ///< exp(-theta S) of these pairs
};

/// Writes form m's weight of the strip's pair l to weights[m * strip.kernel.size() + l]. Each unordered pair is offered
/// once (row < first_column + l). Called from several threads, but never at the same time for the same row or column,
/// and in the same order for each of them: sums kept per row and column need no locks.
using PairWeights = std::function<void(const PairStrip&, std::span<double> weights)>;

/// A_i = sum over j != i of c_ij M_ij^-1, with M_ij = (X_i + X_j)/2 and symmetric weights c, for each of several forms
/// c. One pass over the pairs: one Cholesky and one inverse each, O(forms n d^2) memory; the same bits for any number
/// of threads. Of a team each rank gets the sums over its share of the pairs: all of them add up to A_i.
struct InverseSums {
  Index forms = 1;
  double theta = 1;  ///< of the kernel values offered to the weight function
  PairOptions options = {};
};

/// Weights as a function of the divergence, which a device leaves to the host, with memory for forms n^2 numbers. The
/// result has `forms` stacks, each of n symmetric matrices.
std::vector<MatrixStack> inverse_sums(const SpdBatch& x, const PairWeights& weights, const InverseSums& how = {});

/// Weights as a symmetric n x n matrix, of which the part above the diagonal is read.
MatrixStack inverse_sums(const SpdBatch& x, const Matrix& weights, const PairOptions& options = {});

struct WeightedPair {
  Index row = 0;
  Index column = 0;
  double weight = 0;
};

/// Weights for a list of distinct unordered pairs; costs one inverse per entry, whatever n.
MatrixStack inverse_sums(const SpdBatch& x, std::span<const WeightedPair> pairs, const PairOptions& options = {});

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

/// Looks up one matrix after the other in the calling thread, without asking for memory.
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

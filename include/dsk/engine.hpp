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

/// Where pairs are computed. A device does the Stein divergence, Euclidean distances of mapped matrices, and what is
/// made of them, nothing else.
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

/// Name of the instruction set the pair engine runs on here, such as "AVX3" (AVX-512).
std::string simd_target();

/// The LAPACK that large matrices are computed with and the sizes from which it is used, or that there is none.
std::string lapack_text();

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
  /// A rectangle of the matrix of divergences: entry (r, c) belongs to the pair (row + r, column + c).
  struct Tile {
    Index row = 0;
    Index column = 0;
    Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> values;
  };

  /// Called once per tile, from several threads at a time. The values are valid during the call only.
  using Visitor = std::function<void(const Tile&)>;

  explicit PairSweep(const SpdBatch& x, const PairOptions& where = {});
  /// Throws InvalidInput for matrices of different sizes.
  PairSweep(const SpdBatch& x, const SpdBatch& y, const PairOptions& where = {});
  PairSweep(PairSweep&&) noexcept;
  PairSweep& operator=(PairSweep&&) noexcept;
  ~PairSweep();

  /// S(X, Y) = logdet((X + Y)/2) - (logdet X + logdet Y)/2 of all pairs, never negative, exactly 0 for X = Y, and
  /// symmetric to the bit for one batch. All ranks get the whole matrix.
  Matrix divergences() const;
  /// logdet((X + Y)/2) of all pairs.
  Matrix logdets() const;
  /// The divergences tile by tile, in memory that does not grow with the number of pairs. With one batch the tiles
  /// cover the pairs with row <= column (tiles on the diagonal are whole squares). Tiles visited at the same time share
  /// no row and no column, and those of a row come in the same order for any number of threads: sums per row and column
  /// need no locks. Each rank of a team visits its share of the tiles.
  void visit(const Visitor& visitor) const;

 protected:
  explicit PairSweep(std::unique_ptr<engine::Sweep> sweep);
  std::unique_ptr<engine::Sweep> sweep_;
};

}  // namespace dsk

#pragma once

#include <dsk/mean.hpp>
#include <dsk/metric.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.hpp"
#include "machine/aligned.hpp"
#include "spd/spd.hpp"

namespace dsk {

/// The mean of each of `count` groups, which share the threads: groups[i], from 0 to count - 1, is the group of matrix
/// i. Throws InvalidInput for a group without matrices (of positive weight).
std::vector<Mean> group_means(const SpdBatch& x, std::span<const int> groups, Index count,
                              const MeanOptions& options = {});

/// iteration_limit if one of the means did not converge; closed_form for none.
Mean::Stop worst_stop(std::span<const Mean> means);

}  // namespace dsk

namespace dsk::detail {

/// Squared distances are values * 2^exponent; the exponent is even.
struct SquaredDistances {
  Matrix values;
  int exponent = 0;
};

/// What the function of a metric that is not Euclidean after a map computes.
enum class PairValues {
  squared,    ///< squared distances
  distances,  ///< the distances themselves
  directed    ///< the same, where the distance of X from Y is not that of Y from X
};

/// The distances, or their squares, as numbers of their own.
Matrix finished(SquaredDistances distances, bool squared, int threads);

/// Of x with itself if y is null.
using PairDistance = Matrix (*)(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback_right(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);
Matrix kullback_sym(const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// The same, to the bit, of matrices that nobody has checked. Nothing if one is not certainly valid and exactly
/// symmetric, or if this is no faster than to make batches.
using ArrayDistance = std::optional<Matrix> (*)(Metric metric, const StackView& x, const StackView* y,
                                                const PairOptions& options);
std::optional<Matrix> kullback_of_arrays(Metric metric, const StackView& x, const StackView* y,
                                         const PairOptions& options);
/// Of arrays by the metric, as they are returned to users. Nothing where batches must be made.
std::optional<Matrix> pair_distances_of_arrays(const StackView& x, const StackView* y, const DistanceOptions& options);

/// Rows of numbers, one row per matrix, whose Euclidean distances are the metric's.
using Coordinates = Matrix (*)(const SpdBatch& batch, const DistanceOptions& options);
Matrix cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix harmonic(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_cholesky(const SpdBatch& batch, const DistanceOptions& options);
Matrix log_euclidean(const SpdBatch& batch, const DistanceOptions& options);
Matrix power_euclidean(const SpdBatch& batch, const DistanceOptions& options);

/// Memory for the coordinates of one matrix after the other.
struct MapMemory {
  explicit MapMemory(Index dim);

  AlignedArray<double> scratch;
  Matrix values;  ///< one row
  Matrix vectors;
  Matrix lower;
  Matrix result;
};

/// The row of one matrix, without allocating memory. False where that needs the care of the map of a batch.
using CoordinatesOfOne = bool (*)(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                                  Eigen::Ref<Eigen::RowVectorXd> row);
bool cholesky_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                  Eigen::Ref<Eigen::RowVectorXd> row);
bool euclidean_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                   Eigen::Ref<Eigen::RowVectorXd> row);
bool harmonic_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                  Eigen::Ref<Eigen::RowVectorXd> row);
bool log_euclidean_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                       Eigen::Ref<Eigen::RowVectorXd> row);
bool power_euclidean_row(const MatrixView& x, const DistanceOptions& options, MapMemory& memory,
                         Eigen::Ref<Eigen::RowVectorXd> row);

/// The row of a matrix from the Cholesky factor that its check took.
using CoordinatesOfFactor = void (*)(const CheckedFactor& factor, Index dim, MapMemory& memory,
                                     Eigen::Ref<Eigen::RowVectorXd> row);
void cholesky_of_factor(const CheckedFactor& factor, Index dim, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row);
void harmonic_of_factor(const CheckedFactor& factor, Index dim, MapMemory& memory, Eigen::Ref<Eigen::RowVectorXd> row);
/// The rows of consecutive matrices of at most largest_checked_in_lanes rows by the inverse. False, without all of
/// them, if matrices that nobody has checked are not certainly valid and exactly symmetric.
enum class Checked { no, yes };
bool harmonic_rows(const double* matrices, Index dim, Checked checked, int threads, Matrix& rows);
void log_cholesky_of_factor(const CheckedFactor& factor, Index dim, MapMemory& memory,
                            Eigen::Ref<Eigen::RowVectorXd> row);
/// Null for a metric without such rows.
CoordinatesOfFactor coordinates_of_factor(Metric metric);

/// The rows of all matrices by such a function that never returns false, for the given time per matrix.
Matrix rows_of_all(const SpdBatch& batch, CoordinatesOfOne row_of, const DistanceOptions& options,
                   double nanoseconds_each);

/// A map U f(lam) U' of each eigenvalue by itself, and its derivatives. All take logarithms of eigenvalues, and zeta.
struct SpectralMap {
  double (*value)(double log, double zeta);
  double (*derivative)(double log, double zeta);  ///< by the logarithm
  /// (f(x) - f(y)) / (x - y) of two eigenvalues, which may be equal or nearly so: f'(x) then.
  double (*divided)(double log, double other_log, double zeta);
  double (*by_zeta)(double log, double zeta);  ///< null: zeta has no part in the map
};
extern const SpectralMap log_euclidean_map;
extern const SpectralMap power_euclidean_map;

/// What the derivative by the row of one matrix means for the matrix: dJ/dX, symmetric.
using MapPullBack = void (*)(const MatrixView& x, const Eigen::RowVectorXd& by_row, Eigen::Ref<Matrix> by_x);
void pull_back_cholesky(const MatrixView& x, const Eigen::RowVectorXd& by_row, Eigen::Ref<Matrix> by_x);

/// The derivative of a metric's map: one of the two, or unknown.
struct MapDerivatives {
  const SpectralMap* spectral = nullptr;
  MapPullBack pull_back = nullptr;
  bool is_known() const { return spectral != nullptr || pull_back != nullptr; }
};
MapDerivatives map_derivatives_of(Metric metric);

/// The map of a metric that is Euclidean after it, and the way back of derivatives. Members throw NumericalFailure
/// where the rows leave the range of double.
class FlatMap {
 public:
  /// Throws InvalidInput for a metric whose map has no known derivative.
  FlatMap(Metric metric, double zeta, int threads);

  Matrix rows(const SpdBatch& z) const;
  /// The same for U_i diag(exp(logs_i)) U_i'.
  Matrix rows(const Matrix& logs, const MatrixStack& vectors) const;

  struct ByEigenvalues {
    Matrix by_logs;  ///< dJ/dlog(eigenvalue), (n, d)
    double by_zeta = 0;
  };
  ByEigenvalues pull_back(const Matrix& logs, const MatrixStack& vectors, const Matrix& by_rows) const;
  /// dJ/dZ_i, symmetric, by divided differences (Daleckii and Krein) where the map is one of eigenvalues.
  MatrixStack pull_back(const SpdBatch& z, const Matrix& by_rows) const;

 private:
  MapDerivatives derivatives_;
  DistanceOptions options_;
};

/// The matrix that has these coordinates.
using FromCoordinates = Matrix (*)(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_harmonic(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_log_cholesky(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_log_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);
Matrix from_power_euclidean(const Eigen::RowVectorXd& row, Index dim, const DistanceOptions& options);

/// A batch with one positive weight per matrix; they sum to 1.
struct WeightedBatch {
  SpdBatch x;
  std::vector<double> weights;
};

/// The mean by a metric that is not Euclidean after a map.
using IterativeMean = Mean (*)(const WeightedBatch& batch, const MeanOptions& options);
Mean airm_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean kullback_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean kullback_right_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean kullback_sym_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean stein_mean(const WeightedBatch& batch, const MeanOptions& options);
Mean wasserstein_mean(const WeightedBatch& batch, const MeanOptions& options);

/// group_means of as many groups as there are matrices in `starts`, each searched for from one of them where that helps
/// (airm, stein).
std::vector<Mean> group_means_from(const SpdBatch& starts, const SpdBatch& x, std::span<const int> groups,
                                   const MeanOptions& options);

/// How the mean by a metric is computed: by one of the two, or not at all.
struct MeanMethod {
  FromCoordinates from_coordinates = nullptr;
  IterativeMean iterative = nullptr;
};
MeanMethod mean_method_of(Metric metric);

/// The coordinates of a metric that is Euclidean after one map per matrix, nothing for the others. Throws InvalidInput,
/// naming the matrix, if they leave the range of double.
std::optional<Matrix> flat_coordinates(const SpdBatch& batch, const DistanceOptions& options);

/// The squared distances by a metric that is not Euclidean after a map, of x with itself if y is null.
Matrix squared_pair_distances(Metric metric, const SpdBatch& x, const SpdBatch* y, const PairOptions& options);

/// Maps one matrix after the other, and compares the row with known ones.
std::unique_ptr<DistanceQuery> flat_query(const Matrix& known, Index dim, CoordinatesOfOne row_of,
                                          const DistanceOptions& options);

/// Of the matrices, or of their coordinates where the metric has such. Null for a metric without the function for one
/// matrix.
std::unique_ptr<DistanceQuery> query_of(const SpdBatch& known, const DistanceOptions& options);
std::unique_ptr<DistanceQuery> query_of(const Matrix& known_coordinates, Index dim, const DistanceOptions& options);

/// Squared Euclidean distances between rows, of x with itself if y is null.
SquaredDistances flat_distances(const Matrix& x, const Matrix* y, const PairOptions& options);

/// Writes a symmetric matrix as d (d + 1) / 2 numbers of the same Frobenius norm.
void flatten(const MatrixView& symmetric, Eigen::Ref<Eigen::RowVectorXd> row);

/// The matrix that `flatten` makes this row of.
Matrix unflatten(const Eigen::RowVectorXd& row, Index dim);

/// All matrices, one a row.
Matrix flatten(const MatrixStack& symmetric, int threads);

/// The flattened U f(lam) U' of one matrix, as CoordinatesOfOne.
template <class Function>
bool flatten_spectral(const MatrixView& x, const Function& f, MapMemory& memory,
                      const Eigen::Ref<Eigen::RowVectorXd>& row) {
  if (!decompose_one(x, memory.scratch.data(), memory.values.data(), memory.vectors.data())) return false;
  for (double& value : memory.values.reshaped()) value = f(value);
  recompose_group(memory.values.data(), memory.vectors.data(), 1, x.rows(), memory.scratch.data(),
                  memory.result.data());
  flatten({memory.result.data(), x.rows(), x.cols()}, row);
  return true;
}

/// Maps one matrix after the other to a tangent space, without allocating memory, up to d = 128.
class TangentQuery {
 public:
  explicit TangentQuery(const TangentSpace& space);
  /// As CoordinatesOfOne.
  bool operator()(const MatrixView& x, Eigen::Ref<Eigen::RowVectorXd> row);

 private:
  Matrix whitening_;
  MapMemory memory_;
};

}  // namespace dsk::detail

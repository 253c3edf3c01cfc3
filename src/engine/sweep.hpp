#pragma once

#include <optional>

#include "engine/engine.hpp"

namespace dsk::engine {

enum class PairQuantity { divergence, logdet };

/// The matrices of a sweep: a batch, with another one or with its own decomposition, or neither.
struct SweepMatrices {
  SpdBatch x;
  std::optional<SpdBatch> y = {};
  std::optional<EigenBatch> eigen = {};
};

/// What every place that computes pairs can do; PairSweep and PairSums say what the members mean.
class Sweep {
 public:
  virtual ~Sweep() = default;
  virtual void replace(const SpdBatch& x) = 0;
  virtual void replace_eigenvalues(const Matrix& eigenvalues) = 0;
  virtual void replace_rows(const Matrix& rows);
  virtual Matrix matrix(PairQuantity quantity) const = 0;
  virtual void visit(const PairSweep::Visitor& visitor) const = 0;
  virtual void set_classes(std::vector<int> classes) = 0;
  virtual std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const = 0;
  virtual std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const = 0;
  virtual WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const = 0;
  virtual WeightedInverses weighted_inverses(const LogWeights& weights) const = 0;
  virtual WeightedInverses weighted_inverses(const Matrix& weights) const = 0;
  virtual const PairOptions& options() const = 0;
};

std::unique_ptr<Sweep> make_cpu_sweep(SweepMatrices matrices, const PairOptions& options);
/// Throws InvalidInput where there is no device.
std::unique_ptr<Sweep> make_cuda_sweep(SweepMatrices matrices, const PairOptions& options);

/// Over rows, by their squared Euclidean distances.
std::unique_ptr<Sweep> make_cpu_row_sweep(const Matrix& rows, const PairOptions& options);
std::unique_ptr<Sweep> make_cuda_row_sweep(const Matrix& rows, const PairOptions& options);

/// As pairwise_squared_distances, on a CUDA device and always in double precision; x with itself if y is null.
Matrix squared_distances_on_device(const Matrix& x, const Matrix* y, const PairOptions& options);

/// Throws NumericalFailure for eigenvalues that are not finite and positive.
void check_eigenvalues(const Matrix& eigenvalues);

}  // namespace dsk::engine

// The pair engine on a CUDA device. Plain C++, so that it can be used where there is no CUDA: pair_engine.cu holds the
// real thing, pair_engine_none.cpp its twin for builds without.
#pragma once

#include <dsk/engine.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/cuda/kernels.hpp"

namespace dsk::engine::cuda {

/// Of the device that the calling thread computes on from here on.
DeviceStatus device_status();

/// Puts the sweeps that are made from here on, by any thread, on the device of this number, counted round.
void choose_device(int number);

/// Row-major matrices in the memory of the host.
struct HostMatrices {
  const double* values = nullptr;
  long count = 0;
};

struct SweepInput {
  int dim = 1;
  HostMatrices x;                     ///< or their eigenvectors, as columns,
  bool eigenvectors = false;          ///< and the matrices come by `form`
  HostMatrices y = {};                ///< none: x with itself
  std::span<const double> factors;    ///< of given matrices: powers of two that bring all diagonals near 1
  bool divergence = true;             ///< or log-determinants of the means,
  double logdet_offset = 0;           ///< to which this is added
  bool single_precision = false;      ///< for sizes up to largest_gridded; larger ones take double
  std::span<const int> classes = {};  ///< of x, for sums over rows and weights
};

/// Rows of `width` numbers, compared by their squared Euclidean distances, which take the place of divergences. Always
/// in double precision.
struct RowInput {
  long width = 1;
  HostMatrices x;                     ///< row after row
  HostMatrices y = {};                ///< none: x with itself
  std::span<const int> classes = {};  ///< of x, for sums over rows and weights
};

/// How weights come from divergences; see Weighting. `a` and `b` have one number for each matrix.
struct HostWeighting {
  Weighting rule;
  std::span<const double> a;
  std::span<const double> b;
};

/// A pair, or a single matrix, that is not numerically positive definite.
struct Failure {
  long row = 0;
  long column = 0;
  bool single = false;
};

/// Two batches of matrices or rows on the device, and rows of a matrix over their pairs, which stay there until they
/// are fetched. Every member throws DeviceError, in one line, where the device has too little memory or fails.
class DeviceSweep {
 public:
  virtual ~DeviceSweep() = default;
  /// As many rows as the device has room for and starts at once, at most all.
  virtual long rows_at_once() const = 0;
  /// Computes rows; all of them at once, of a batch with itself, take half of the arithmetic.
  virtual std::optional<Failure> compute(long first_row, long rows) = 0;
  /// The computed rows, or what weigh has made of them.
  virtual void fetch(double* out) = 0;
  /// For each theta and, within, each row.
  virtual std::vector<RowSums> sum_rows(std::span<const double> thetas) = 0;
  /// Turns divergences into weights and returns the sums of each row.
  virtual std::vector<WeightSums> weigh(const HostWeighting& how) = 0;
  /// Puts given weights in place of rows.
  virtual void place_weights(long first_row, long rows, const double* weights) = 0;
  /// For each row the sum A_i over j of weight_ij M_ij^-1 or, of a sweep over rows p, of weight_ij p_j.
  virtual std::optional<Failure> sum_weighted() = 0;
  /// The sums, as row-major matrices in the units of the data, or as rows.
  virtual void fetch_sums(double* out) = 0;
};

/// A sweep over matrices.
class DeviceMatrices : public DeviceSweep {
 public:
  /// Makes the matrices U_i diag(lam_i) U_i' of eigenvalues (n, d), row by row, in place of those before.
  virtual void form(const double* eigenvalues) = 0;
  /// u_iz' A_i u_iz for the eigenvectors of each row.
  virtual void fetch_forms(double* out) = 0;
};

/// Throws InvalidInput where no device can be used.
std::unique_ptr<DeviceMatrices> make_device_sweep(const SweepInput& input);
std::unique_ptr<DeviceSweep> make_device_row_sweep(const RowInput& input);

}  // namespace dsk::engine::cuda

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/pair_engine.hpp"
#include "engine/engine.hpp"
#include "engine/sweep.hpp"

namespace dsk::engine {

using DeviceFailure = std::optional<cuda::Failure>;

/// The matrix over all pairs of a sweep, strip by strip; of a team, each rank computes its share of the rows and gets
/// them all. compute(first row, rows) puts rows of it on the device.
Matrix matrix_of(cuda::DeviceSweep& sweep, Index rows, Index columns, const PairOptions& options,
                 const std::function<DeviceFailure(Index, Index)>& compute);

/// Pairs of matrices or rows on a CUDA device, where these stay. Each rank of a team has a device and computes its
/// share of the rows. Visitors are called by the calling thread.
class CudaPairs : public Sweep {
 public:
  Matrix matrix(PairQuantity quantity) const override;
  void visit(const PairSweep::Visitor& visitor) const override;
  void set_classes(std::vector<int> classes) override;
  std::vector<Matrix> form_sums(std::span<const PairForm> forms, std::span<const double> thetas) const override;
  std::vector<LogRowSums> log_row_sums(std::span<const double> thetas) const override;
  WeightedInverses weighted_inverses(double theta, const SummedForms& weights) const override;
  WeightedInverses weighted_inverses(const LogWeights& weights) const override;
  WeightedInverses weighted_inverses(const Matrix& weights) const override;
  const PairOptions& options() const override { return options_; }

 protected:
  /// Of `size` with themselves, or with others. Throws InvalidInput where there is no device.
  CudaPairs(Index size, std::optional<Index> others, const PairOptions& options);

  virtual std::shared_ptr<cuda::DeviceSweep> upload(PairQuantity quantity, std::span<const int> classes) const = 0;
  /// What a matrix of this quantity is computed by.
  virtual std::shared_ptr<cuda::DeviceSweep> sweep_for(PairQuantity quantity) const = 0;
  /// Zeros for what `take_sums` fetches, and for the rows of other ranks.
  virtual void make_room(WeightedInverses& result) const = 0;
  /// Fetches the weighted sums of rows from the first on; their weight_sums are there.
  virtual void take_sums(Index first, Index rows, WeightedInverses& result) const = 0;

  /// What is compared on the device, from its first use on.
  const std::shared_ptr<cuda::DeviceSweep>& device() const;
  void forget_device() { device_.reset(), all_there_ = false; }
  void forget_divergences() { all_there_ = false; }
  bool is_uploaded() const { return device_ != nullptr; }

 private:
  double same_of(const PairForm& form, Index i) const;
  DeviceFailure compute(cuda::DeviceSweep& sweep, Index first, Index rows) const;
  std::vector<cuda::RowSums> row_sums(std::span<const double> thetas) const;
  void exchange(std::vector<cuda::RowSums>& sums) const;
  WeightedInverses room() const;
  WeightedInverses weigh(const cuda::HostWeighting& how) const;
  DeviceFailure sum_weighted(Index first, Index rows, WeightedInverses& result) const;

  Index size_;
  std::optional<Index> others_;
  RowRange mine_;
  PairOptions options_;
  std::vector<int> classes_;
  mutable std::shared_ptr<cuda::DeviceSweep> device_;
  mutable bool all_there_ = false;  ///< the divergences of all its rows are on the device
};

}  // namespace dsk::engine

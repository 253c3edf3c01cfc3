#pragma once

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/engine.hpp"
#include "learn/classes.hpp"

namespace dsk::detail {

struct KernelGradient;

/// A training set's eigenvectors on a device, where its matrices with changing eigenvalues are made and looked at: only
/// numbers per matrix go there and come back. Of a team, each rank has a device and looks at its share of the rows.
class DeviceTraining {
 public:
  /// Throws InvalidInput where there is no device. Every member throws DeviceError where it fails or has too little
  /// memory.
  DeviceTraining(const EigenBatch& eigen, const Classes& classes, const PairOptions& options);

  /// Makes the matrices with these eigenvalues (n, d) the current ones. Throws InvalidInput where they leave the range
  /// of double.
  void form(const Matrix& eigenvalues);

  /// Of the current matrices, for each theta and, within, each matrix.
  std::vector<engine::cuda::RowSums> sum_rows(std::span<const double> thetas);
  Matrix divergences();
  /// Fills in what the gradient is made of, for weights by rule or as a matrix that is symmetric and 0 on its diagonal.
  /// Of a team, for this rank's rows, and 0 for others.
  void weigh(const engine::cuda::HostWeighting& how, KernelGradient& gradient);
  void weigh(const Matrix& weights, KernelGradient& gradient);

 private:
  using Failure = std::optional<engine::cuda::Failure>;
  template <class Work>
  void for_strips(const Work& work);
  /// Makes sure that the divergences of these rows, and not weights, are on the device.
  Failure compute(Index first, Index rows);
  void exchange(std::vector<engine::cuda::RowSums>& sums) const;
  Failure take_forms(Index first, KernelGradient& gradient);

  Index count_;
  Index dim_;
  RowRange mine_;
  PairOptions options_;
  std::unique_ptr<engine::cuda::Sweep> sweep_;
  bool all_there_ = false;  ///< the divergences of all its rows are there already
};

}  // namespace dsk::detail

#pragma once

#include <dsk/learn.hpp>

#include <memory>
#include <span>

#include "learn/classes.hpp"
#include "learn/device_training.hpp"

namespace dsk::detail {

/// A criterion J(K) and what its gradient is made of: with W = dJ/dK and c = W o K,
/// dJ/dlog lam~_iz = -theta (lam~_iz u_iz' A_i u_iz - r_i), where A_i = sum_j c_ij M_ij^-1 and r_i = sum_j c_ij.
/// The derivatives by the eigenvalues are linear in A and r: each rank of a team has the part of its share of the
/// pairs.
struct KernelGradient {
  double value = 0;
  MatrixStack inverse_sums;     ///< A_i, or a rank's part, or from a device
  Matrix forms;                 ///< u_iz' A_i u_iz, (n, d)
  Eigen::VectorXd weight_sums;  ///< r_i, or a rank's part
  double by_log_c = 0;
};

/// The matrices that a criterion looks at: adjusted or not, it does not know.
class TrainingMatrices {
 public:
  TrainingMatrices(const SpdBatch& batch) : batch_(&batch) {}
  TrainingMatrices(DeviceTraining& on_device) : on_device_(&on_device) {}
  DeviceTraining* on_device() const { return on_device_; }
  /// Where they are not on a device.
  const SpdBatch& batch() const { return *batch_; }

 private:
  const SpdBatch* batch_ = nullptr;
  DeviceTraining* on_device_ = nullptr;
};

class Objective {
 public:
  virtual ~Objective() = default;
  /// J for every theta (rows) and C (columns).
  virtual Matrix values(const TrainingMatrices& x, std::span<const double> thetas,
                        std::span<const double> cs) const = 0;
  virtual KernelGradient gradient(const TrainingMatrices& x, double theta, double c) const = 0;
};

std::unique_ptr<Objective> make_objective(Criterion criterion, const Classes& classes, const PairOptions& options);

}  // namespace dsk::detail

#pragma once

#include "learn/objective.hpp"

namespace dsk::detail {

/// J = mean over i of log(sum over j != i of i's class of K_ij / sum over j != i of K_ij), over those i that are not
/// alone in their class. Works with log-sum-exp: K itself underflows on ill-conditioned data.
class Neighbour : public Objective {
 public:
  /// Throws InvalidInput if no class has two members.
  Neighbour(const Classes& classes, const PairOptions& options);
  Matrix values(const TrainingMatrices& x, std::span<const double> thetas, std::span<const double> cs) const override;
  KernelGradient gradient(const TrainingMatrices& x, double theta, double c) const override;

 private:
  /// For each i: log of the sum of K_ij over j != i, within the class and outside of it.
  struct LogSums {
    Eigen::VectorXd same, other, all;
  };
  std::vector<LogSums> gather(const TrainingMatrices& x, std::span<const double> thetas) const;
  std::vector<LogSums> gather_here(const SpdBatch& x, std::span<const double> thetas) const;
  std::vector<LogSums> gather_there(DeviceTraining& x, std::span<const double> thetas) const;
  double value(const LogSums& sums) const;
  bool counts(Index i) const { return classes_.size(classes_[i]) > 1; }

  const Classes& classes_;
  PairOptions options_;
  double counted_ = 0;
};

}  // namespace dsk::detail

#pragma once

#include "learn/forms.hpp"
#include "learn/objective.hpp"

namespace dsk::detail {

/// A criterion of sums over the pairs, in memory that grows with n d^2 only.
class SumObjective : public Objective {
 public:
  SumObjective(SumCriterion criterion, const Classes& classes, const PairOptions& options);
  Matrix values(const TrainingMatrices& x, std::span<const double> thetas, std::span<const double> cs) const override;
  KernelGradient gradient(const TrainingMatrices& x, double theta, double c) const override;

 private:
  std::vector<FormSums> gather(const TrainingMatrices& x, std::span<const double> thetas) const;
  std::vector<FormSums> gather_there(DeviceTraining& x, std::span<const double> thetas) const;
  KernelGradient gradient_there(DeviceTraining& x, double theta) const;
  /// Sums of inverses for each form, weighted when all sums are known.
  KernelGradient in_one_pass(const SpdBatch& x, double theta) const;
  /// The sums first, then inverses with the final weights.
  KernelGradient in_two_passes(const SpdBatch& x, double theta) const;

  SumCriterion criterion_;
  const Classes& classes_;
  PairOptions options_;
};

}  // namespace dsk::detail

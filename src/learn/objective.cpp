#include "learn/objective.hpp"

#include <utility>

namespace dsk::detail {
namespace {

class SumObjective : public Objective {
 public:
  SumObjective(SumCriterion criterion, const Classes& classes) : criterion_(std::move(criterion)), classes_(classes) {}

  Matrix values(const PairSums& pairs, std::span<const double> thetas, std::span<const double> cs) const override {
    const std::vector<Matrix> sums = pairs.form_sums(criterion_.forms, thetas);
    Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
    for (Index t = 0; t < result.rows(); ++t)
      result.row(t).setConstant(criterion_.evaluate(sums[static_cast<std::size_t>(t)], classes_).value);
    return result;
  }

  KernelGradient gradient(const PairSums& pairs, double theta, double) const override {
    KernelGradient gradient;
    const auto weigh = [&](const Matrix& sums) {
      SumValue found = criterion_.evaluate(sums, classes_);
      gradient.value = found.value;
      return std::move(found.weights);
    };
    gradient.inverses = pairs.weighted_inverses(
        theta, {.forms = criterion_.forms, .weigh = weigh, .weighs_rows = criterion_.weighs_rows});
    return gradient;
  }

 private:
  SumCriterion criterion_;
  const Classes& classes_;
};

}  // namespace

std::unique_ptr<Objective> make_sum_objective(SumCriterion criterion, const Classes& classes) {
  return std::make_unique<SumObjective>(std::move(criterion), classes);
}

}  // namespace dsk::detail

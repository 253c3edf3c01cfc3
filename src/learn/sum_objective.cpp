#include "learn/sum_objective.hpp"

#include <dsk/engine.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"
#include "learn/strips.hpp"

namespace dsk::detail {
namespace {

constexpr std::size_t widest = engine::kLargestTile;
constexpr std::size_t most_forms = 4;

}  // namespace

SumObjective::SumObjective(SumCriterion criterion, const Classes& classes, const PairOptions& options)
    : criterion_(std::move(criterion)), classes_(classes), options_(options) {}

std::vector<FormSums> SumObjective::gather(const TrainingMatrices& x, std::span<const double> thetas) const {
  if (x.on_device() != nullptr) return gather_there(*x.on_device(), thetas);
  const std::size_t forms = criterion_.forms.size();
  std::vector<FormSums> sums(thetas.size(), FormSums(static_cast<Index>(forms), classes_.samples()));
  visit_strips(x.batch(), options_, [&](Index row, Index first_column, std::span<const double> divergence) {
    double kernel[widest], filled[most_forms * widest];
    const std::span<double> values(kernel, divergence.size());
    for (std::size_t t = 0; t < thetas.size(); ++t) {
      std::copy(divergence.begin(), divergence.end(), kernel);
      exponential_in_place(values, -thetas[t]);
      fill_forms(criterion_.forms, classes_, row, first_column, values, filled);
      sums[t].add(row, first_column, {filled, forms * values.size()});
    }
  });
  for (FormSums& of_theta : sums) of_theta.add_up(options_.team);
  return sums;
}

Matrix SumObjective::values(const TrainingMatrices& x, std::span<const double> thetas,
                            std::span<const double> cs) const {
  const std::vector<FormSums> sums = gather(x, thetas);
  Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
  for (Index t = 0; t < result.rows(); ++t)
    result.row(t).setConstant(criterion_.evaluate(sums[static_cast<std::size_t>(t)], classes_).value);
  return result;
}

KernelGradient SumObjective::gradient(const TrainingMatrices& x, double theta, double) const {
  if (x.on_device() != nullptr) return gradient_there(*x.on_device(), theta);
  // Above this size sums of inverses leave the cache, and one more look at the pairs costs less than one more form.
  constexpr Index one_pass_up_to = 20;
  return !criterion_.needs_row_sums && x.batch().dim() <= one_pass_up_to ? in_one_pass(x.batch(), theta)
                                                                         : in_two_passes(x.batch(), theta);
}

KernelGradient SumObjective::in_one_pass(const SpdBatch& x, double theta) const {
  const auto forms = static_cast<Index>(criterion_.forms.size());
  FormSums sums(forms, x.size());
  std::vector<MatrixStack> inverses =
      inverse_sums(x,
                   [&](const PairStrip& strip, std::span<double> weights) {
                     fill_forms(criterion_.forms, classes_, strip.row, strip.first_column, strip.kernel, weights);
                     sums.add(strip.row, strip.first_column, weights);
                   },
                   {.forms = forms, .theta = theta, .options = options_});
  FormSums of_all = sums;
  of_all.add_up(options_.team);
  const FormWeights weights = criterion_.evaluate(of_all, classes_);
  KernelGradient gradient;
  gradient.value = weights.value;
  gradient.inverse_sums = std::move(inverses[0]);
  gradient.weight_sums = Eigen::VectorXd::Zero(x.size());
  std::vector<double>& combined = gradient.inverse_sums.values;
  for (std::size_t k = 0; k < combined.size(); ++k) {
    combined[k] *= weights.forms[0];
    for (std::size_t m = 1; m < inverses.size(); ++m) combined[k] += weights.forms[m] * inverses[m].values[k];
  }
  for (Index m = 0; m < forms; ++m)
    gradient.weight_sums += weights.forms[static_cast<std::size_t>(m)] * sums.rows(m).transpose();
  return gradient;
}

KernelGradient SumObjective::in_two_passes(const SpdBatch& x, double theta) const {
  const FormSums sums = std::move(gather(x, {&theta, 1})[0]);
  const FormWeights weights = criterion_.evaluate(sums, classes_);
  const bool by_row = weights.rows.size() != 0;
  FormSums weight_sums(1, x.size());
  std::vector<MatrixStack> inverses = inverse_sums(
      x,
      [&](const PairStrip& strip, std::span<double> result) {
        double filled[most_forms * widest];
        const std::size_t width = strip.kernel.size();
        fill_forms(criterion_.forms, classes_, strip.row, strip.first_column, strip.kernel, filled);
        for (std::size_t l = 0; l < width; ++l) {
          double weight = 0;
          for (std::size_t m = 0; m < weights.forms.size(); ++m) weight += weights.forms[m] * filled[m * width + l];
          result[l] = weight;
        }
        if (by_row)
          for (std::size_t l = 0; l < width; ++l)
            result[l] +=
                strip.kernel[l] * (weights.rows[strip.row] + weights.rows[strip.first_column + static_cast<Index>(l)]);
        weight_sums.add(strip.row, strip.first_column, result);
      },
      {.forms = 1, .theta = theta, .options = options_});
  return {weights.value, std::move(inverses[0]), {}, weight_sums.rows(0).transpose(), 0};
}

std::vector<FormSums> SumObjective::gather_there(DeviceTraining& x, std::span<const double> thetas) const {
  const Index n = classes_.samples();
  const std::vector<engine::cuda::RowSums> rows = x.sum_rows(thetas);
  std::vector<FormSums> sums(thetas.size(), FormSums(static_cast<Index>(criterion_.forms.size()), n));
  for (std::size_t t = 0; t < thetas.size(); ++t)
    for (Index i = 0; i < n; ++i) {
      const engine::cuda::RowSums& row = rows[t * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
      const auto sum = [&](int s) { return row.sum[s] == 0 ? 0 : row.sum[s] * std::exp(-thetas[t] * row.smallest[s]); };
      const double other = sum(0), same = sum(1);
      for (std::size_t m = 0; m < criterion_.forms.size(); ++m) {
        const PairFactors factors = pair_factors(criterion_.forms[m], classes_, i);
        sums[t].set(static_cast<Index>(m), i,
                    factors.same * same + factors.other * other + factors.square * row.squares);
      }
    }
  return sums;
}

KernelGradient SumObjective::gradient_there(DeviceTraining& x, double theta) const {
  const FormWeights weights = criterion_.evaluate(gather_there(x, {&theta, 1})[0], classes_);
  const auto n = static_cast<std::size_t>(classes_.samples());
  std::vector<double> same(n, 0), rows(n, 0);
  engine::cuda::HostWeighting how;
  how.how.theta = theta;
  for (std::size_t m = 0; m < criterion_.forms.size(); ++m) {
    const PairFactors factors = pair_factors(criterion_.forms[m], classes_, 0);
    how.how.other += weights.forms[m] * factors.other;
    how.how.square += weights.forms[m] * factors.square;
    for (std::size_t i = 0; i < n; ++i)
      same[i] += weights.forms[m] * pair_factors(criterion_.forms[m], classes_, static_cast<Index>(i)).same;
  }
  std::copy(weights.rows.begin(), weights.rows.end(), rows.begin());
  how.a = same;
  how.b = rows;
  KernelGradient gradient;
  gradient.value = weights.value;
  x.weigh(how, gradient);
  return gradient;
}

}  // namespace dsk::detail

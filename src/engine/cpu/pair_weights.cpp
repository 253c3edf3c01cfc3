#include <array>

#include "engine/cpu/sweeps.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {

PairWeights weigh_by_forms(std::span<const PairForm> forms, const FormWeights& weights, std::span<const int> classes) {
  return [=](const PairStrip& strip, std::span<double> result) {
    std::array<double, static_cast<std::size_t>(kMaxForms * kLargestTile)> filled;
    const std::size_t width = strip.kernel.size();
    fill_forms(forms, classes, strip.row, strip.first_column, strip.kernel, filled);
    for (std::size_t l = 0; l < width; ++l) {
      double weight = 0;
      for (std::size_t m = 0; m < weights.forms.size(); ++m) weight += weights.forms[m] * filled[m * width + l];
      result[l] = weight;
    }
    if (weights.rows.size() == 0) return;
    for (std::size_t l = 0; l < width; ++l)
      result[l] +=
          strip.kernel[l] * (weights.rows[strip.row] + weights.rows[strip.first_column + static_cast<Index>(l)]);
  };
}

PairWeights weigh_by_logs(const LogWeights& weights, std::span<const int> classes) {
  return [=](const PairStrip& strip, std::span<double> result) {
    double values[2 * kLargestTile];
    const std::size_t width = result.size();
    const auto is_same = [&](std::size_t l) {
      return classes[static_cast<std::size_t>(strip.row)] == classes[static_cast<std::size_t>(strip.first_column) + l];
    };
    for (std::size_t l = 0; l < width; ++l) {
      const Eigen::VectorXd& offset = is_same(l) ? weights.same : weights.other;
      values[l] = offset[strip.row] - weights.theta * strip.divergence[l];
      values[width + l] = offset[strip.first_column + static_cast<Index>(l)] - weights.theta * strip.divergence[l];
    }
    exponential_in_place({values, 2 * width}, 1);
    for (std::size_t l = 0; l < width; ++l)
      result[l] = (is_same(l) ? 1 : -1) * (values[l] + values[width + l]) * weights.factor;
  };
}

void WeightSums::add(const PairStrip& strip, std::span<const double> weights) {
  const std::size_t width = weights.size();
  double filled[2 * kLargestTile];
  for (std::size_t l = 0; l < width; ++l) {
    filled[l] = weights[l];
    filled[width + l] = weights[l] * strip.divergence[l];
  }
  sums_.add(strip.row, strip.first_column, {filled, 2 * width});
}

}  // namespace dsk::engine

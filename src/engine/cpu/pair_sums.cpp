#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/strips.hpp"
#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::engine {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// sum_j exp(-theta S_j) while it grows: exp(-theta smallest) times sum.
struct RunningSum {
  double smallest = infinity;
  double sum = 0;

  void add(double other_smallest, double other_sum, double theta) {
    if (other_smallest == infinity) return;
    if (other_smallest < smallest) {
      std::swap(smallest, other_smallest);
      std::swap(sum, other_sum);
    }
    if (other_sum != 0) sum += other_sum * std::exp(-theta * (other_smallest - smallest));
  }
  double log(double theta) const { return sum == 0 ? -infinity : std::log(sum) - theta * smallest; }
};

/// From sums over each rank's share of the pairs to sums over all.
void add_up(std::vector<RunningSum>& sums, std::span<const double> thetas, const Team* team) {
  if (team == nullptr) return;
  std::vector<double> smallest, parts;
  for (const RunningSum& one : sums) smallest.push_back(one.smallest);
  team->smallest(smallest);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    RunningSum whole{smallest[k], 0};
    whole.add(sums[k].smallest, sums[k].sum, thetas[k % thetas.size()]);
    parts.push_back(whole.sum);
  }
  team->sum(parts);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = {smallest[k], parts[k]};
}

/// Adds the divergences of one matrix to others of the given classes to its sums for each theta, within its class and
/// outside.
void add_divergences(std::span<const double> divergence, const int* classes, int own, std::span<const double> thetas,
                     RunningSum* same, RunningSum* other) {
  double values[kLargestTile];
  double smallest[2] = {infinity, infinity};
  for (std::size_t l = 0; l < divergence.size(); ++l) {
    double& mine = smallest[classes[l] == own ? 1 : 0];
    mine = std::min(mine, divergence[l]);
  }
  for (std::size_t t = 0; t < thetas.size(); ++t) {
    for (std::size_t l = 0; l < divergence.size(); ++l) values[l] = divergence[l] - smallest[classes[l] == own ? 1 : 0];
    exponential_in_place({values, divergence.size()}, -thetas[t]);
    double sums[2] = {0, 0};
    for (std::size_t l = 0; l < divergence.size(); ++l) sums[classes[l] == own ? 1 : 0] += values[l];
    other[t].add(smallest[0], sums[0], thetas[t]);
    same[t].add(smallest[1], sums[1], thetas[t]);
  }
}

}  // namespace

void fill_forms(std::span<const PairForm> forms, std::span<const int> classes, Index row, Index first_column,
                std::span<const double> kernel, std::span<double> result) {
  const int own = classes[static_cast<std::size_t>(row)];
  for (std::size_t m = 0; m < forms.size(); ++m)
    fill_form({own, forms[m].same[static_cast<std::size_t>(own)], forms[m].other, forms[m].square},
              classes.data() + first_column, kernel.data(), static_cast<Index>(kernel.size()),
              result.data() + m * kernel.size());
}

void FormSums::add(Index row, Index first_column, std::span<const double> filled) {
  const Index width = static_cast<Index>(filled.size()) / rows_.rows();
  for (Index m = 0; m < rows_.rows(); ++m) {
    double* const sums = rows_.data() + m * rows_.cols();
    sums[row] += add_strip(filled.data() + m * width, nullptr, width, sums + first_column);
  }
}

void visit_strips(const PairSource& pairs, const StripVisitor& visit) {
  pairs.visit([&](const PairSweep::Tile& tile) {
    for (Index r = 0; r < tile.values.rows(); ++r) {
      const Index skipped = tile.row == tile.column ? r + 1 : 0, left = tile.values.cols() - skipped;
      if (left > 0)
        visit(tile.row + r, tile.column + skipped,
              {tile.values.row(r).data() + skipped, static_cast<std::size_t>(left)});
    }
  });
}

void add_up(Matrix& values, const Team* team) {
  if (team != nullptr) team->sum({values.data(), static_cast<std::size_t>(values.size())});
}

std::vector<Matrix> form_sums(const PairSource& pairs, std::span<const int> classes, std::span<const PairForm> forms,
                              std::span<const double> thetas) {
  std::vector<FormSums> sums(thetas.size(), FormSums(forms.size(), pairs.size));
  visit_strips(pairs, [&](Index row, Index first_column, std::span<const double> divergence) {
    double kernel[kLargestTile], filled[kMaxForms * kLargestTile];
    const std::span<double> values(kernel, divergence.size());
    for (std::size_t t = 0; t < thetas.size(); ++t) {
      std::copy(divergence.begin(), divergence.end(), kernel);
      exponential_in_place(values, -thetas[t]);
      fill_forms(forms, classes, row, first_column, values, filled);
      sums[t].add(row, first_column, {filled, forms.size() * values.size()});
    }
  });
  std::vector<Matrix> result;
  for (FormSums& of_theta : sums) {
    add_up(of_theta.rows(), pairs.team);
    result.push_back(std::move(of_theta.rows()));
  }
  return result;
}

std::vector<LogRowSums> log_row_sums(const PairSource& pairs, std::span<const int> classes,
                                     std::span<const double> thetas) {
  const std::size_t per_matrix = thetas.size();
  const std::size_t size = static_cast<std::size_t>(pairs.size) * per_matrix;
  std::vector<RunningSum> same(size), other(size);
  pairs.visit([&](const PairSweep::Tile& tile) {
    const auto add_run = [&](Index i, Index first, std::span<const double> divergence) {
      const std::size_t at = static_cast<std::size_t>(i) * per_matrix;
      add_divergences(divergence, classes.data() + first, classes[static_cast<std::size_t>(i)], thetas,
                      same.data() + at, other.data() + at);
    };
    for (Index r = 0; r < tile.values.rows(); ++r) {
      const double* row = tile.values.row(r).data();
      const Index i = tile.row + r, columns = tile.values.cols();
      const Index before = tile.row == tile.column ? r : columns;
      add_run(i, tile.column, {row, static_cast<std::size_t>(before)});
      if (before + 1 < columns)
        add_run(i, tile.column + before + 1, {row + before + 1, static_cast<std::size_t>(columns - before - 1)});
    }
    if (tile.row == tile.column) return;
    for (Index c = 0; c < tile.values.cols(); ++c) {
      double column[kLargestTile];
      for (Index r = 0; r < tile.values.rows(); ++r) column[r] = tile.values(r, c);
      add_run(tile.column + c, tile.row, {column, static_cast<std::size_t>(tile.values.rows())});
    }
  });
  add_up(same, thetas, pairs.team);
  add_up(other, thetas, pairs.team);
  std::vector<LogRowSums> result(per_matrix, {Eigen::VectorXd(pairs.size), Eigen::VectorXd(pairs.size)});
  for (std::size_t t = 0; t < per_matrix; ++t)
    for (Index i = 0; i < pairs.size; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * per_matrix + t;
      result[t].same[i] = same[at].log(thetas[t]);
      result[t].other[i] = other[at].log(thetas[t]);
    }
  return result;
}

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

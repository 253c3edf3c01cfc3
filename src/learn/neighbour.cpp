#include "learn/neighbour.hpp"

#include <dsk/engine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/cpu/tiles.hpp"
#include "engine/engine.hpp"

namespace dsk::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log(sum_j exp(-theta S_j)) while it grows: exp(-theta smallest) times sum.
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

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -infinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// Adds the divergences of one matrix to others of the given classes to its sums for each theta, within its class and
/// outside.
void add(std::span<const double> divergence, const int* classes, int own, std::span<const double> thetas,
         RunningSum* same, RunningSum* other) {
  double values[engine::kLargestTile];
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

Neighbour::Neighbour(const Classes& classes, const PairOptions& options) : classes_(classes), options_(options) {
  for (Index i = 0; i < classes.samples(); ++i) counted_ += counts(i) ? 1 : 0;
  if (counted_ == 0) throw InvalidInput("the neighbour criterion needs a class with at least two matrices");
}

std::vector<Neighbour::LogSums> Neighbour::gather(const TrainingMatrices& x, std::span<const double> thetas) const {
  return x.on_device() != nullptr ? gather_there(*x.on_device(), thetas) : gather_here(x.batch(), thetas);
}

std::vector<Neighbour::LogSums> Neighbour::gather_there(DeviceTraining& x, std::span<const double> thetas) const {
  const Index n = classes_.samples();
  const std::vector<engine::cuda::RowSums> rows = x.sum_rows(thetas);
  std::vector<LogSums> result(thetas.size(), {Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::VectorXd(n)});
  for (std::size_t t = 0; t < thetas.size(); ++t)
    for (Index i = 0; i < n; ++i) {
      const engine::cuda::RowSums& row = rows[t * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
      result[t].other[i] = RunningSum{row.smallest[0], row.sum[0]}.log(thetas[t]);
      result[t].same[i] = RunningSum{row.smallest[1], row.sum[1]}.log(thetas[t]);
      result[t].all[i] = log_add(result[t].same[i], result[t].other[i]);
    }
  return result;
}

std::vector<Neighbour::LogSums> Neighbour::gather_here(const SpdBatch& x, std::span<const double> thetas) const {
  const std::size_t per_matrix = thetas.size();
  const std::size_t size = static_cast<std::size_t>(x.size()) * per_matrix;
  std::vector<RunningSum> same(size), other(size);
  visit_pairs(
      x, PairQuantity::divergence,
      [&](const PairTile& tile) {
        const auto add_run = [&](Index i, Index first, std::span<const double> divergence) {
          const std::size_t at = static_cast<std::size_t>(i) * per_matrix;
          add(divergence, classes_.of.data() + first, classes_[i], thetas, same.data() + at, other.data() + at);
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
          double column[engine::kLargestTile];
          for (Index r = 0; r < tile.values.rows(); ++r) column[r] = tile.values(r, c);
          add_run(tile.column + c, tile.row, {column, static_cast<std::size_t>(tile.values.rows())});
        }
      },
      options_);
  add_up(same, thetas, options_.team);
  add_up(other, thetas, options_.team);
  std::vector<LogSums> result(per_matrix);
  for (std::size_t t = 0; t < per_matrix; ++t) {
    LogSums& sums = result[t];
    sums.same.resize(x.size());
    sums.other.resize(x.size());
    sums.all.resize(x.size());
    for (Index i = 0; i < x.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * per_matrix + t;
      sums.same[i] = same[at].log(thetas[t]);
      sums.other[i] = other[at].log(thetas[t]);
      sums.all[i] = log_add(sums.same[i], sums.other[i]);
    }
  }
  return result;
}

double Neighbour::value(const LogSums& sums) const {
  double total = 0;
  for (Index i = 0; i < classes_.samples(); ++i)
    if (counts(i)) total += sums.same[i] - sums.all[i];
  return total / counted_;
}

Matrix Neighbour::values(const TrainingMatrices& x, std::span<const double> thetas, std::span<const double> cs) const {
  const std::vector<LogSums> sums = gather(x, thetas);
  Matrix result(static_cast<Index>(thetas.size()), static_cast<Index>(cs.size()));
  for (Index t = 0; t < result.rows(); ++t) result.row(t).setConstant(value(sums[static_cast<std::size_t>(t)]));
  return result;
}

/// With p_i the probability of a neighbour of the same class, c_ij = (w_i + w_j) / (2 counted), where
/// w_i = K_ij (1 - p_i) / same_i for a pair of one class and -K_ij / all_i for others.
KernelGradient Neighbour::gradient(const TrainingMatrices& x, double theta, double) const {
  const LogSums sums = std::move(gather(x, {&theta, 1})[0]);
  constexpr double nothing = -1e5;  // its exponential is 0
  const Index n = classes_.samples();
  Eigen::VectorXd same(n), other(n);
  for (Index i = 0; i < n; ++i) {
    same[i] = counts(i) ? sums.other[i] - sums.same[i] - sums.all[i] : nothing;
    other[i] = counts(i) ? -sums.all[i] : nothing;
  }
  if (x.on_device() != nullptr) {
    engine::cuda::HostWeighting how;
    how.how.kind = engine::cuda::Weighting::Kind::neighbours;
    how.how.theta = theta;
    how.how.factor = 1 / (2 * counted_);
    how.a = {same.data(), static_cast<std::size_t>(n)};
    how.b = {other.data(), static_cast<std::size_t>(n)};
    KernelGradient gradient;
    gradient.value = value(sums);
    x.on_device()->weigh(how, gradient);
    return gradient;
  }
  Eigen::VectorXd weight_sums = Eigen::VectorXd::Zero(n);
  std::vector<MatrixStack> inverses =
      inverse_sums(x.batch(),
                   [&](const PairStrip& strip, std::span<double> weights) {
                     double values[2 * engine::kLargestTile];
                     const std::size_t width = weights.size();
                     for (std::size_t l = 0; l < width; ++l) {
                       const Index j = strip.first_column + static_cast<Index>(l);
                       const Eigen::VectorXd& offset = classes_[strip.row] == classes_[j] ? same : other;
                       values[l] = offset[strip.row] - theta * strip.divergence[l];
                       values[width + l] = offset[j] - theta * strip.divergence[l];
                     }
                     exponential_in_place({values, 2 * width}, 1);
                     for (std::size_t l = 0; l < width; ++l) {
                       const Index j = strip.first_column + static_cast<Index>(l);
                       const double sign = classes_[strip.row] == classes_[j] ? 1 : -1;
                       weights[l] = sign * (values[l] + values[width + l]) / (2 * counted_);
                       weight_sums[strip.row] += weights[l];
                       weight_sums[j] += weights[l];
                     }
                   },
                   {.forms = 1, .theta = theta, .options = options_});
  return {value(sums), std::move(inverses[0]), {}, std::move(weight_sums), 0};
}

}  // namespace dsk::detail

#include "classify/pairwise_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk::detail {
namespace {

/// The machine between two single points, in closed form: with thousands of classes nearly all pairs are of this kind.
struct PointMachine {
  double coefficient = 0;  ///< of the first point; the second has the opposite
  double offset = 0;
};

PointMachine train_points(double first, double between, double second, double c, std::pair<double, double> weights,
                          SoftMargin margin) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double most_first = c * weights.first, most_second = c * weights.second;
  double factor = 1;  // as in train_binary
  if (margin == SoftMargin::squared) {
    factor = std::min({1.0, most_first, most_second});
    first = factor * first + factor / most_first;
    second = factor * second + factor / most_second;
    between *= factor;
    most_first = most_second = infinity;
  }
  const double apart = first + second - 2 * between;
  const double free = apart > 0 ? 2 / apart : infinity;
  const double coefficient = std::min({free, most_first, most_second});
  // Where one point alone is at its bound, the other lies on its margin; otherwise the offset is in the middle.
  double offset = -coefficient * (first - second) / 2;
  if (coefficient < free && most_first < most_second) offset = -1 - coefficient * (between - second);
  if (coefficient < free && most_second < most_first) offset = 1 - coefficient * (first - between);
  return {factor * coefficient, offset};
}

/// The kernel values between some points, whose positions ascend. Runs of neighbours, as in a training set sorted by
/// class, are copied as such.
Matrix kernel_between(const Matrix& kernel, const std::vector<Index>& points) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;  // in `points`: first, and one behind the last
  for (std::size_t k = 0; k < points.size(); ++k)
    if (k > 0 && points[k] == points[k - 1] + 1)
      ++runs.back().second;
    else
      runs.emplace_back(k, k + 1);
  const auto size = static_cast<Index>(points.size());
  Matrix result(size, size);
  for (Index r = 0; r < size; ++r) {
    const double* const from = &kernel(points[static_cast<std::size_t>(r)], 0);
    double* const to = &result(r, 0);
    for (const auto& [first, last] : runs) std::copy_n(from + points[first], last - first, to + first);
  }
  return result;
}

/// Column p has values[k] at positions[k] for k from starts[p] on; zeros are left out.
Eigen::SparseMatrix<double> sparse_columns(Index rows, const std::vector<std::size_t>& starts,
                                           const std::vector<int>& positions, const std::vector<double>& values) {
  Eigen::SparseMatrix<double> result(rows, static_cast<Index>(starts.size()) - 1);
  result.reserve(std::count_if(values.begin(), values.end(), [](double value) { return value != 0; }));
  for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
    result.startVec(static_cast<Index>(p));
    for (std::size_t k = starts[p]; k < starts[p + 1]; ++k)
      if (values[k] != 0) result.insertBack(positions[k], static_cast<Index>(p)) = values[k];
  }
  result.finalize();
  return result;
}

/// With a C for each point.
BinarySvm train_weighted(Matrix kernel, std::span<const int> signs, const Eigen::VectorXd& costs, SoftMargin margin) {
  const bool squared = margin == SoftMargin::squared;
  const double factor = squared ? std::min(1.0, costs.minCoeff()) : 1;
  if (squared) {
    kernel *= factor;
    kernel.diagonal() += factor * costs.cwiseInverse();
  }
  const MarginDual dual = squared ? solve_margin(kernel, signs) : solve_margin(kernel, signs, costs);
  BinarySvm result{factor * dual.eta, dual.offset};
  for (Index i = 0; i < result.coefficients.size(); ++i) result.coefficients[i] *= signs[static_cast<std::size_t>(i)];
  return result;
}

}  // namespace

std::vector<double> selected(std::span<const double> values, const std::vector<Index>& positions) {
  std::vector<double> result;
  if (!values.empty())
    for (const Index i : positions) result.push_back(values[static_cast<std::size_t>(i)]);
  return result;
}

BinarySvm train_binary(Matrix kernel, std::span<const int> signs, double c, std::pair<double, double> weights,
                       SoftMargin margin, std::span<const double> of_points) {
  if (!of_points.empty()) {
    Eigen::VectorXd costs(kernel.rows());
    for (std::size_t i = 0; i < signs.size(); ++i)
      costs[static_cast<Index>(i)] = c * (signs[i] > 0 ? weights.first : weights.second) * of_points[i];
    return train_weighted(std::move(kernel), signs, costs, margin);
  }
  const bool squared = margin == SoftMargin::squared;
  const MarginBounds costs{c * weights.first, c * weights.second};
  // Scaling K + I/C by min(1, C) scales eta by its inverse and keeps the problem within LIBSVM's range for any C.
  const double factor = squared ? std::min({1.0, costs.positive, costs.negative}) : 1;
  if (squared) {
    kernel *= factor;
    for (Index i = 0; i < kernel.rows(); ++i)
      kernel(i, i) += factor / (signs[static_cast<std::size_t>(i)] > 0 ? costs.positive : costs.negative);
  }
  const MarginDual dual = solve_margin(kernel, signs, squared ? MarginBounds{} : costs);
  BinarySvm result{factor * dual.eta, dual.offset};
  for (Index i = 0; i < result.coefficients.size(); ++i) result.coefficients[i] *= signs[static_cast<std::size_t>(i)];
  return result;
}

std::vector<BinarySvm> train_binary_path(const Matrix& kernel, std::span<const int> signs, std::span<const double> cs,
                                         std::pair<double, double> weights, SoftMargin margin,
                                         std::span<const double> of_points) {
  std::vector<BinarySvm> result;
  if (margin == SoftMargin::squared || !of_points.empty()) {
    for (const double c : cs) result.push_back(train_binary(kernel, signs, c, weights, margin, of_points));
    return result;
  }
  std::vector<MarginBounds> bounds;
  for (const double c : cs) bounds.push_back({c * weights.first, c * weights.second});
  for (const MarginDual& dual : solve_margin_path(kernel, signs, bounds)) {
    BinarySvm& machine = result.emplace_back(BinarySvm{dual.eta, dual.offset});
    for (Index i = 0; i < dual.eta.size(); ++i) machine.coefficients[i] *= signs[static_cast<std::size_t>(i)];
  }
  return result;
}

std::vector<PairwiseSvm> train_pairwise_path(const Matrix& kernel, const std::vector<int>& classes,
                                             const std::vector<double>& cs, const SvmOptions& options) {
  const std::vector<int> present = distinct(classes);
  const auto size = static_cast<Index>(classes.size());
  if (kernel.rows() != size || kernel.cols() != size)
    throw InvalidInput(
        fmt::format("{} x {} kernel values do not match {} classes", kernel.rows(), kernel.cols(), size));
  for (const double c : cs)
    if (!(c > 0 && std::isfinite(c))) throw InvalidInput(fmt::format("C {} must be finite and above 0", c));
  check_kernel_values(kernel);
  if (present.size() < 2) throw one_class_only(size, present.empty() ? "" : std::to_string(present.front()));

  if (cs.empty()) throw InvalidInput("there is no C to train with");
  std::vector<double> ascending = cs;
  std::sort(ascending.begin(), ascending.end());
  std::vector<double> weights;
  for (const double c : cs) weights = checked_weights(options.class_weights, present.size(), c);
  const std::vector<double>& of_points = options.sample_weights;
  if (!of_points.empty() && of_points.size() != classes.size())
    throw InvalidInput(fmt::format("{} weights do not match {} points", of_points.size(), classes.size()));
  const auto pairs = all_pairs(present.size());
  const std::vector<std::vector<Index>> by_class = members_by_class(classes, present);
  std::vector<std::size_t> starts{0};
  for (const auto& [a, b] : pairs) starts.push_back(starts.back() + by_class[a].size() + by_class[b].size());
  std::vector<int> positions(starts.back());
  struct Machines {
    std::vector<double> values;
    Eigen::RowVectorXd offsets;
  };
  const auto count = static_cast<Index>(pairs.size());
  std::vector<Machines> of_cs(cs.size(), {std::vector<double>(starts.back()), Eigen::RowVectorXd(count)});
  const double per_pair = 2 * static_cast<double>(size) / static_cast<double>(present.size());
  for_ranges(count, options.threads, 50 * per_pair * per_pair, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const auto& [a, b] = pairs[static_cast<std::size_t>(p)];
      const std::size_t start = starts[static_cast<std::size_t>(p)];
      const std::pair<double, double> of_pair{weights[a], weights[b]};
      if (by_class[a].size() == 1 && by_class[b].size() == 1) {
        const Index i = by_class[a][0], j = by_class[b][0];
        const auto weight = [&](Index k) { return of_points.empty() ? 1 : of_points[static_cast<std::size_t>(k)]; };
        positions[start] = static_cast<int>(std::min(i, j));
        positions[start + 1] = static_cast<int>(std::max(i, j));
        for (std::size_t m = 0; m < cs.size(); ++m) {
          const PointMachine machine =
              train_points(kernel(i, i), kernel(i, j), kernel(j, j), ascending[m],
                           {of_pair.first * weight(i), of_pair.second * weight(j)}, options.margin);
          of_cs[m].values[start] = i < j ? machine.coefficient : -machine.coefficient;
          of_cs[m].values[start + 1] = -of_cs[m].values[start];
          of_cs[m].offsets[p] = machine.offset;
        }
        continue;
      }
      const auto [members, signs] = members_of_pair(by_class[a], by_class[b]);
      const std::vector<BinarySvm> machines = train_binary_path(kernel_between(kernel, members), signs, ascending,
                                                                of_pair, options.margin, selected(of_points, members));
      for (std::size_t k = 0; k < members.size(); ++k) positions[start + k] = static_cast<int>(members[k]);
      for (std::size_t m = 0; m < cs.size(); ++m) {
        std::copy(machines[m].coefficients.begin(), machines[m].coefficients.end(), &of_cs[m].values[start]);
        of_cs[m].offsets[p] = machines[m].offset;
      }
    }
  });
  std::vector<PairwiseSvm> result;
  for (const double c : cs) {
    const auto rank = std::lower_bound(ascending.begin(), ascending.end(), c) - ascending.begin();
    const Machines& machines = of_cs[static_cast<std::size_t>(rank)];
    result.emplace_back(present, sparse_columns(size, starts, positions, machines.values), machines.offsets);
  }
  return result;
}

}  // namespace dsk::detail

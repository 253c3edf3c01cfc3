// Exact solutions of duals without upper bounds, from a guess of their support.

#include <algorithm>
#include <cmath>

#include "kernel/duals.hpp"

namespace dsk::detail {
namespace {

/// A multiple of every vector length.
constexpr Index settle_padding = 8;

/// Of a row with two columns more.
Index settle_stride(Index size) {
  return (size + 2 + settle_padding - 1) / settle_padding * settle_padding;
}

/// Copies the kernel values between some points, whose positions ascend; runs of neighbours as such.
void copy_between(const Matrix& kernel, std::span<const Index> points, double* rows, Index stride) {
  const auto size = static_cast<Index>(points.size());
  for (Index begin = 0; begin < size;) {
    Index end = begin + 1;
    while (end < size && points[static_cast<std::size_t>(end)] == points[static_cast<std::size_t>(end - 1)] + 1) ++end;
    for (Index r = 0; r < size; ++r)
      std::copy_n(&kernel(points[static_cast<std::size_t>(r)], points[static_cast<std::size_t>(begin)]), end - begin,
                  rows + r * stride + begin);
    begin = end;
  }
}

}  // namespace

void SettleSpace::reserve(Index size) {
  const Index stride = settle_stride(size);
  if (rows.size() < size * stride) rows = AlignedArray<double>(size * stride);
  if (on_support.size() < stride) on_support = AlignedArray<double>(stride);
  if (products.size() < stride) products = AlignedArray<double>(stride);
}

/// The two last columns beside the kernel's are the linear part and ones, which the elimination makes U'^-1 times.
bool SettleSpace::solve(const SignedProblem& problem, std::span<const Index> support) {
  const auto size = static_cast<Index>(support.size());
  const Index stride = settle_stride(size);
  const bool has_linear = problem.linear != nullptr;
  copy_between(problem.kernel, support, rows.data(), stride);
  for (Index r = 0; r < size; ++r) {
    double* const row = rows.data() + r * stride;
    row[size] = has_linear ? problem.linear[support[static_cast<std::size_t>(r)]] : 0;
    row[size + 1] = 1;
    std::fill(row + size + 2, row + stride, 0.0);
  }
  if (!factor_rows(rows.data(), size, stride)) return false;
  double both = 0, slope = 0;
  for (Index r = 0; r < size; ++r) {
    const double *const row = rows.data() + r * stride, by_one = row[size + 1];
    both += row[size] * by_one;
    slope += by_one * by_one;
  }
  if (!(slope > 0)) return false;
  multiplier = (problem.sum - both) / slope;
  for (Index r = 0; r < size; ++r) {
    const double* const row = rows.data() + r * stride;
    on_support[r] = row[size] + multiplier * row[size + 1];
  }
  solve_upper(rows.data(), size, stride, on_support.data());
  return std::all_of(on_support.data(), on_support.data() + size, [](double value) { return std::isfinite(value); });
}

std::optional<SettledDual> settle(const SignedProblem& problem, std::vector<Index> support) {
  constexpr int most_rounds = 30;
  constexpr double violation = 1e-10;
  // Learning solves thousands of small duals again and again, which allocating memory would slow down.
  constexpr Index largest_kept = 512;
  thread_local SettleSpace kept;
  SettleSpace own;
  const Index size = problem.kernel.rows();
  SettleSpace& space = size <= largest_kept ? kept : own;
  space.reserve(size);
  const auto sign = [&](Index i) { return problem.signs != nullptr ? problem.signs[i] : 1.0; };
  for (int round = 0; round < most_rounds && !support.empty(); ++round) {
    if (!space.solve(problem, support)) return {};
    std::size_t left = 0;
    for (std::size_t k = 0; k < support.size(); ++k)
      if (sign(support[k]) * space.on_support[static_cast<Index>(k)] > 0) support[left++] = support[k];
    if (left < support.size()) {
      support.resize(left);
      continue;
    }
    add_rows(problem.kernel.data(), size, support.data(), space.on_support.data(), static_cast<Index>(left),
             space.products.data());
    const double allowed = violation * std::max(1.0, std::abs(space.multiplier));
    std::size_t next = 0;
    for (Index i = 0; i < size; ++i) {
      if (next < left && support[next] == i) {
        ++next;
        continue;
      }
      const double linear = problem.linear != nullptr ? problem.linear[i] : 0;
      if (sign(i) * (space.products[i] - linear - space.multiplier) < -allowed) support.push_back(i);
    }
    if (support.size() == left) {
      SettledDual found{Eigen::VectorXd::Zero(size), 0, space.multiplier};
      for (std::size_t k = 0; k < left; ++k) {
        const double value = space.on_support[static_cast<Index>(k)];
        found.b[support[k]] = value;
        found.square += value * space.products[support[k]];
      }
      return found;
    }
    std::sort(support.begin(), support.end());
  }
  return {};
}

std::vector<Index> support_of(const Eigen::VectorXd& x) {
  std::vector<Index> support;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) support.push_back(i);
  return support;
}

}  // namespace dsk::detail

#include "classify/pairwise_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace detail {

BinarySvm train_binary(Matrix kernel, std::span<const int> signs, double c, std::pair<double, double> weights,
                       SoftMargin margin) {
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

PairMembers members_of_pair(const std::vector<int>& classes, int first, int second) {
  PairMembers result;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] != first && classes[i] != second) continue;
    result.members.push_back(static_cast<Index>(i));
    result.signs.push_back(classes[i] == first ? 1 : -1);
  }
  return result;
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t classes) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) pairs.emplace_back(a, b);
  return pairs;
}

std::vector<int> distinct(const std::vector<int>& codes) {
  const std::set<int> sorted(codes.begin(), codes.end());
  return {sorted.begin(), sorted.end()};
}

std::vector<int> positions_among(const std::vector<int>& present, std::span<const int> codes) {
  std::vector<int> result;
  result.reserve(codes.size());
  for (const int code : codes)
    result.push_back(static_cast<int>(std::lower_bound(present.begin(), present.end(), code) - present.begin()));
  return result;
}

std::vector<double> checked_weights(const std::vector<double>& weights, std::size_t classes, double c) {
  if (weights.empty()) return std::vector<double>(classes, 1);
  if (weights.size() != classes)
    throw InvalidInput(fmt::format("{} class weights do not match {} classes", weights.size(), classes));
  for (std::size_t k = 0; k < classes; ++k)
    if (!(weights[k] > 0 && c * weights[k] > 0 && std::isfinite(c * weights[k])))
      throw InvalidInput(fmt::format(
          "class weight {} is {}; the weight and C times the weight must be finite and above 0", k, weights[k]));
  return weights;
}

}  // namespace detail

namespace {

void check_finite(const Matrix& kernel) {
  if (kernel.allFinite()) return;
  for (Index i = 0; i < kernel.rows(); ++i)
    for (Index j = 0; j < kernel.cols(); ++j)
      if (!std::isfinite(kernel(i, j)))
        throw InvalidInput(fmt::format("kernel value ({}, {}) is {}, not a finite number", i, j, kernel(i, j)));
}

}  // namespace

PairwiseSvm::PairwiseSvm(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options)
    : classes_(classes) {
  const auto size = static_cast<Index>(classes.size());
  if (kernel.rows() != size || kernel.cols() != size)
    throw InvalidInput(
        fmt::format("{} x {} kernel values do not match {} classes", kernel.rows(), kernel.cols(), size));
  if (!(options.c > 0 && std::isfinite(options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", options.c));
  check_finite(kernel);
  std::sort(classes_.begin(), classes_.end());
  classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
  if (classes_.size() < 2) throw detail::one_class_only(size, classes_.empty() ? "" : std::to_string(classes_.front()));

  const std::vector<double> weights = detail::checked_weights(options.class_weights, classes_.size(), options.c);
  const auto pairs = detail::all_pairs(classes_.size());
  const auto count = static_cast<Index>(pairs.size());
  coefficients_ = Matrix::Zero(size, count);
  offsets_.resize(count);
  const double per_pair = 2 * static_cast<double>(size) / static_cast<double>(classes_.size());
  detail::for_ranges(count, options.threads, 50 * per_pair * per_pair, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const auto [a, b] = pairs[static_cast<std::size_t>(p)];
      const auto [members, signs] = detail::members_of_pair(classes, classes_[a], classes_[b]);
      const detail::BinarySvm machine =
          detail::train_binary(kernel(members, members), signs, options.c, {weights[a], weights[b]}, options.margin);
      for (std::size_t k = 0; k < members.size(); ++k)
        coefficients_(members[k], p) = machine.coefficients[static_cast<Index>(k)];
      offsets_[p] = machine.offset;
    }
  });
}

PairwiseSvm::PairwiseSvm(std::vector<int> classes, Matrix coefficients, Eigen::RowVectorXd offsets)
    : classes_(std::move(classes)), coefficients_(std::move(coefficients)), offsets_(std::move(offsets)) {
  const auto pairs = static_cast<Index>(classes_.size() * (classes_.size() - 1) / 2);
  if (classes_.size() < 2 || coefficients_.cols() != pairs || offsets_.size() != pairs)
    throw InvalidInput(fmt::format("{} columns of coefficients and {} offsets do not match the pairs of {} classes",
                                   coefficients_.cols(), offsets_.size(), classes_.size()));
  if (std::adjacent_find(classes_.begin(), classes_.end(), std::greater_equal()) != classes_.end())
    throw InvalidInput("the classes of a support vector machine must be in ascending order");
  if (!coefficients_.allFinite() || !offsets_.allFinite())
    throw InvalidInput("a coefficient of a support vector machine is not a finite number");
}

Matrix PairwiseSvm::decisions(const Matrix& kernel_to_training) const {
  if (kernel_to_training.cols() != coefficients_.rows())
    throw InvalidInput(fmt::format("rows of {} kernel values do not match a training set of {}",
                                   kernel_to_training.cols(), coefficients_.rows()));
  check_finite(kernel_to_training);
  Matrix result = kernel_to_training * coefficients_;
  result.rowwise() += offsets_;
  return result;
}

Matrix PairwiseSvm::wins(const Matrix& decisions, int threads) const {
  const auto pairs = detail::all_pairs(classes_.size());
  if (decisions.cols() != offsets_.size())
    throw InvalidInput(
        fmt::format("{} decision values do not match {} pairs of classes", decisions.cols(), pairs.size()));
  Matrix won = Matrix::Zero(decisions.rows(), static_cast<Index>(classes_.size()));
  const auto count = static_cast<double>(pairs.size());
  detail::for_ranges(decisions.rows(), threads, 2 * count, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (std::size_t p = 0; p < pairs.size(); ++p)
        won(i, static_cast<Index>(decisions(i, static_cast<Index>(p)) > 0 ? pairs[p].first : pairs[p].second)) += 1;
      won.row(i) /= count;
    }
  });
  return won;
}

std::vector<int> PairwiseSvm::predict(const Matrix& kernel_to_training, int threads) const {
  return winners(wins(decisions(kernel_to_training), threads));
}

std::vector<int> PairwiseSvm::winners(const Matrix& won) const {
  std::vector<int> result;
  for (Index i = 0; i < won.rows(); ++i) {
    Index best = 0;
    won.row(i).maxCoeff(&best);
    result.push_back(classes_[static_cast<std::size_t>(best)]);
  }
  return result;
}

std::vector<Index> PairwiseSvm::support() const {
  std::vector<Index> used;
  for (Index i = 0; i < coefficients_.rows(); ++i)
    if ((coefficients_.row(i).array() != 0).any()) used.push_back(i);
  return used;
}

PairwiseSvm PairwiseSvm::on_support() const {
  return {classes_, coefficients_(support(), Eigen::all), offsets_};
}

}  // namespace dsk

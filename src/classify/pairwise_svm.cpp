#include "classify/pairwise_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "kernel/kernel.hpp"
#include "machine/parallel.hpp"
#include "spd/spd.hpp"

namespace dsk {
namespace detail {

std::vector<std::vector<Index>> members_by_class(const std::vector<int>& classes, const std::vector<int>& known) {
  std::vector<std::vector<Index>> result(known.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto found = std::lower_bound(known.begin(), known.end(), classes[i]);
    result[static_cast<std::size_t>(found - known.begin())].push_back(static_cast<Index>(i));
  }
  return result;
}

PairMembers members_of_pair(const std::vector<Index>& first, const std::vector<Index>& second) {
  PairMembers result;
  const std::size_t size = first.size() + second.size();
  result.members.reserve(size);
  result.signs.reserve(size);
  for (std::size_t a = 0, b = 0; a + b < size;) {
    const bool is_first = b == second.size() || (a < first.size() && first[a] < second[b]);
    result.members.push_back(is_first ? first[a++] : second[b++]);
    result.signs.push_back(is_first ? 1 : -1);
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

/// Some rows of kernel values, side by side for each training point, and padded with zeros.
Eigen::MatrixXd as_lanes(const Matrix& kernel, Index first, Index count) {
  const Index stride = (count + detail::rows_in_lanes - 1) / detail::rows_in_lanes * detail::rows_in_lanes;
  Eigen::MatrixXd lanes = Eigen::MatrixXd::Zero(stride, kernel.cols());
  lanes.topRows(count) = kernel.middleRows(first, count);
  return lanes;
}

detail::PairCoefficients view(const Eigen::SparseMatrix<double>& coefficients, const Eigen::RowVectorXd& offsets,
                              const std::vector<int>& classes) {
  return {.starts = coefficients.outerIndexPtr(),
          .positions = coefficients.innerIndexPtr(),
          .values = coefficients.valuePtr(),
          .offsets = offsets.data(),
          .classes = static_cast<Index>(classes.size())};
}

}  // namespace

PairwiseSvm::PairwiseSvm(const Matrix& kernel, const std::vector<int>& classes, const SvmOptions& options)
    : PairwiseSvm(detail::train_pairwise_path(kernel, classes, {options.c}, options).front()) {}

PairwiseSvm::PairwiseSvm(std::vector<int> classes, const Eigen::SparseMatrix<double>& coefficients,
                         Eigen::RowVectorXd offsets)
    : classes_(std::move(classes)), coefficients_(coefficients), offsets_(std::move(offsets)) {
  const auto pairs = static_cast<Index>(classes_.size() * (classes_.size() - 1) / 2);
  if (classes_.size() < 2 || coefficients_.cols() != pairs || offsets_.size() != pairs)
    throw InvalidInput(fmt::format("{} columns of coefficients and {} offsets do not match the pairs of {} classes",
                                   coefficients_.cols(), offsets_.size(), classes_.size()));
  if (std::adjacent_find(classes_.begin(), classes_.end(), std::greater_equal()) != classes_.end())
    throw InvalidInput("the classes of a support vector machine must be in ascending order");
  coefficients_.makeCompressed();
  const Eigen::Map<const Eigen::ArrayXd> values(coefficients_.valuePtr(), coefficients_.nonZeros());
  if (!values.allFinite() || !offsets_.allFinite())
    throw InvalidInput("a coefficient of a support vector machine is not a finite number");
}

PairwiseSvm::PairwiseSvm(std::vector<int> classes, const Matrix& coefficients, Eigen::RowVectorXd offsets)
    : PairwiseSvm(std::move(classes), Eigen::SparseMatrix<double>(coefficients.sparseView()), std::move(offsets)) {}

void PairwiseSvm::check_kernel(const Matrix& kernel_to_training) const {
  if (kernel_to_training.cols() != coefficients_.rows())
    throw InvalidInput(fmt::format("rows of {} kernel values do not match a training set of {}",
                                   kernel_to_training.cols(), coefficients_.rows()));
  detail::check_kernel_values(kernel_to_training);
}

/// Few classes: a product of dense matrices is faster then.
bool PairwiseSvm::is_mostly_filled() const {
  return 4 * coefficients_.nonZeros() >= coefficients_.rows() * coefficients_.cols();
}

Matrix PairwiseSvm::decisions(const Matrix& kernel_to_training) const {
  check_kernel(kernel_to_training);
  if (is_mostly_filled()) {
    Matrix result = kernel_to_training * Matrix(coefficients_);
    result.rowwise() += offsets_;
    return result;
  }
  Matrix result(kernel_to_training.rows(), offsets_.size());
  constexpr Index entries = Index{1} << 20, most_rows = 64;
  const Index together = std::clamp(entries / result.cols(), detail::rows_in_lanes, most_rows);
  for (Index first = 0; first < result.rows(); first += together) {
    const Index count = std::min(together, result.rows() - first);
    const Eigen::MatrixXd lanes = as_lanes(kernel_to_training, first, count);
    Eigen::MatrixXd decided(lanes.rows(), result.cols());
    detail::decide_rows(view(coefficients_, offsets_, classes_), lanes.data(), lanes.rows(), decided.data());
    result.middleRows(first, count) = decided.topRows(count);
  }
  return result;
}

void PairwiseSvm::decide(std::span<const double> kernel_to_training, Eigen::RowVectorXd& decisions) const {
  for (Index pair = 0; pair < offsets_.size(); ++pair) {
    double sum = offsets_[pair];
    for (Eigen::SparseMatrix<double>::InnerIterator entry(coefficients_, pair); entry; ++entry)
      sum += entry.value() * kernel_to_training[static_cast<std::size_t>(entry.row())];
    decisions[pair] = sum;
  }
}

Matrix PairwiseSvm::vote(const Matrix& kernel_to_training, int threads) const {
  check_kernel(kernel_to_training);
  Matrix won(kernel_to_training.rows(), static_cast<Index>(classes_.size()));
  const bool filled = is_mostly_filled();
  const auto vote_on = [&](Index first, Index count) {
    if (filled) {
      won.middleRows(first, count) = wins(decisions(kernel_to_training.middleRows(first, count)), 1);
      return;
    }
    const Eigen::MatrixXd lanes = as_lanes(kernel_to_training, first, count);
    Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(lanes.rows(), won.cols());
    detail::count_wins(view(coefficients_, offsets_, classes_), lanes.data(), lanes.rows(), counts.data());
    won.middleRows(first, count) = counts.topRows(count) / static_cast<double>(offsets_.size());
  };
  // Few enough rows for a processor's cache.
  const Index together = filled ? 256 : 64;
  const auto entries = static_cast<double>(coefficients_.nonZeros() + offsets_.size());
  detail::for_ranges((won.rows() + together - 1) / together, threads, 0.2 * static_cast<double>(together) * entries,
                     [&](Index first, Index last) {
                       for (Index block = first; block < last; ++block)
                         vote_on(block * together, std::min(together, won.rows() - block * together));
                     });
  return won;
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
  return winners(vote(kernel_to_training, threads));
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

Index PairwiseSvm::winner_memory() const {
  return detail::rows_in_lanes * (coefficients_.rows() + static_cast<Index>(classes_.size()));
}

int PairwiseSvm::winner(std::span<const double> kernel_to_training, double* memory) const {
  constexpr Index stride = detail::rows_in_lanes;
  const auto classes = static_cast<Index>(classes_.size());
  double* const won = memory + stride * coefficients_.rows();
  for (std::size_t j = 0; j < kernel_to_training.size(); ++j)
    memory[static_cast<Index>(j) * stride] = kernel_to_training[j];
  std::fill_n(won, stride * classes, 0.0);
  detail::count_wins(view(coefficients_, offsets_, classes_), memory, stride, won);
  Index best = 0;
  for (Index c = 1; c < classes; ++c)
    if (won[c * stride] > won[best * stride]) best = c;
  return classes_[static_cast<std::size_t>(best)];
}

std::vector<Index> PairwiseSvm::support() const {
  std::vector<bool> used(static_cast<std::size_t>(coefficients_.rows()));
  for (Index k = 0; k < coefficients_.nonZeros(); ++k)
    if (coefficients_.valuePtr()[k] != 0) used[static_cast<std::size_t>(coefficients_.innerIndexPtr()[k])] = true;
  std::vector<Index> result;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) result.push_back(static_cast<Index>(i));
  return result;
}

PairwiseSvm PairwiseSvm::on_support() const {
  const std::vector<Index> kept = support();
  Eigen::SparseMatrix<double> selection(static_cast<Index>(kept.size()), coefficients_.rows());
  selection.reserve(static_cast<Index>(kept.size()));
  std::vector<Eigen::Triplet<double>> ones;
  for (std::size_t k = 0; k < kept.size(); ++k) ones.emplace_back(static_cast<int>(k), static_cast<int>(kept[k]), 1);
  selection.setFromTriplets(ones.begin(), ones.end());
  return {classes_, Eigen::SparseMatrix<double>(selection * coefficients_), offsets_};
}

}  // namespace dsk

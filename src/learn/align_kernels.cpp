#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "learn/learn.hpp"
#include "machine/interrupt.hpp"
#include "machine/parallel.hpp"

namespace dsk {
namespace {

constexpr Index block_rows = 32;

/// What is kept of one matrix, a kernel or the same-class indicator, to centre it by.
struct Means {
  Eigen::VectorXd of_rows;
  double of_all = 0;
  double variance = 0;  ///< 0 where it is lost to rounding, 1 for the indicator
};

/// Sums over pairs of base kernels, computed from blocks of rows.
class KernelSums {
 public:
  KernelSums(Index kernels, const detail::BaseKernelRows& rows, const Labels& labels, std::span<const double> weights,
             int threads)
      : kernels_(kernels), rows_(rows), labels_(labels), threads_(threads), size_(labels.size()) {
    weights_ = weights.empty() ? Eigen::VectorXd::Ones(size_)
                               : Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(weights.data(), size_));
    whole_ = weights_.sum();
    means_.reserve(static_cast<std::size_t>(kernels) + 1);
    for (Index k = 0; k <= kernels; ++k) means_.push_back(means_of(k));
  }

  Eigen::VectorXd variances() const {
    Eigen::VectorXd result(kernels_);
    for (Index k = 0; k < kernels_; ++k) result[k] = means_[static_cast<std::size_t>(k)].variance;
    return result;
  }

  /// <A, B> of all pairs of centred matrices, kernels divided by their variances; the last is the same-class indicator.
  Matrix products() const {
    const Index blocks = (size_ + block_rows - 1) / block_rows;
    std::vector<Matrix> of_block(static_cast<std::size_t>(blocks));
    const auto work = static_cast<double>(block_rows * size_ * (kernels_ + 1) * (kernels_ + 4));
    // Added up in the order of the blocks, so that the sum does not depend on the threads.
    detail::for_ranges(blocks, threads_, work, [&](Index first, Index last) {
      for (Index b = first; b < last; ++b) {
        detail::check_interrupt();
        of_block[static_cast<std::size_t>(b)] = block_products(b * block_rows);
      }
    });
    Matrix sum = Matrix::Zero(kernels_ + 1, kernels_ + 1);
    for (const Matrix& one : of_block) sum += one;
    return sum;
  }

 private:
  Matrix rows_of(Index k, Index first, Index count) const {
    if (k < kernels_) return rows_(k, first, count);
    Matrix same(count, size_);
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < size_; ++j) same(i, j) = labels_[first + i] == labels_[j] ? 1 : 0;
    return same;
  }

  Means means_of(Index k) const {
    Means means{Eigen::VectorXd(size_)};
    double diagonal = 0;
    for (Index first = 0; first < size_; first += block_rows) {
      const Index count = std::min(block_rows, size_ - first);
      const Matrix rows = rows_of(k, first, count);
      means.of_rows.segment(first, count) = rows * weights_ / whole_;
      for (Index i = 0; i < count; ++i) diagonal += weights_[first + i] * rows(i, first + i) / whole_;
    }
    means.of_all = means.of_rows.dot(weights_) / whole_;
    if (k == kernels_) {
      means.variance = 1;
      return means;
    }
    constexpr double rounding = 1e-12;
    means.variance = diagonal - means.of_all;
    // Stays NaN for values that are not finite.
    if (means.variance <= rounding * diagonal) means.variance = 0;
    return means;
  }

  Matrix block_products(Index first) const {
    const Index count = std::min(block_rows, size_ - first);
    Matrix values = Matrix::Zero(kernels_ + 1, count * size_);
    const Eigen::ArrayXd roots = weights_.array().sqrt();
    for (Index k = 0; k <= kernels_; ++k) {
      const Means& means = means_[static_cast<std::size_t>(k)];
      if (!(means.variance > 0)) continue;
      const Matrix rows = rows_of(k, first, count);
      // Divided at once: products of very large or small kernels would leave the range of double.
      for (Index i = 0; i < count; ++i)
        values.row(k).segment(i * size_, size_) =
            (rows.row(i).array() - means.of_rows.transpose().array() - (means.of_rows[first + i] - means.of_all)) /
            means.variance * roots.transpose() * roots[first + i];
    }
    return values * values.transpose();
  }

  Index kernels_;
  const detail::BaseKernelRows& rows_;
  const Labels& labels_;
  int threads_;
  Index size_;
  Eigen::VectorXd weights_;
  double whole_ = 0;
  std::vector<Means> means_;
};

/// Weights of the kernels that vary, for the sums over their pairs and, last, with the classes.
Eigen::VectorXd aligned(const Matrix& products) {
  const Index kernels = products.rows() - 1;
  const Eigen::VectorXd norms = products.diagonal().head(kernels).cwiseSqrt();
  const Matrix q =
      norms.cwiseInverse().asDiagonal() * products.topLeftCorner(kernels, kernels) * norms.cwiseInverse().asDiagonal();
  const Eigen::VectorXd p = products.col(kernels).head(kernels).cwiseQuotient(norms);
  if (!(p.maxCoeff() > 0)) return Eigen::VectorXd::Ones(kernels);
  const Eigen::VectorXd found = detail::solve_nonnegative(q, p);
  // Alignments within rounding of 0 are none.
  if (!(found.sum() > 0)) return Eigen::VectorXd::Ones(kernels);
  return found.cwiseQuotient(norms);
}

void check(Index kernels, const Labels& labels, std::span<const double> weights) {
  if (kernels < 1) throw InvalidInput("no kernels to align");
  if (!weights.empty() && static_cast<Index>(weights.size()) != labels.size())
    throw InvalidInput(fmt::format("{} sample weights do not fit {} labels", weights.size(), labels.size()));
  for (const double weight : weights)
    if (!(weight >= 0 && std::isfinite(weight)))
      throw InvalidInput(fmt::format("the sample weight {} must be finite and not negative", weight));
  std::set<int> classes;
  for (Index i = 0; i < labels.size(); ++i)
    if (weights.empty() || weights[static_cast<std::size_t>(i)] > 0) classes.insert(labels[i]);
  if (classes.size() < 2)
    throw InvalidInput(fmt::format("kernels are aligned with two or more classes, not {}", classes.size()));
}

bool equals_its_transpose(const Matrix& kernel) {
  constexpr double rounding = 1e-8;
  return kernel.size() == 0 ||
         !((kernel - kernel.transpose()).cwiseAbs().maxCoeff() > rounding * kernel.cwiseAbs().maxCoeff());
}

}  // namespace

detail::AlignmentSums detail::alignment_sums(Index kernels, const BaseKernelRows& rows, const Labels& labels,
                                             std::span<const double> sample_weights, int threads) {
  check(kernels, labels, sample_weights);
  const KernelSums sums(kernels, rows, labels, sample_weights, threads);
  AlignmentSums result{{}, sums.variances()};
  if (result.variances.allFinite()) result.products = sums.products();
  if (!result.variances.allFinite() || !result.products.allFinite())
    throw InvalidInput("a kernel value is not a finite number");
  return result;
}

KernelWeights detail::aligned_weights(const AlignmentSums& sums) {
  KernelWeights result{Eigen::VectorXd::Zero(sums.variances.size()), sums.variances};
  std::vector<Index> used;
  for (Index k = 0; k < sums.variances.size(); ++k)
    if (sums.variances[k] > 0 && sums.products(k, k) > 0) used.push_back(k);
  if (used.empty()) throw InvalidInput("all kernels are constant on the training set");
  const std::vector<Index> varying = used;
  used.push_back(sums.variances.size());
  const Matrix products = sums.products(used, used);
  const Eigen::VectorXd found = aligned(products);
  const Index count = found.size();
  result.weights(varying) = found / found.sum();
  result.alignment = found.dot(products.col(count).head(count)) /
                     std::sqrt(found.dot(products.topLeftCorner(count, count) * found) * products(count, count));
  return result;
}

KernelWeights align_kernels(std::span<const Matrix> kernels, const Labels& labels,
                            std::span<const double> sample_weights, int threads) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (kernels[k].rows() != labels.size() || kernels[k].cols() != labels.size())
      throw InvalidInput(fmt::format("kernel {} is {} x {}, which does not fit {} labels", k, kernels[k].rows(),
                                     kernels[k].cols(), labels.size()));
    if (!equals_its_transpose(kernels[k])) throw InvalidInput(fmt::format("kernel {} is not symmetric", k));
  }
  const detail::BaseKernelRows rows = [&](Index k, Index first, Index count) {
    return Matrix(kernels[static_cast<std::size_t>(k)].middleRows(first, count));
  };
  return detail::aligned_weights(
      detail::alignment_sums(static_cast<Index>(kernels.size()), rows, labels, sample_weights, threads));
}

}  // namespace dsk

#include <dsk/classify/pairwise_svm.hpp>
#include <dsk/spd/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "spd/parallel.hpp"

namespace dsk {
namespace {

std::vector<std::pair<std::size_t, std::size_t>> all_pairs(std::size_t classes) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) pairs.emplace_back(a, b);
  return pairs;
}

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
    throw InvalidInput(fmt::format("{} x {} kernel values do not fit {} classes", kernel.rows(), kernel.cols(), size));
  if (!(options.c > 0 && std::isfinite(options.c)))
    throw InvalidInput(fmt::format("C {} must be finite and above 0", options.c));
  check_finite(kernel);
  std::sort(classes_.begin(), classes_.end());
  classes_.erase(std::unique(classes_.begin(), classes_.end()), classes_.end());
  if (classes_.size() < 2) throw InvalidInput("a support vector machine needs points of at least two classes");

  const auto pairs = all_pairs(classes_.size());
  const auto count = static_cast<Index>(pairs.size());
  coefficients_ = Matrix::Zero(size, count);
  offsets_.resize(count);
  const double per_pair = 2 * static_cast<double>(size) / static_cast<double>(classes_.size());
  detail::for_ranges(count, options.threads, 50 * per_pair * per_pair, [&](Index first, Index last) {
    for (Index p = first; p < last; ++p) {
      const auto [a, b] = pairs[static_cast<std::size_t>(p)];
      std::vector<Index> members;
      std::vector<int> signs;
      for (Index i = 0; i < size; ++i) {
        const int own = classes[static_cast<std::size_t>(i)];
        if (own != classes_[a] && own != classes_[b]) continue;
        members.push_back(i);
        signs.push_back(own == classes_[a] ? 1 : -1);
      }
      Matrix block = kernel(members, members);
      const bool squared = options.margin == SoftMargin::squared;
      // min(1, C) times K + I/C has the same machine, with eta / min(1, C), and stays in LIBSVM's range for any C.
      const double factor = squared ? std::min(1.0, options.c) : 1;
      if (squared) block = (factor * block + factor / options.c * Matrix::Identity(block.rows(), block.cols())).eval();
      const MarginDual dual = solve_margin(block, signs, squared ? std::numeric_limits<double>::infinity() : options.c);
      for (std::size_t k = 0; k < members.size(); ++k)
        coefficients_(members[k], p) = factor * dual.eta[static_cast<Index>(k)] * signs[k];
      offsets_[p] = dual.offset;
    }
  });
}

Matrix PairwiseSvm::decisions(const Matrix& kernel_to_training) const {
  if (kernel_to_training.cols() != coefficients_.rows())
    throw InvalidInput(fmt::format("rows of {} kernel values do not fit a training set of {}",
                                   kernel_to_training.cols(), coefficients_.rows()));
  check_finite(kernel_to_training);
  Matrix result = kernel_to_training * coefficients_;
  result.rowwise() += offsets_;
  return result;
}

std::vector<int> PairwiseSvm::predict(const Matrix& kernel_to_training, int threads) const {
  const Matrix values = decisions(kernel_to_training);
  const auto pairs = all_pairs(classes_.size());
  std::vector<int> result(static_cast<std::size_t>(values.rows()));
  detail::for_ranges(values.rows(), threads, 2 * static_cast<double>(pairs.size()), [&](Index first, Index last) {
    std::vector<int> wins(classes_.size());
    for (Index i = first; i < last; ++i) {
      std::fill(wins.begin(), wins.end(), 0);
      for (std::size_t p = 0; p < pairs.size(); ++p)
        ++wins[values(i, static_cast<Index>(p)) > 0 ? pairs[p].first : pairs[p].second];
      result[static_cast<std::size_t>(i)] =
          classes_[static_cast<std::size_t>(std::max_element(wins.begin(), wins.end()) - wins.begin())];
    }
  });
  return result;
}

}  // namespace dsk

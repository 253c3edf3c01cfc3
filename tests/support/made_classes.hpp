#pragma once

#include <dsk/matrices.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace dsk::test {

struct MadeClasses {
  std::vector<Index> sizes = {9, 6};  ///< members of each class
  Index dim = 3;
  double scale = 1;
  std::uint64_t seed = 0;
};

/// Scatter matrices of normal samples whose variances differ from class to class, in mixed order.
inline Dataset made_classes(const MadeClasses& options) {
  const auto classes = static_cast<Index>(options.sizes.size());
  const Index most = *std::max_element(options.sizes.begin(), options.sizes.end());
  const Dataset drawn = wishart_classes({.classes = classes,
                                         .per_class = most,
                                         .dim = options.dim,
                                         .degrees = options.dim + 20,
                                         .tau = 0.3,
                                         .seed = options.seed});
  std::vector<long long> labels;
  for (Index c = 0; c < classes; ++c)
    labels.insert(labels.end(), static_cast<std::size_t>(options.sizes[static_cast<std::size_t>(c)]), c);
  std::shuffle(labels.begin(), labels.end(), std::mt19937_64(options.seed));

  MatrixStack stack{static_cast<Index>(labels.size()), options.dim, {}};
  std::vector<Index> taken(static_cast<std::size_t>(classes), 0);
  for (const long long c : labels) {
    const MatrixView x = drawn.matrices()[c * most + taken[static_cast<std::size_t>(c)]++];
    const auto deviation = [&](Index r) {
      return std::exp(0.4 * std::sin(1.0 + 3.0 * static_cast<double>(c * r + c)));
    };
    for (Index r = 0; r < options.dim; ++r)
      for (Index k = 0; k < options.dim; ++k)
        stack.values.push_back(options.scale * x(r, k) * deviation(r) * deviation(k));
  }
  return Dataset(SpdBatch(std::move(stack)), Labels(labels));
}

/// Every matrix times a factor.
inline Dataset times(const Dataset& data, double factor) {
  MatrixStack stack{data.size(), data.dim(), {}};
  for (const double value : data.matrices().values()) stack.values.push_back(factor * value);
  return Dataset(SpdBatch(std::move(stack)), data.labels());
}

inline Dataset reordered(const Dataset& data, std::uint64_t seed) {
  std::vector<Index> order(static_cast<std::size_t>(data.size()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return data.select(order);
}

}  // namespace dsk::test

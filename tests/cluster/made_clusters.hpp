#pragma once

#include <dsk/cluster.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>

#include <cmath>

namespace dsk::test {

inline constexpr ClusterMethod every_method[] = {ClusterMethod::kmeans, ClusterMethod::kernel_kmeans,
                                                 ClusterMethod::spectral};

/// Wishart classes with covariances so different that no two classes touch.
struct Separated {
  Index classes = 3;
  Index per_class = 40;
  Index dim = 3;
  std::uint64_t seed = 1;
};

inline Dataset separated(const Separated& options) {
  const Dataset drawn = wishart_classes({.classes = options.classes,
                                         .per_class = options.per_class,
                                         .dim = options.dim,
                                         .degrees = 60 * options.dim,
                                         .tau = 0,
                                         .seed = options.seed});
  MatrixStack stack{drawn.size(), options.dim, {}};
  for (Index i = 0; i < drawn.size(); ++i) {
    const auto c = static_cast<double>(drawn.labels()[i]);
    for (Index r = 0; r < options.dim; ++r)
      for (Index k = 0; k < options.dim; ++k) {
        const auto deviation = [&](Index at) {
          return std::exp(1.5 * std::sin(1 + 2.3 * c + 1.7 * static_cast<double>(at)));
        };
        stack.values.push_back(drawn.matrices()[i](r, k) * deviation(r) * deviation(k));
      }
  }
  return Dataset(SpdBatch(std::move(stack)), drawn.labels());
}

}  // namespace dsk::test

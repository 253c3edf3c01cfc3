#pragma once

#include <dsk/cluster.hpp>
#include <dsk/matrices.hpp>
#include <dsk/mean.hpp>

#include <cmath>
#include <random>
#include <vector>

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

/// Separated Wishart classes, the second of each pair much nearer to the first than to other pairs: a chain along the
/// logarithm of one variance, with gaps of 0.8 and 2.4, where a class has a standard deviation of 0.1.
inline Dataset paired(Index classes, Index per_class, std::uint64_t seed) {
  constexpr Index dim = 3, degrees = 200;
  const Dataset drawn = wishart_classes(
      {.classes = classes, .per_class = per_class, .dim = dim, .degrees = degrees, .tau = 0, .seed = seed});
  MatrixStack stack{drawn.size(), dim, {}};
  for (Index i = 0; i < drawn.size(); ++i) {
    const int c = drawn.labels()[i];
    const double deviation = std::exp((3.2 * (c / 2) + 0.8 * (c % 2)) / 2);
    const auto factor = [&](Index at) { return at == 0 ? deviation : 1; };
    for (Index r = 0; r < dim; ++r)
      for (Index k = 0; k < dim; ++k) stack.values.push_back(drawn.matrices()[i](r, k) * factor(r) * factor(k));
  }
  return Dataset(SpdBatch(std::move(stack)), drawn.labels());
}

/// Wishart classes that differ in their scale only, each four times as large as the one before.
inline Dataset in_a_row(Index classes, Index per_class, std::uint64_t seed) {
  constexpr Index dim = 3, degrees = 60;
  const Dataset drawn = wishart_classes(
      {.classes = classes, .per_class = per_class, .dim = dim, .degrees = degrees, .tau = 0, .seed = seed});
  MatrixStack stack{drawn.size(), dim, {}};
  for (Index i = 0; i < drawn.size(); ++i)
    for (Index r = 0; r < dim; ++r)
      for (Index k = 0; k < dim; ++k)
        stack.values.push_back(std::ldexp(drawn.matrices()[i](r, k), 2 * drawn.labels()[i]));
  return Dataset(SpdBatch(std::move(stack)), drawn.labels());
}

/// Two Wishart classes that differ in two directions only, by a factor in the square root; the others are noise.
struct InTwoDirections {
  Index per_class = 200;
  Index dim = 12;
  Index degrees = 24;
  double factor = 1.7;
  std::uint64_t seed = 0;
};

inline Dataset in_two_directions(const InTwoDirections& options = {}) {
  const Dataset noise = wishart_classes({.classes = 2,
                                         .per_class = options.per_class,
                                         .dim = options.dim,
                                         .degrees = options.degrees,
                                         .tau = 0,
                                         .seed = options.seed});
  MatrixStack stack{noise.size(), options.dim, {}};
  for (Index i = 0; i < noise.size(); ++i) {
    const auto factor = [&](Index at) { return at < 2 && noise.labels()[i] == 1 ? options.factor : 1.0; };
    for (Index r = 0; r < options.dim; ++r)
      for (Index k = 0; k < options.dim; ++k) stack.values.push_back(noise.matrices()[i](r, k) * factor(r) * factor(k));
  }
  return Dataset(SpdBatch(std::move(stack)), noise.labels());
}

/// One Wishart class.
inline Dataset noise_of(Index count, Index dim, Index degrees, std::uint64_t seed) {
  return wishart_classes({.classes = 1, .per_class = count, .dim = dim, .degrees = degrees, .tau = 0, .seed = seed});
}

/// Wishart classes of random covariances A A', A being the unit matrix and normal entries of variance 1/2 dim.
inline Dataset mixed(Index classes, Index per_class, std::uint64_t seed) {
  constexpr Index dim = 6, degrees = 80;
  const Dataset drawn = wishart_classes(
      {.classes = classes, .per_class = per_class, .dim = dim, .degrees = degrees, .tau = 0, .seed = seed});
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, std::sqrt(0.5 / dim));
  std::vector<Matrix> mixtures;
  for (Index c = 0; c < classes; ++c)
    mixtures.emplace_back(Matrix::Identity(dim, dim) + Matrix::NullaryExpr(dim, dim, [&] { return normal(random); }));
  MatrixStack stack{drawn.size(), dim, {}};
  for (Index i = 0; i < drawn.size(); ++i) {
    const Matrix& a = mixtures[static_cast<std::size_t>(drawn.labels()[i])];
    Matrix x = a * drawn.matrices()[i] * a.transpose();
    x.triangularView<Eigen::StrictlyUpper>() = x.transpose().eval();
    stack.values.insert(stack.values.end(), x.data(), x.data() + x.size());
  }
  return Dataset(SpdBatch(std::move(stack)), drawn.labels());
}

}  // namespace dsk::test

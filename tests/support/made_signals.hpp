#pragma once

#include <dsk/matrices.hpp>

#include <optional>
#include <random>
#include <vector>

namespace dsk::test {

struct MadeSignals {
  Index per_class = 16;
  Index classes = 2;
  Index dim = 8;
  Index samples = 40;
  double gain = 3;   ///< of one channel per class; 1: noise
  Index groups = 0;  ///< that mix their channels in their own way; 0: none
  std::uint64_t seed = 1;
};

/// Covariances of noise in which class c has more of channel c.
inline Dataset made_signals(const MadeSignals& made) {
  std::mt19937_64 random(made.seed);
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index columns) {
    return Matrix(Matrix::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  std::vector<Matrix> gains;
  for (Index g = 0; g < made.groups; ++g)
    gains.push_back(Matrix((0.8 * draw(made.dim, 1)).array().exp().matrix().asDiagonal()));
  std::vector<double> values;
  std::vector<long long> labels, groups;
  for (Index i = 0; i < made.per_class * made.classes; ++i) {
    labels.push_back(i % made.classes);
    groups.push_back(made.groups > 0 ? i / made.classes % made.groups : 0);
    Matrix signal = draw(made.samples, made.dim);
    signal.col(i % made.classes) *= made.gain;
    if (made.groups > 0) signal *= gains[static_cast<std::size_t>(groups.back())];
    const Matrix x = signal.transpose() * signal / static_cast<double>(made.samples);
    values.insert(values.end(), x.data(), x.data() + x.size());
  }
  std::optional<Labels> of_groups;
  if (made.groups > 0) of_groups = Labels(groups);
  return Dataset(SpdBatch(values, static_cast<Index>(labels.size()), made.dim), Labels(labels), of_groups);
}

}  // namespace dsk::test

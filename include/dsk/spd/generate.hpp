#pragma once

#include <dsk/spd/dataset.hpp>

#include <cstdint>

namespace dsk {

struct RandomSpd {
  Index count = 1;
  Index dim = 2;
  double condition = 10;  ///< of every matrix; at least 1
  double scale = 1;       ///< largest eigenvalue of every matrix
  std::uint64_t seed = 0;
};

/// Random rotations of eigenvalues spaced evenly in the logarithm from `scale` down to `scale / condition`.
SpdBatch random_spd(const RandomSpd& options);

/// The paper's Section VI.C: class c holds scatter matrices drawn from W_d((1 + c tau) I, degrees), divided by
/// `degrees`.
struct WishartClasses {
  Index classes = 2;
  Index per_class = 1000;
  Index dim = 5;
  Index degrees = 200;  ///< of freedom; at least dim
  double tau = 0.1;
  std::uint64_t seed = 0;
};

/// The same matrices for the same options on every machine and for any number of threads.
Dataset wishart_classes(const WishartClasses& options);

}  // namespace dsk

#pragma once

namespace dsk {

class Team;

enum class Precision { float64, float32 };

/// Where pairs are computed. A device does the Stein divergence and what is made of it, nothing else.
enum class Device { cpu, cuda };

struct PairOptions {
  int threads = 0;                           ///< 0: all cores; few pairs run on one thread in any case
  Precision precision = Precision::float64;  ///< float32: twice the speed, 3e-6 of the largest, for condition below 1e5
  Device device = Device::cpu;
  const Team* team = nullptr;  ///< processes to share the pairs with; none: this one alone
};

}  // namespace dsk

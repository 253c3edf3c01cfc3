#include "machine/simd_targets.hpp"

#include <dsk/engine.hpp>

#include <hwy/highway.h>

namespace dsk {

std::string simd_target() {
  const auto best = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(best & -best);
}

std::vector<std::string> compiled_simd_targets() {
  std::vector<std::string> names;
  for (auto left = static_cast<std::int64_t>(HWY_TARGETS); left != 0; left &= left - 1)
    names.emplace_back(hwy::TargetName(left & -left));
  return names;
}

}  // namespace dsk

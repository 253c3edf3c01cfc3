#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "machine/simd_targets.hpp"

namespace dsk::test {

/// Runs `check` once on every instruction set that was compiled and that this machine has.
template <class Check>
void on_every_target(const Check& check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace dsk::test

#pragma once

#include <dsk/engine.hpp>

#include <gtest/gtest.h>

namespace dsk::test {

/// Tests that need a CUDA device; skipped where there is none.
class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (const DeviceStatus status = cuda_status(); !status.usable) GTEST_SKIP() << "CUDA: " << status.text;
  }
  static constexpr PairOptions cuda{.device = Device::cuda};
  static constexpr PairOptions cuda_single{.precision = Precision::float32, .device = Device::cuda};
};

}  // namespace dsk::test

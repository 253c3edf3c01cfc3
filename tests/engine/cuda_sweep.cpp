#include "engine/sweep_suite.hpp"

namespace dsk::test {

INSTANTIATE_TEST_SUITE_P(Cuda, SweepSuite, testing::Values(Device::cuda), device_name);

}  // namespace dsk::test

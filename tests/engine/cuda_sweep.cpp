#include "engine/row_sweep_suite.hpp"

namespace dsk::test {

INSTANTIATE_TEST_SUITE_P(Cuda, SweepSuite, testing::Values(Device::cuda), device_name);
INSTANTIATE_TEST_SUITE_P(Cuda, RowSweepSuite, testing::Values(Device::cuda), device_name);

}  // namespace dsk::test

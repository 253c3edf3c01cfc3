#include "engine/row_sweep_suite.hpp"

namespace dsk::test {

INSTANTIATE_TEST_SUITE_P(Cpu, SweepSuite, testing::Values(Device::cpu), device_name);
INSTANTIATE_TEST_SUITE_P(Cpu, RowSweepSuite, testing::Values(Device::cpu), device_name);

}  // namespace dsk::test

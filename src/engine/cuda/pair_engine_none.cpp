#include <dsk/matrices.hpp>

#include "engine/cuda/pair_engine.hpp"

namespace dsk::engine::cuda {
namespace {

[[noreturn]] void refuse() {
  throw InvalidInput("device cuda: this dsk was built without CUDA (-DDSK_WITH_CUDA=ON builds it in); use cpu");
}

}  // namespace

DeviceStatus device_status() {
  return {false, false, "not built in"};
}

void choose_device(int) {}

std::unique_ptr<DeviceMatrices> make_device_sweep(const SweepInput&) {
  refuse();
}

std::unique_ptr<DeviceSweep> make_device_row_sweep(const RowInput&) {
  refuse();
}

}  // namespace dsk::engine::cuda

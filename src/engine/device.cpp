#include "machine/simd_targets.hpp"

#include <dsk/engine.hpp>
#include <dsk/matrices.hpp>

#include <fmt/core.h>
#include <hwy/highway.h>

#include "engine/cuda/pair_engine.hpp"
#include "engine/engine.hpp"
#include "machine/lapack.hpp"

namespace dsk {

Device parse_device(std::string_view text) {
  if (text == "cpu") return Device::cpu;
  if (text != "cuda") throw InvalidInput(fmt::format("device '{}' is unknown; use cpu or cuda", text));
  const DeviceStatus status = cuda_status();
  if (!status.built_in)
    throw InvalidInput("device cuda: this dsk was built without CUDA (-DDSK_WITH_CUDA=ON builds it in); use cpu");
  if (!status.usable) throw InvalidInput(fmt::format("device cuda: {}; use cpu", status.text));
  return Device::cuda;
}

std::string_view name(Device device) {
  return device == Device::cuda ? "cuda" : "cpu";
}

DeviceStatus cuda_status() {
  return engine::cuda::device_status();
}

bool takes_turns(const PairOptions& options) {
  return options.device != Device::cpu;
}

void choose_cuda_device(int number) {
  engine::cuda::choose_device(number);
}

void engine::require_cpu(const PairOptions& options, std::string_view what) {
  if (options.device != Device::cpu)
    throw InvalidInput(fmt::format("device {} cannot be used for {}; use cpu", name(options.device), what));
}

std::string simd_target() {
  const auto best = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(best & -best);
}

std::string lapack_text() {
  const detail::lapack::Crossover& from = detail::lapack::crossover();
  const std::string library = detail::lapack::description();
  if (from.factor == 0) return library;
  return fmt::format("{}; factors from d = {}, functions {}, AIRM {}, Stein {}", library, from.factor, from.function,
                     from.spectrum, from.stein);
}

std::vector<std::string> compiled_simd_targets() {
  std::vector<std::string> names;
  for (auto left = static_cast<std::int64_t>(HWY_TARGETS); left != 0; left &= left - 1)
    names.emplace_back(hwy::TargetName(left & -left));
  return names;
}

}  // namespace dsk

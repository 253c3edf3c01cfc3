#pragma once

#include <dsk/pairs/options.hpp>

#include <string>
#include <string_view>

namespace dsk {

/// Reads "cpu" or "cuda"; throws InvalidInput, also for a device that cannot be used here.
Device parse_device(std::string_view text);
std::string_view name(Device device);

/// What this build and this machine know of CUDA.
struct CudaStatus {
  bool built_in = false;
  bool usable = false;
  std::string text;  ///< the device's name and memory, or why there is none
};
CudaStatus cuda_status();

}  // namespace dsk

#pragma once

#include <dsk/pairs/options.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace dsk {

/// A device that fails, or has too little memory, while it computes. Nothing is wrong with the input.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

/// Computes on the CUDA device of this number from here on, counted round where there are fewer: processes that share a
/// machine choose one each. Where none was chosen, it is the calling thread's.
void choose_cuda_device(int number);

}  // namespace dsk

#include <dsk/pairs/device.hpp>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {

Device device_of(const std::string& flag) {
  const Device device = parse_device(flag);
  if (device == Device::cuda && team() != nullptr)
    throw InvalidInput("--device cuda is for one process; the ranks of a job compute on their processors");
  return device;
}

}  // namespace dsk::cli

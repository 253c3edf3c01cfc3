#include <dsk/engine.hpp>

#include "command.hpp"
#include "ranks.hpp"

namespace dsk::cli {

Device device_of(const std::string& flag) {
  if (team() != nullptr) choose_cuda_device(rank_on_machine());
  return parse_device(flag);
}

}  // namespace dsk::cli

#include "short_waits.hpp"

#include <unistd.h>

#include <cstdlib>

namespace dsk::cli {

void wait_shortly(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  if (setenv("GOMP_SPINCOUNT", "1000", 0) == 0) execv("/proc/self/exe", arguments);
}

}  // namespace dsk::cli

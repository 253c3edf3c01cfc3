#pragma once

#include <sys/resource.h>

namespace dsk::test {

/// The most memory that this process has had so far.
inline double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace dsk::test

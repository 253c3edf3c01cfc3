#pragma once

#include <cstdint>

namespace dsk::files {

/// Deflate packs at most about 1032 bytes into one: a claim beyond this bound is a lie, and no memory is asked for it.
constexpr std::uint64_t most_unpacked_bytes(std::uint64_t packed_bytes) {
  return packed_bytes > (std::uint64_t{1} << 52) ? 0 : 1100 * packed_bytes + 4096;
}

}  // namespace dsk::files

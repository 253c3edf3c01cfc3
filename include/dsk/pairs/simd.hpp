#pragma once

#include <string>
#include <vector>

namespace dsk {

/// Name of the instruction set the pair engine runs on here, such as "AVX3" (AVX-512).
std::string simd_target();

/// All instruction sets it was compiled for.
std::vector<std::string> compiled_simd_targets();

}  // namespace dsk

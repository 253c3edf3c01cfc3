#pragma once

// The instruction sets worth their build time: AVX-512, AVX2, SSE4 and plain C++. Include before Highway.
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#define HWY_COMPILE_ALL_ATTAINABLE

#pragma once

// The instruction sets to compile for: AVX-512, AVX2, SSE4 and plain C++; others are not worth their build time.
// Sanitized builds, which do not instrument these files, only use the first and the last. Include this before Highway.
#undef HWY_DISABLED_TARGETS
#ifdef DSK_FEW_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3 | HWY_AVX2 | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#endif
#define HWY_COMPILE_ALL_ATTAINABLE

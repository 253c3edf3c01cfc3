#pragma once

// The instruction sets worth their build time: AVX-512, AVX2, SSE4 and plain C++. Sanitized builds, which do not
// instrument these files anyway, make do with the first and the last. Include before Highway.
#ifdef DSK_FEW_TARGETS
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3 | HWY_AVX2 | HWY_SSE4)
#else
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#endif
#define HWY_COMPILE_ALL_ATTAINABLE

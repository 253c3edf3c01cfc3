#pragma once

namespace dsk::bench {

/// Floating-point operations that one call of `run_fma` does, at 2 per fused multiply-add and lane.
double fma_flops();

/// Fused multiply-adds in double precision on registers alone, enough of them independent to fill the pipelines of the
/// widest vector unit. Returns a number that depends on all of them.
double run_fma();

}  // namespace dsk::bench

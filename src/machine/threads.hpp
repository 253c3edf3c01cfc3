#pragma once

namespace dsk::detail {

/// As many of these threads as there is room for under a limit of the address space (ulimit -v): OpenMP's run time
/// would end the program if it could not start one.
int startable_threads(int wanted);

}  // namespace dsk::detail

#pragma once

#include <dsk/approximate/nystrom.hpp>

namespace dsk {

/// Reads "nystrom:1000" (so many landmarks), "nystrom:error=0.01" (as few as bring the residual share to that, but no
/// more than 2000) or "nystrom:auto" (the same as error=0.01). Throws InvalidInput.
NystromOptions parse_nystrom(std::string_view text);

}  // namespace dsk

#pragma once

#include <dsk/transform.hpp>

#include "command.hpp"

namespace dsk::cli {

/// Prints what `dsk learn` learned, from the facts that it also writes as JSON.
void print_learned(const Facts& facts, const EigenvalueAdjustment& adjustment);

}  // namespace dsk::cli

#pragma once

#include <dsk/transform.hpp>

#include <string>

namespace dsk::cli {

/// One line per eigenvalue, the largest first: its adjustment as numbers and as a bar of alpha.
std::string alpha_bars(const EigenvalueAdjustment& adjustment);

}  // namespace dsk::cli

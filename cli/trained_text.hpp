#pragma once

#include "command.hpp"

namespace dsk::cli {

/// The facts of `dsk train` on standard output: as in JSON, except that what was chosen and weights of kernels are
/// written for readers.
void print_trained(const Facts& facts);

}  // namespace dsk::cli

#pragma once

#include <dsk/evaluate.hpp>

namespace dsk::cli {

/// One line per method, and the outcome in a sentence, on standard output.
void print_table(const Evaluation& evaluation);

}  // namespace dsk::cli

#pragma once

#include <dsk/report.hpp>

namespace dsk::cli {

/// One line per method, and the outcome in a sentence, on standard output.
void print_table(const Evaluation& evaluation);

/// For the page of an evaluation of this file by the command that is running now.
ReportSource source_of(const std::string& data_file);

}  // namespace dsk::cli

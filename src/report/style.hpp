#pragma once

#include <string_view>

namespace dsk::report {

/// The style sheet of the page.
extern const std::string_view style;

}  // namespace dsk::report
